/** Tools as rows: each names an endpoint, whose schemas say what the tool takes and whose row serves the call. */
import { Type, strictObject, type TObject, type TSchema } from '../../shared/platform/core/schema.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { compileCheck } from '../../shared/platform/core/validate.ts';
import type { EndpointCall, Endpoint } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { serveEndpoint } from './serveEndpoint.ts';
import { simplifySchema } from './simplifySchema.ts';
import type { CallerPredicate } from './rights.ts';

/** What clients may tell people before a tool is called. */
export interface ToolHints {
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
  readonly isListed: CallerPredicate;
  /** As `tools/list` shows it, in JSON. */
  readonly text: string;
  /** Throws the fault of the endpoint. */
  serve(call: EndpointCall, given: Readonly<Record<string, unknown>>): Promise<ApiResponse>;
  /** Where in the arguments stands what the endpoint calls so. */
  argumentPath(path: string): string;
}

interface ToolRow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoint: Endpoint;
  readonly isListed: CallerPredicate;
  /** What the parameters of the endpoint's path are. */
  readonly params?: Readonly<Record<string, string>>;
  /** Query parameters that hold a JSON object: a tool takes the object itself. */
  readonly objects?: readonly string[];
  readonly hints?: Partial<ToolHints>;
}

type Members = Readonly<Record<string, unknown>>;

export const idempotencyKey = Type.Optional(
  Type.String({
    pattern: `^(?=.*\\S)[ -~]{1,${String(limits.idempotencyKeyMax)}}$`,
    description:
      'A text of your own for this change: the same call with the same key is done once, and answers the same again, for 24 hours.',
  }),
);

const version = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 999_999_999_999_999,
    description: 'The version that you saw: if it has changed since, nothing is done (version_conflict).',
  }),
);

const namesIn = (path: string): string[] => [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => name);

const pickMembers = (from: Members, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]));

const omitMembers = (from: Members, names: Members): Record<string, unknown> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !Object.hasOwn(names, name)));

/** Headers of a change that are arguments of a tool. */
export const changeHeaders = ({
  idempotencyKey: key,
  version: seen,
}: {
  readonly idempotencyKey?: string;
  readonly version?: number;
}): Record<string, string> => ({
  ...(key === undefined ? {} : { 'idempotency-key': key }),
  ...(seen === undefined ? {} : { 'if-match': `"${String(seen)}"` }),
});

interface ToolArguments extends Members {
  readonly idempotencyKey?: string;
  readonly version?: number;
}

const samePath = (path: string): string => path;

/** What of the arguments is the tool's own, and not a member of the endpoint's query or body. */
const toolOwnArguments = ({ endpoint, params = {}, objects = [] }: ToolRow): { path: TObject; rest: TObject } => ({
  path: strictObject(
    Object.fromEntries(
      namesIn(endpoint.path).map((name) => [name, Type.String({ minLength: 1, description: params[name] ?? '' })]),
    ),
  ),
  rest: strictObject({
    ...Object.fromEntries(
      objects.map((name): [string, TSchema] => [
        name,
        Type.Optional(
          Type.Object(
            {},
            {
              description:
                (endpoint.query?.properties[name] as { description?: string } | undefined)?.description ?? '',
            },
          ),
        ),
      ]),
    ),
    ...(endpoint.conditional ? { version } : {}),
    ...(endpoint.write && endpoint.acceptsIdempotencyKey ? { idempotencyKey } : {}),
  }),
});

export const createTool = (row: ToolRow): Tool => {
  const { endpoint, name, title, description, isListed: listed, hints, objects = [] } = row;
  const own = toolOwnArguments(row);
  const all = strictObject({ ...own.path.properties, ...own.rest.properties });
  const checkOwn = compileCheck(all) as (given: unknown) => ToolArguments;
  const asked = (endpoint.query ?? endpoint.body) as TObject;
  const askedNames = Object.keys(asked.properties);
  const inputSchema = {
    type: 'object',
    properties: {
      ...own.path.properties,
      ...omitMembers(asked.properties, own.rest.properties),
      ...own.rest.properties,
    },
    required: [...(own.path.required ?? []), ...(asked.required ?? [])],
    additionalProperties: false,
  };
  const annotations: ToolHints = {
    readOnlyHint: !endpoint.write,
    openWorldHint: false,
    ...(endpoint.write ? { destructiveHint: false, idempotentHint: false } : {}),
    ...hints,
  };
  const serve = serveEndpoint(endpoint);
  return {
    name,
    isListed: listed,
    text: JSON.stringify({
      name,
      title,
      description,
      inputSchema: simplifySchema(inputSchema),
      annotations: { title, ...annotations },
    }),
    argumentPath: samePath,
    serve: (call, given) => {
      const known = checkOwn(pickMembers(given, Object.keys(all.properties)));
      const params = pickMembers(known, Object.keys(own.path.properties)) as Record<string, string>;
      const others = omitMembers(given, all.properties);
      const values = { ...pickMembers(others, askedNames), ...omitMembers(others, asked.properties) };
      const texts = Object.fromEntries(
        Object.entries(pickMembers(known, objects)).map(([key, value]) => [key, JSON.stringify(value)]),
      );
      return serve(call, { params, values: { ...values, ...texts }, headers: changeHeaders(known) });
    },
  };
};
