/** Clients whose every response is checked against `/openapi.json`: the status is documented and the body fits its schema. */
import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
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
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema } };
}

interface RawOperation {
  readonly operationId: string;
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: { readonly 'application/json': { readonly schema: Schema; readonly example: unknown } };
  };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface RawDocument {
  readonly openapi: string;
  readonly info: { readonly version: string };
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

const environmentPath = '/api/env/{environment}';

/** What a JSON pointer of the document names. */
const follow = (document: unknown, ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, key) => (at as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );

export const readDocuments = async (base: string): Promise<Documents> => {
  const response = await fetch(new URL('/openapi.json', base));
  const raw = (await response.json()) as RawDocument;
  const resolved = <T extends object>(value: T | { readonly $ref: string }): T =>
    '$ref' in value ? (follow(raw, value.$ref) as T) : value;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const checks = new Map<string, ValidateFunction | null>();
  const seen = new Set<string>();

  const operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      for (const [status, response] of Object.entries(operation.responses)) {
        const schema = resolved<Response>(response).content?.['application/json']?.schema;
        checks.set(
          `${operation.operationId} ${status}`,
          schema === undefined ? null : ajv.compile(resolved<Schema>(schema)),
        );
      }
      const body = operation.requestBody;
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path: path.slice(environmentPath.length),
        parameters: operation.parameters
          .map((parameter) => resolved<Parameter>(parameter))
          .filter((parameter) => parameter.name !== 'environment'),
        body: body === undefined ? null : { required: body.required, ...body.content['application/json'] },
        statuses: Object.keys(operation.responses).map(Number),
      };
    }),
  );
  const routes = operations.map((operation) => ({
    operation,
    form: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }));

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
    const validate = checks.get(key);
    if (validate === undefined) throw new Error(`${named}: this status is not documented for ${operation.id}.`);
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
