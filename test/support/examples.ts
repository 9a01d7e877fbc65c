/**
 * The examples of answers in the documents: what makes one complete, and the recorder that takes those that are missing
 * from answers of the running service (`UPDATE_DOCS=1`, see openapi.test.ts).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';

export type Schema = Readonly<Record<string, unknown>>;

interface Recorded {
  readonly schemas: Record<string, unknown>;
  readonly answers: Record<string, Record<string, unknown>>;
}

const file = new URL('../../api/documents/examples.json', import.meta.url);
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const nameOf = (ref: unknown): string => String(ref).split('/').at(-1) ?? '';
/** The types of a schema; only an object has members. */
const typesOf = ({ type, properties }: Schema): unknown[] =>
  Array.isArray(type) ? type : [type ?? (properties === undefined ? undefined : 'object')];
const first = (value: unknown): unknown => (Array.isArray(value) ? (value as unknown[])[0] : undefined);

/** Makes examples of schemas from those of the components that they refer to. */
export class Sampler {
  readonly #components: Readonly<Record<string, Schema>>;

  constructor(components: Readonly<Record<string, Schema>>) {
    this.#components = components;
  }

  /** An example; undefined when one of its texts or numbers has none. */
  sample(schema: Schema): unknown {
    if (Array.isArray(schema['examples'])) return first(schema['examples']);
    if ('$ref' in schema) return this.sample(this.#components[nameOf(schema['$ref'])] ?? {});
    if ('const' in schema) return schema['const'];
    if ('default' in schema) return schema['default'];
    if (Array.isArray(schema['enum'])) return first(schema['enum']);
    const branches = schema['anyOf'] ?? schema['allOf'];
    if (Array.isArray(branches))
      return (branches as Schema[]).map((branch) => this.sample(branch)).find((value) => value !== undefined);
    const types = typesOf(schema);
    if (types.includes('null')) return null;
    if (types.includes('boolean')) return true;
    if (types.includes('array')) return this.#array(schema);
    return types.includes('object') ? this.#object(schema) : undefined;
  }

  #array({ items }: Schema): unknown {
    const item = isSchema(items) ? this.sample(items) : undefined;
    return item === undefined ? undefined : [item];
  }

  #object({ properties, required = [] }: Schema): unknown {
    const made: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries((properties ?? {}) as Record<string, Schema>)) {
      if (!(required as string[]).includes(name)) continue;
      const value = this.sample(schema);
      if (value === undefined) return undefined;
      made[name] = value;
    }
    return made;
  }
}

/** One day of the examples. */
const day = Date.UTC(2026, 10, 22, 8);
const hour = 3_600_000;
const secrets: Readonly<Record<string, string>> = {
  token: 'cagt_Rk9PQkFSQkFaUVVYUkVET0JTQ1VSRUQ',
  ticket: 'Q09OU09MRVRJQ0tFVA',
  offset: 'AVm6m7PpPZ0b8Lr3qkQe4w',
  prev: 'AVm6m7PpPZ0b8Lr3qkQe4g',
  cursor: 'b2JzY3VyZWRjdXJzb3I',
};

/** The value as an example: short lists, no secrets, and the same ids and times whenever it was recorded. */
const tidy = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map((inner) => tidy(inner));
  if (isSchema(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, tidy(inner, key)]));
  if (value === 0 && /At$|^since$/.test(name)) return day - 30 * 24 * hour;
  if (typeof value === 'number' && value > 1_600_000_000_000 && value < 4_000_000_000_000)
    return day + Math.round((value - Date.now()) / hour) * hour;
  if (typeof value !== 'string') return value;
  const secret = secrets[name];
  if (secret !== undefined)
    return value.startsWith('capp_') || value.startsWith('cper_') ? secret.replace('cagt_', value.slice(0, 5)) : secret;
  if (name === 'baseUrl') return 'http://127.0.0.1:3000/api/env/demo';
  return value.replace(/\b([a-z]{3})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g, '$1_01jd0000000000000000000000').slice(0, 200);
};

const sizeOf = (value: unknown): number => JSON.stringify(value).length;
/** How much an example shows for its length. */
const worth = (value: unknown): number =>
  Array.isArray(value) && value.length === 0
    ? -Infinity
    : isSchema(value)
      ? Object.values(value).filter((inner) => inner !== null).length * 60 - sizeOf(value)
      : -sizeOf(value);

