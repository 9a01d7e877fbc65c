/** Makes tools from rows: each row names an endpoint, which gives the tool its input schema and serves its calls. */
import { limits } from '../../shared/catalogue/limits.ts';
import { strictObject, Type, type TObject, type TSchema } from '../../shared/platform/core/schema.ts';
import { compileCheck } from '../../shared/platform/core/validate.ts';
import type { Endpoint, EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import type { CallerPredicate } from './rights.ts';
import { serveEndpoint } from './serveEndpoint.ts';
import { simplifySchema } from './simplifySchema.ts';

/** The annotations that clients may show to people before they call a tool. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  /** Whether it can remove or overwrite something. */
  readonly destructiveHint?: boolean;
  /** Whether a second call with the same arguments changes nothing. */
  readonly idempotentHint?: boolean;
  /** Whether it has an effect outside of the console. */
  readonly openWorldHint: boolean;
}

export interface Tool {
  readonly name: string;
  /** Whether `tools/list` has it for the caller. */
  readonly isListed: CallerPredicate;
  /** Its entry in `tools/list`, as JSON. */
  readonly text: string;
  /** Calls the tool. Throws the faults of the endpoint. */
  serve(call: EndpointCall, given: Readonly<Record<string, unknown>>): Promise<ApiResponse>;
  /** Returns the path among the tool's arguments of a path of the endpoint. */
  argumentPath(path: string): string;
}

interface ToolRow {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly endpoint: Endpoint;
  readonly isListed: CallerPredicate;
  /** The schemas of the parameters of the endpoint's path. */
  readonly params?: Readonly<Record<string, string>>;
  /** Query parameters with a JSON object as text, which the tool takes as an object. */
  readonly objects?: readonly string[];
  /** Arguments that the endpoint does not have over HTTP, which its handler gets as `ofTool`. */
  readonly own?: Readonly<Record<string, TSchema>>;
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

/** Returns the headers of a change that a tool takes as arguments. */
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

/** Returns the schemas of the arguments that are not members of the endpoint's query or body. */
const toolOwnArguments = ({
  endpoint,
  params = {},
  objects = [],
  own = {},
}: ToolRow): { path: TObject; rest: TObject } => {
  const queryProperties: Readonly<Record<string, { readonly description?: string }>> = endpoint.query?.properties ?? {};
  return {
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
                description: queryProperties[name]?.description ?? '',
              },
            ),
          ),
        ]),
      ),
      ...own,
      ...(endpoint.conditional ? { version } : {}),
      ...(endpoint.write && endpoint.acceptsIdempotencyKey ? { idempotencyKey } : {}),
    }),
  };
};

export const createTool = (row: ToolRow): Tool => {
  const { endpoint, name, title, description, isListed: listed, hints, objects = [] } = row;
  const own = toolOwnArguments(row);
  const all = strictObject({ ...own.path.properties, ...own.rest.properties });
  const checkOwn = compileCheck(all) as (given: unknown) => ToolArguments;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the body of an endpoint with a tool is an object
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
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `checkOwn` has checked that they are texts
      const params = pickMembers(known, Object.keys(own.path.properties)) as Record<string, string>;
      const others = omitMembers(given, all.properties);
      const values = { ...pickMembers(others, askedNames), ...omitMembers(others, asked.properties) };
      const texts = Object.fromEntries(
        Object.entries(pickMembers(known, objects)).map(([key, value]) => [key, JSON.stringify(value)]),
      );
      return serve(call, {
        params,
        values: { ...values, ...texts },
        headers: changeHeaders(known),
        own: pickMembers(known, Object.keys(row.own ?? {})),
      });
    },
  };
};
