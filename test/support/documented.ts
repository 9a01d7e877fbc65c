/** Clients whose every response is checked against `/openapi.json`: the status is documented and the body fits its schema. */
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { getOrCreate } from '../../shared/platform/caches.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import type { Client, Reply } from './http.ts';

type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Response {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema; readonly example?: unknown } };
  /** The statuses that a `default` stands for. */
  readonly 'x-statuses'?: readonly number[];
}

interface RawOperation {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example: unknown } };
  };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface RawDocument {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
}

export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** Below the environment, with `{id}` for parameters. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly schema: Schema; readonly example: unknown } | null;
  readonly statuses: readonly number[];
  /** What it answers when it is called well, by status; schemas with references. */
  readonly answers: readonly Answer[];
}

interface Answer {
  readonly status: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Documents {
  readonly raw: RawDocument;
  readonly operations: readonly Operation[];
  /** Throws when `reply` does not match the document for this request. */
  check(method: string, path: string, reply: Pick<Reply, 'status' | 'body' | 'text'>): void;
  /** The client with every answer checked. */
  of(client: Client): Client;
  /** `<operation id> <status>` of everything that was checked so far. */
  readonly seen: ReadonlySet<string>;
}

/** What a JSON pointer of the document names. */
const follow = (document: unknown, ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, key) => (at as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );

/** The schema of an object, as its members tell it apart in documents, with the type that tests demand. */
const typed = (schema: Record<string, unknown>): Record<string, unknown> =>
  isObject(schema['properties']) && schema['type'] === undefined && !('name' in schema)
    ? { type: 'object', ...schema }
    : schema;

/** The value with every reference replaced by what it names. */
const inlined = (document: unknown, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((inner) => inlined(document, inner));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...rest } = value as { readonly $ref?: unknown };
  const own = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, inlined(document, inner)]));
  const { allOf = [], ...more } = own;
  const parts = typeof $ref === 'string' ? [inlined(document, follow(document, $ref))] : (allOf as unknown[]);
  return typed(Object.assign({}, ...(parts as object[]), more) as Record<string, unknown>);
};

/** A change that needs no body takes an empty one. */
const noBody = {
  required: false,
  schema: { type: 'object', properties: {}, additionalProperties: false },
  example: {},
};

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
const validators = new WeakMap<Schema, ValidateFunction>();

/** Returns the function that checks a schema, which is compiled when it is first needed. */
const validatorOf = (schema: Schema): ValidateFunction => getOrCreate(validators, schema, () => ajv.compile(schema));

interface Route {
  readonly operation: Operation;
  readonly form: RegExp;
}

/** What a document says, in a form in which an answer is looked up. */
interface Reading {
  readonly operations: readonly Operation[];
  readonly routes: readonly Route[];
  /** The schema of the answer by `<operation id> <status>`; null: it has no body. */
  readonly answers: ReadonlyMap<string, Schema | null>;
}

/** Readings by the text of the paths and components, which servers of one build have in common. */
const readings = new Map<string, Reading>();

const readRaw = (raw: RawDocument): Reading => {
  const resolved = <T extends object>(value: T | { readonly $ref: string }): T => inlined(raw, value) as T;
  const answers = new Map<string, Schema | null>();
  const operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const statuses = new Set<number>();
      for (const [named, response] of Object.entries(operation.responses)) {
        const { content, 'x-statuses': several = [Number(named)] } = resolved<Response>(response);
        const schema = content?.['application/json']?.schema ?? null;
        for (const status of several) {
          const key = `${operation.operationId} ${String(status)}`;
          if (named !== 'default' || !answers.has(key)) answers.set(key, schema);
          statuses.add(status);
        }
      }
      const { requestBody, parameters = [] } = operation;
      const body = requestBody === undefined ? undefined : resolved(requestBody);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: parameters.map((parameter) => resolved<Parameter>(parameter)),
        body:
          body !== undefined
            ? { required: body.required ?? false, ...body.content['application/json'] }
            : method === 'get'
              ? null
              : noBody,
        statuses: [...statuses],
        answers: Object.entries(operation.responses).flatMap(([status, response]) => {
          const named = '$ref' in response ? (follow(raw, response.$ref) as Response) : response;
          const answer = named.content?.['application/json'];
          return status === 'default' || Number(status) >= 400 || answer === undefined ? [] : [{ status, ...answer }];
        }),
      };
    }),
  );
  const routes = operations.map((operation) => ({
    operation,
    form: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return { operations, routes, answers };
};

export const readDocuments = async (base: string): Promise<Documents> => {
  const response = await fetch(new URL('/openapi.json', base));
  const raw = (await response.json()) as RawDocument;
  const reading = getOrCreate(readings, JSON.stringify([raw.paths, raw.components]), () => readRaw(raw));
  const { operations, routes, answers } = reading;
  const seen = new Set<string>();

  const check: Documents['check'] = (method, path, { status, body, text }) => {
    const [plain = ''] = path.split('?', 1);
    const fits = routes.filter(({ form }) => form.test(plain));
    const operation = fits.find((route) => route.operation.method === method)?.operation;
    const named = `${method} ${path.slice(0, 200)} answered ${String(status)} ${text.slice(0, 500)}`;
    if (operation === undefined) {
      const expected = fits.length === 0 ? [401, 403, 404, 429] : [401, 403, 405, 429];
      if (!expected.includes(status)) throw new Error(`${named}, but the document has no such operation.`);
      return;
    }
    const key = `${operation.id} ${String(status)}`;
    const schema = answers.get(key);
    if (schema === undefined) throw new Error(`${named}: this status is not documented for ${operation.id}.`);
    // With `fields` an answer has members less than its schema demands.
    const isWhole = status !== 200 || !/[?&]fields=/.test(path);
    const validate = isWhole && schema !== null ? validatorOf(schema) : null;
    if (validate !== null && !validate(body)) throw new Error(`${named}: ${ajv.errorsText(validate.errors)}`);
    seen.add(key);
  };

  const of = (client: Client): Client => {
    const call: Client['call'] = async (method, path, body, options) => {
      const reply = await client.call(method, path, body, options);
      check(method, path, reply);
      return reply;
    };
    return {
      ...client,
      call,
      get: (path, options) => call('GET', path, undefined, options),
      post: (path, body, options) => call('POST', path, body, options),
    };
  };

  return { raw, operations, check, of, seen };
};
