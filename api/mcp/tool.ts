/** Makes tools from rows: each row names an endpoint, which gives the tool its input schema and serves its calls. */
import { limits } from '../../shared/catalogue/limits.ts';
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import { strictObject, Type, type TObject, type TSchema } from '../../shared/platform/json/schema.ts';
import { compileCheck } from '../../shared/platform/json/validate.ts';
import type { Endpoint, EndpointCall } from '../endpoint.ts';
import type { ApiResponse } from '../http/apiResponse.ts';
import { findProjection } from '../projection.ts';
import type { Compactor } from './answers/compact.ts';
import { entryReceipt, itemReceipt } from './answers/kinds.ts';
import type { PagedTool } from './answers/page.ts';
import type { Schema } from './arguments/coerce.ts';
import { withCandidates, resolveNames } from './arguments/names.ts';
import { resolvePeople } from './arguments/people.ts';
import { confirmDryRun, readValues, requireKnownArguments } from './arguments/readValues.ts';
import { doAlone } from './repeatedCalls.ts';
import type { CallerPredicate } from './rights.ts';
import { serveEndpoint } from './serveEndpoint.ts';
import { outputSchemaOf, simplifySchema } from './simplifySchema.ts';

/** The annotations that clients may show to people before they call a tool. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  /** Whether it can remove or overwrite something. */
  readonly destructiveHint?: boolean;
  /** Whether a second call with the same arguments changes nothing. */
  readonly idempotentHint?: boolean;
  /** Whether it has an effect outside of the console; clients suppose so when it is absent. */
  readonly openWorldHint?: boolean;
}

/** A tool as `tools/list` shows it. */
interface ToolEntry {
  readonly name: string;
  /** The label of an action; other names speak for themselves. */
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema: object;
  readonly annotations: ToolHints;
}

export interface Tool {
  readonly name: string;
  /** Whether `tools/list` has it for the caller. */
  readonly isListed: CallerPredicate;
  /** Its entry in `tools/list`. */
  readonly entry: ToolEntry;
  /** How its list is read page by page; null: it answers no list with a cursor. */
  readonly page: PagedTool | null;
  /** The first part of the path of its endpoint, which says what its `id` is of; null: it takes none. */
  readonly root: string | null;
  /** The member of the answer that `fields` chooses from; null: the endpoint does not take `fields`. */
  readonly projected: string | null;
  /** The compact forms of members that it shows in a way of its own. */
  readonly kinds: Readonly<Record<string, Compactor>>;
  /** Calls the tool, with durations that count from `now`. Throws the faults of the endpoint. */
  serve(call: EndpointCall, given: Members, now: number): Promise<ApiResponse>;
  /** Returns the path among the tool's arguments, as they were given, of a path of the endpoint. */
  argumentPath(path: string, given: Members): string;
}

interface ToolRow {
  readonly name: string;
  readonly description: string;
  readonly endpoint: Endpoint;
  readonly isListed: CallerPredicate;
  /** Query parameters with a JSON object as text, which the tool takes as an object. */
  readonly objects?: readonly string[];
  /** Names of arguments for models in place of those of the endpoint’s query, by the former. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Arguments that the endpoint does not have over HTTP, which its handler gets as `ofTool`. */
  readonly own?: Readonly<Record<string, TSchema>>;
  /** Descriptions for models in place of the schema's; an empty one where the name says it all. */
  readonly say?: Readonly<Record<string, string>>;
  /** Schemas for models in place of those of the endpoint, which are longer and hold all the same. */
  readonly schemas?: Readonly<Record<string, Schema>>;
  /** Arguments that the list leaves out. */
  readonly hidden?: readonly string[];
  readonly hints?: Partial<ToolHints>;
  readonly kinds?: Readonly<Record<string, Compactor>>;
  /** Returns the arguments as the endpoint takes them, of what only tools take. Throws `400 invalid`. */
  readonly prepare?: (call: EndpointCall, given: Members, now: number) => Members | Promise<Members>;
  /** Throws `conflict` where the caller had the same done a short time ago. Called without an idempotency key alone, and for no dry run. */
  readonly requireNew?: (call: EndpointCall, given: Members) => Promise<void>;
  /** Returns the path among the arguments of a path that `prepare` has made; by default the same. */
  readonly givenPath?: (path: string, given: Members) => string;
  /** Whether the rest of a list may be read to count it; by default yes. false: the list has no pages, though an answer may be incomplete. */
  readonly canLookAhead?: PagedTool['canLookAhead'] | false;
}

