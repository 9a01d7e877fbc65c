/** Tools as rows: each names an endpoint, whose schemas say what the tool takes and whose row serves the call. */
import { Type, closed, type TObject, type TSchema } from '../../shared/platform/core/schema.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { compile } from '../../shared/platform/core/validate.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import type { Answer } from '../answer.ts';
import { served } from './serve.ts';
import { shownSchema } from './shownSchema.ts';
import type { Right } from './rights.ts';

/** What clients may tell people before a tool is called. */
export interface Hints {
  readonly readOnlyHint: boolean;
  /** Whether it can take away what was there, rather than only add. */
  readonly destructiveHint?: boolean;
  /** Whether a repeat changes nothing more. */
  readonly idempotentHint?: boolean;
  /** Whether something outside of the console learns of it. */
  readonly openWorldHint: boolean;
}

export interface Tool {
  readonly name: string;
  /** Whether the caller is told of it. */
  readonly listed: Right;
  /** As `tools/list` shows it, in JSON. */
  readonly text: string;
  /** Throws the fault of the endpoint. */
  serve(call: Call, given: Readonly<Record<string, unknown>>): Promise<Answer>;
  /** Where in the arguments stands what the endpoint calls so. */
  place(path: string): string;
}

export interface ToolRow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoint: Endpoint;
  readonly listed: Right;
  /** What the parameters of the endpoint's path are. */
  readonly params?: Readonly<Record<string, string>>;
  /** Query parameters that hold a JSON object: a tool takes the object itself. */
  readonly objects?: readonly string[];
  readonly hints?: Partial<Hints>;
}

type Members = Readonly<Record<string, unknown>>;

export const idempotencyKey = Type.Optional(Type.String({
  pattern: `^(?=.*\\S)[ -~]{1,${String(limits.idempotencyKeyMax)}}$`,
  description: 'A text of your own for this change: the same call with the same key is done once, and answers the same again, for 24 hours.',
}));

const version = Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999_999_999, description: 'The version that you saw: if it has changed since, nothing is done (version_conflict).' }));

const namesIn = (path: string): string[] => [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => name);

const pick = (from: Members, names: readonly string[]): Record<string, unknown> => Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]));

const without = (from: Members, names: Members): Record<string, unknown> => Object.fromEntries(Object.entries(from).filter(([name]) => !Object.hasOwn(names, name)));

/** Headers of a change that are arguments of a tool. */
export const changeHeaders = ({ idempotencyKey: key, version: seen }: { readonly idempotencyKey?: string; readonly version?: number }): Record<string, string> => ({
  ...(key === undefined ? {} : { 'idempotency-key': key }),
  ...(seen === undefined ? {} : { 'if-match': `"${String(seen)}"` }),
});

interface Known extends Members {
  readonly idempotencyKey?: string;
  readonly version?: number;
}

const itself = (path: string): string => path;

/** What of the arguments is the tool's own, and not a member of the endpoint's query or body. */
const ownOf = ({ endpoint, params = {}, objects = [] }: ToolRow): { path: TObject; rest: TObject } => ({
  path: closed(Object.fromEntries(namesIn(endpoint.path).map((name) => [name, Type.String({ minLength: 1, description: params[name] ?? '' })]))),
  rest: closed({
    ...Object.fromEntries(objects.map((name): [string, TSchema] => [name, Type.Optional(Type.Object({}, { description: (endpoint.query?.properties[name] as { description?: string } | undefined)?.description ?? '' }))])),
    ...(endpoint.conditional ? { version } : {}),
    ...(endpoint.write && endpoint.once ? { idempotencyKey } : {}),
  }),
});

export const tool = (row: ToolRow): Tool => {
  const { endpoint, name, title, description, listed, hints, objects = [] } = row;
  const own = ownOf(row);
  const all = closed({ ...own.path.properties, ...own.rest.properties });
  const checkOwn = compile(all) as (given: unknown) => Known;
  const asked = (endpoint.query ?? endpoint.body) as TObject;
  const askedNames = Object.keys(asked.properties);
  const inputSchema = {
    type: 'object',
    properties: { ...own.path.properties, ...without(asked.properties, own.rest.properties), ...own.rest.properties },
    required: [...(own.path.required ?? []), ...(asked.required ?? [])],
    additionalProperties: false,
  };
  const annotations: Hints = { readOnlyHint: !endpoint.write, openWorldHint: false, ...(endpoint.write ? { destructiveHint: false, idempotentHint: false } : {}), ...hints };
  const serve = served(endpoint);
  return {
    name,
    listed,
    text: JSON.stringify({ name, title, description, inputSchema: shownSchema(inputSchema), annotations: { title, ...annotations } }),
    place: itself,
    serve: (call, given) => {
      const known = checkOwn(pick(given, Object.keys(all.properties)));
      const params = pick(known, Object.keys(own.path.properties)) as Record<string, string>;
      const others = without(given, all.properties);
      const values = { ...pick(others, askedNames), ...without(others, asked.properties) };
      const texts = Object.fromEntries(Object.entries(pick(known, objects)).map(([key, value]) => [key, JSON.stringify(value)]));
      return serve(call, { params, values: { ...values, ...texts }, headers: changeHeaders(known) });
    },
  };
};