/** Takes examples from answers. */
export class ExampleRecorder {
  readonly #sampler: Sampler;
  readonly #components: Readonly<Record<string, Schema>>;
  readonly #recorded: Recorded = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
  readonly #ajv = new Ajv2020({ strict: false });
  /** The components that had an example before; the others take the best that comes. */
  readonly #settled: ReadonlySet<string>;

  constructor(components: Readonly<Record<string, Schema>>) {
    addFormats.default(this.#ajv);
    this.#components = components;
    this.#sampler = new Sampler(components);
    this.#ajv.addSchema({ $id: 'doc', components: { schemas: components } });
    const { schemas } = this.#recorded;
    for (const [name, value] of Object.entries(schemas))
      if (!(name in components) || !this.#fits({ $ref: `#/components/schemas/${name}` }, value))
        Reflect.deleteProperty(schemas, name);
    this.#settled = new Set(Object.keys(schemas));
  }

  #fits(schema: Schema, value: unknown): boolean {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"doc#/components');
    return this.#ajv.validate(JSON.parse(text) as Schema, value);
  }

  #needsExample(name: string): boolean {
    const { examples: _, ...bare } = this.#components[name] ?? {};
    return this.#sampler.sample(bare) === undefined;
  }

  /** Looks through an answer for the components that its schema names. */
  #walk(schema: Schema, value: unknown): void {
    if (value === undefined || value === null) return;
    if ('$ref' in schema) {
      const name = nameOf(schema['$ref']);
      this.#offer(name, value);
      this.#walk(this.#components[name] ?? {}, value);
      return;
    }
    for (const branch of (schema['anyOf'] ?? schema['allOf'] ?? []) as Schema[])
      if (this.#fits(branch, value)) this.#walk(branch, value);
    if (Array.isArray(value) && isSchema(schema['items']))
      for (const inner of value) this.#walk(schema['items'], inner);
    if (isSchema(value) && isSchema(schema['properties']))
      for (const [name, inner] of Object.entries(schema['properties'])) this.#walk(inner as Schema, value[name]);
  }

  /** Takes an object or a list for a component. A name or an id by itself says nothing: the next one of its form may be anything. */
  #offer(name: string, value: unknown): void {
    if (typeof value !== 'object' || this.#settled.has(name) || !this.#needsExample(name)) return;
    const made = tidy(value, name === 'Cursor' ? 'cursor' : '');
    const { schemas } = this.#recorded;
    if (!this.#fits({ $ref: `#/components/schemas/${name}` }, made) || worth(made) === -Infinity) return;
    if (!(name in schemas) || worth(made) > worth(schemas[name])) schemas[name] = made;
  }

  /** Takes what is missing from an answer of an operation. */
  see(operation: string, status: number, schema: Schema, body: unknown): void {
    this.#walk(schema, body);
    const known = this.#recorded.answers[operation]?.[String(status)];
    if (known !== undefined && this.#fits(schema, known)) return;
    const made = tidy(body);
    if (this.#fits(schema, made)) (this.#recorded.answers[operation] ??= {})[String(status)] = made;
  }

  /** Writes the file: a line for each example, without those that the components make. */
  write(
    operations: readonly { readonly id: string; readonly answers: readonly { status: string; schema: Schema }[] }[],
  ): void {
    const { schemas, answers } = this.#recorded;
    const sampler = new Sampler(
      Object.fromEntries(
        Object.entries(this.#components).map(([name, schema]) => [
          name,
          name in schemas ? { ...schema, examples: [schemas[name]] } : schema,
        ]),
      ),
    );
    const line = (key: string, value: unknown): string => `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    const named = Object.keys(schemas)
      .filter((name) => {
        const { examples: _, ...bare } = this.#components[name] ?? {};
        return name in this.#components && sampler.sample(bare) === undefined;
      })
      .sort()
      .map((name) => line(name, schemas[name]));
    const own = operations.flatMap((operation) => {
      const kept = operation.answers.filter(
        ({ status, schema }) => answers[operation.id]?.[status] !== undefined && sampler.sample(schema) === undefined,
      );
      const byStatus = Object.fromEntries(kept.map(({ status }) => [status, answers[operation.id]?.[status]]));
      return kept.length === 0 ? [] : [line(operation.id, byStatus)];
    });
    writeFileSync(
      file,
      `{\n  "schemas": {\n    ${named.join(',\n    ')}\n  },\n  "answers": {\n    ${own.join(',\n    ')}\n  }\n}\n`,
    );
  }
}