type Members = Readonly<Record<string, unknown>>;

export const idempotencyKey = Type.Optional(
  Type.String({ pattern: `^(?=.*\\S)[ -~]{1,${String(limits.idempotencyKeyMax)}}$` }),
);

const version = Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999_999_999 }));

/** Arguments whose names say what they are, or that the instructions of the server explain. */
const plainNames = new Set(['id', 'cursor', 'limit', 'confirmed', 'dryRun', 'reason']);

/** Arguments that reads take, as the instructions say, and what a page’s `more` is made of. */
const unlisted = new Set(['fields', 'count']);

const namesIn = (path: string): string[] => [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name = '']) => name);

const pickMembers = (from: Members, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]));

const omitMembers = (from: Members, names: Members): Record<string, unknown> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !Object.hasOwn(names, name)));

/** Returns the headers of a change that a tool takes as arguments. */
export const toChangeHeaders = ({
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

/** Returns the schemas of the arguments that are not members of the endpoint's query or body. */
const toolOwnArguments = ({ endpoint, objects = [], own = {} }: ToolRow): { path: TObject; rest: TObject } => {
  const objectArguments = objects.map((name): [string, TSchema] => [name, Type.Optional(Type.Object({}))]);
  return {
    path: strictObject(Object.fromEntries(namesIn(endpoint.path).map((name) => [name, Type.String({ minLength: 1 })]))),
    rest: strictObject({
      ...Object.fromEntries(objectArguments),
      ...own,
      ...(endpoint.conditional ? { version } : {}),
      ...(endpoint.write && endpoint.idempotencyKey === 'accepted' ? { idempotencyKey } : {}),
    }),
  };
};

/** Compact forms in the answers of changes, unless the tool has its own. */
const receiptKinds = { item: itemReceipt, entry: entryReceipt, entries: entryReceipt };

/** How many elements follow a page. */
const moreSchema: Schema = { more: { type: 'integer' } };

const detailArgument: [string, Schema] = ['detail', { enum: ['full'] }];

/** Returns the schema that `tools/list` shows. */
const shownSchema = (
  schema: TObject,
  { say = {}, schemas = {}, hidden = [], hints }: ToolRow,
  isRead: boolean,
): object => {
  // A second call of an idempotent tool does nothing more.
  const isLeftOut = (name: string): boolean =>
    unlisted.has(name) || hidden.includes(name) || (name === 'idempotencyKey' && hints?.idempotentHint === true);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- schemas are JSON objects
  const listed = Object.entries(schema.properties as Readonly<Record<string, Schema>>).filter(
    ([name]) => !isLeftOut(name),
  );
  const shown = listed.map(([name, value]): [string, Schema] => {
    if (schemas[name] !== undefined) return [name, schemas[name]];
    if (name === 'idempotencyKey') return [name, { type: 'string' }];
    const { description, ...simple } = simplifySchema(value);
    const text = say[name] ?? (plainNames.has(name) ? '' : description);
    return [name, text === undefined || text === '' ? simple : { ...simple, description: text }];
  });
  const required: readonly string[] = schema.required ?? [];
  return {
    type: 'object',
    properties: Object.fromEntries(isRead ? [...shown, detailArgument] : shown),
    ...(required.length === 0 ? {} : { required }),
  };
};

/** Returns how the list of an endpoint with a cursor is read. */
const pageOf = ({ endpoint, canLookAhead = () => true }: ToolRow): PagedTool | null => {
  if (canLookAhead === false) return null;
  const properties = endpoint.query?.properties ?? {};
  const answer: unknown = endpoint.responses[200];
  const members = isObject(answer) && isObject(answer['properties']) ? Object.entries(answer['properties']) : [];
  const hasCursor = members.some(([name]) => name === 'cursor');
  const [list] = members.find(([, member]) => isObject(member) && member['type'] === 'array') ?? [];
  return list === undefined || !hasCursor || !Object.hasOwn(properties, 'limit')
    ? null
    : { list, counts: Object.hasOwn(properties, 'count'), canLookAhead };
};

/** The other hints say something of changes only. */
const annotationsOf = ({ endpoint: { write }, hints }: ToolRow): ToolHints =>
  (hints?.readOnlyHint ?? !write)
    ? { readOnlyHint: true }
    : { readOnlyHint: false, destructiveHint: false, idempotentHint: false, ...hints };

/** Returns the schema with the names that the tool has for some of its properties. */
const withToolNames = (schema: TObject, renamed: Readonly<Record<string, string>>): TObject => {
  const names = new Map(Object.entries(renamed).map(([ours, theirs]) => [theirs, ours]));
  const properties = Object.entries(schema.properties).map(
    ([name, value]) => [names.get(name) ?? name, value] as const,
  );
  return { ...schema, properties: Object.fromEntries(properties) };
};

/** Returns the path with the tool's name for its first member, or for what stands for all of a kind (`fields.*`); undefined: it has none. */
const renamedPath = (path: string, renamed: Readonly<Record<string, string>>): string | undefined => {
  for (const [ours, theirs] of Object.entries(renamed)) {
    if (theirs === path) return ours;
    if (path.startsWith(`${theirs}.`)) return `${ours}${path.slice(theirs.length)}`;
    const kind = theirs.endsWith('.*') ? theirs.slice(0, -1) : null;
    if (kind !== null && path.startsWith(kind)) return `${ours}.${path.slice(kind.length)}`;
  }
  return undefined;
};

export const createTool = (row: ToolRow): Tool => {
  const { endpoint, name, description, isListed, objects = [], renamed = {}, kinds } = row;
  const own = toolOwnArguments(row);
  const all = strictObject({ ...own.path.properties, ...own.rest.properties });
  const checkOwn = compileCheck(all) as (given: unknown) => ToolArguments;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the body of an endpoint with a tool is an object
  const asked = withToolNames((endpoint.query ?? endpoint.body) as TObject, renamed);
  const askedNames = Object.keys(asked.properties);
  const schema = strictObject({
    ...own.path.properties,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of the schemas of `asked`
    ...(omitMembers(asked.properties, own.rest.properties) as Record<string, TSchema>),
    ...own.rest.properties,
  });
  const page = pageOf(row);
  const serve = serveEndpoint(endpoint);
  const answer: Tool['serve'] = async (call, raw, now) => {
    const prepared = await (row.prepare?.(call, raw, now) ?? raw);
    const { given, timeless } = readValues(schema, await resolvePeople(call, prepared, !endpoint.write), now);
    requireKnownArguments(given, Object.keys(schema.properties));
    const known = checkOwn(pickMembers(given, Object.keys(all.properties)));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `checkOwn` has checked that they are texts
    const params = pickMembers(known, Object.keys(own.path.properties)) as Record<string, string>;
    const texts = Object.fromEntries(
      Object.entries(pickMembers(known, objects)).map(([key, value]) => [key, JSON.stringify(value)]),
    );
    /** The values of the query or the body, in the order of its schema. */
    const valuesOf = (read: Members): Members => {
      const others = omitMembers(read, all.properties);
      const values = { ...pickMembers(others, askedNames), ...omitMembers(others, asked.properties), ...texts };
      return Object.fromEntries(
        Object.entries(confirmDryRun(values, 'confirmed' in asked.properties)).map(([key, value]) => [
          renamed[key] ?? key,
          value,
        ]),
      );
    };
    const response = serve(call, {
      params,
      values: valuesOf(given),
      ...(endpoint.write ? { fingerprinted: valuesOf(timeless()) } : {}),
      headers: toChangeHeaders(known),
      own: pickMembers(known, Object.keys(row.own ?? {})),
    });
    return endpoint.write && 'assignee' in given
      ? withCandidates(call, { id: given['id'], wanted: raw['assignee'] }, response)
      : response;
  };
  return {
    name,
    isListed,
    entry: {
      name,
      description,
      inputSchema: shownSchema(schema, row, !endpoint.write),
      outputSchema: outputSchemaOf(endpoint.responses, page === null ? {} : moreSchema),
      annotations: annotationsOf(row),
    },
    page,
    root: endpoint.path.includes('/:id') ? (endpoint.path.split('/')[1] ?? null) : null,
    projected: askedNames.includes('fields')
      ? (findProjection(endpoint.responses[200], endpoint.path)?.member ?? null)
      : null,
    kinds: kinds ?? (endpoint.write ? receiptKinds : {}),
    argumentPath: (path, given) => renamedPath(path, renamed) ?? row.givenPath?.(path, given) ?? path,
    serve: (call, written, now) => {
      const { requireNew } = row;
      const raw = resolveNames(call.caller, written);
      if (requireNew === undefined || (raw['idempotencyKey'] ?? null) !== null || raw['dryRun'] === true)
        return answer(call, raw, now);
      return doAlone(call, [name, omitMembers(raw, { reason: null })], async () => {
        await requireNew(call, raw);
        return answer(call, raw, now);
      });
    },
  };
};
