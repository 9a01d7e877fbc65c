/** The law of the documents of the API: each endpoint's row has what clients need to read. A failing line says what to add. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { shortenText } from '../../api/documents/namedSchemas.ts';
import { operationTexts } from '../../api/documents/operations/index.ts';
import { endpoints } from '../../api/endpoints.ts';
import { buildOpenApiDocument } from '../../api/openapi.ts';
import { Sampler, type Schema } from '../support/examples.ts';

/** Bytes of the whole document as it is served, at most 200 KiB: clients and models read it at once. */
const bytesMax = 212 * 1024;
/** A schema of this length that stands twice has a name. */
const unnamedMax = 400;

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Schema[];
  readonly requestBody?: Media;
  readonly responses: Readonly<Record<string, Media & { readonly $ref?: string }>>;
}

interface Media {
  readonly content?: { readonly 'application/json': { readonly schema: Schema; readonly example?: unknown } };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Media>>;
  };
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each object inside a value that is no example, with the way to it. */
const walk = function* (value: unknown, path: string): Generator<{ path: string; value: Schema }> {
  if (Array.isArray(value)) for (const [i, inner] of value.entries()) yield* walk(inner, `${path}/${String(i)}`);
  if (!isObject(value)) return;
  yield { path, value };
  for (const [key, inner] of Object.entries(value))
    if (key !== 'example' && key !== 'examples') yield* walk(inner, `${path}/${key}`);
};

/** The tools' names by the endpoints that they are made of. */
const toolNames = (): Map<string, string[]> => {
  const folder = new URL('../../api/mcp/tools/', import.meta.url);
  const found = new Map<string, string[]>();
  for (const file of readdirSync(folder))
    for (const row of readFileSync(new URL(file, folder), 'utf8')
      .split(/createTool\(\{/)
      .slice(1)) {
      const name = /\bname: '(\w+)'/.exec(row)?.[1];
      const endpoint = /getEndpoint\('([\w.]+)'\)/.exec(row)?.[1];
      if (name !== undefined && endpoint !== undefined) found.set(endpoint, [...(found.get(endpoint) ?? []), name]);
    }
  return found;
};

describe('law: the documents of the API', () => {
  let document: Document;
  let schemas: Readonly<Record<string, Schema>>;
  let operations: readonly Operation[];
  const made = (): void => {
    document = buildOpenApiDocument(endpoints, 'http://127.0.0.1:3000') as unknown as Document;
    ({ schemas } = document.components);
    operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  };

  /** Whether a schema says what it is, or is made of what does. */
  const isDescribed = (schema: Schema): boolean => {
    if (schema['description'] !== undefined || 'const' in schema) return true;
    if ('$ref' in schema) return isDescribed(schemas[String(schema['$ref']).split('/').at(-1) ?? ''] ?? {});
    if (isObject(schema['items'])) return isDescribed(schema['items']);
    return ((schema['anyOf'] ?? []) as Schema[]).some(isDescribed);
  };

  it('each endpoint has its text in api/documents/operations, and each text its endpoint', () => {
    const names = endpoints.map(({ name }) => name);
    expect(
      names.filter((name) => !(name in operationTexts)),
      'add a row { id, description }: the id is the name of the endpoint’s tool, if it has one',
    ).to.deep.equal([]);
    expect(
      Object.keys(operationTexts).filter((name) => !names.includes(name)),
      'no endpoint has this name: take the text away',
    ).to.deep.equal([]);
  });

  it('operations are called as their tools are', () => {
    const tools = toolNames();
    expect(tools.size).to.be.above(20);
    for (const [endpoint, named] of tools)
      expect(named, `give ${endpoint} the name of its tool in api/documents/operations`).to.include(
        operationTexts[endpoint]?.id,
      );
  });

  describe('in what is made of the rows', () => {
    before(made);

    it('every parameter, member and operation is described', () => {
      const bare: string[] = [];
      // Documents leave out a description that only repeats the member’s name.
      const saidByName = new Set<string>();
      const rows = endpoints.map(({ body, responses }) => ({ body, responses }));
      for (const { value } of walk(rows, '#'))
        for (const [name, member] of Object.entries((value['properties'] ?? {}) as Record<string, Schema>)) {
          const [first = member] = (member['anyOf'] ?? []) as Schema[];
          const description = String(member['description'] ?? first['description']);
          if (shortenText(description).toLowerCase() === name.toLowerCase()) saidByName.add(name);
        }
      // The filters of a list as JSON are those of its address.
      const filters = operations.find(({ operationId }) => operationId === 'list_items')?.parameters ?? [];
      const isParameter = (path: string, name: string): boolean =>
        path === '#/components/schemas/ItemQuery' &&
        filters.some(({ $ref }) => new RegExp(`/${name}(?:\\.\\d)?$`).test(String($ref)));
      for (const { operationId, parameters = [] } of operations)
        for (const parameter of parameters)
          if (parameter['$ref'] === undefined && parameter['description'] === undefined)
            bare.push(`${operationId}: parameter ${String(parameter['name'])}`);
      for (const { path, value } of walk(document, '#'))
        if (isObject(value['properties']))
          for (const [name, member] of Object.entries(value['properties']))
            if (isObject(member) && !isDescribed(member) && !saidByName.has(name) && !isParameter(path, name))
              bare.push(`${path}/${name}`);
      expect(bare, 'give its schema a description').to.deep.equal([]);
    });

    it('a schema that stands at several places has a name', () => {
      const places = new Map<string, string[]>();
      for (const { path, value } of walk({ paths: document.paths, schemas }, '#')) {
        if (!isObject(value['properties'])) continue;
        const { description: _, ...rest } = value;
        const text = JSON.stringify(rest);
        if (text.length > unnamedMax) places.set(text, [...(places.get(text) ?? []), path]);
      }
      expect(
        [...places.values()].filter((found) => found.length > 1).map((found) => found.join(' and ')),
        'export the schema and name it in api/documents/components.ts',
      ).to.deep.equal([]);
    });

    it('each answer shows an example, by itself or made of those of its components', () => {
      const sampler = new Sampler(schemas);
      const missing = operations.flatMap(({ operationId, responses }) =>
        Object.entries(responses)
          .filter(([status]) => status !== 'default' && Number(status) < 400)
          .filter(([, response]) => {
            const named = response.$ref?.split('/').at(-1);
            const media = (named === undefined ? response : document.components.responses[named])?.content?.[
              'application/json'
            ];
            return media !== undefined && media.example === undefined && sampler.sample(media.schema) === undefined;
          })
          .map(([status]) => `${operationId} ${status}`),
      );
      expect(
        missing,
        'run UPDATE_DOCS=1 npm test -- test/http/openapi.test.ts, which records them from the running service',
      ).to.deep.equal([]);
    });

    it(`is shorter than ${String(bytesMax)} bytes`, () => {
      expect(
        Buffer.byteLength(JSON.stringify(document)),
        'name what repeats in api/documents/components.ts, and say it shorter',
      ).to.be.below(bytesMax);
    });
  });
});
