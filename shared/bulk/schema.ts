/** The schemas of bulks. A request is checked by the schema of the operation that it names. Used by the endpoints. */
import { type JsonItemQuery, checkItemQueryJson, itemQueryJsonSchema } from '../app/manifest/itemQuery.ts';
import { invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { bulkOutcomes, bulkStatuses } from '../catalogue/states/bulks.ts';
import { recordReference } from '../items/links.ts';
import type { RecordRef } from '../items/model.ts';
import { bulkOperations } from '../items/operations/bulkOperations.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import {
  actorSchema,
  idSchema,
  lookupIdSchema,
  nameSchema,
  nextCursorSchema,
  nullable,
  responseObject,
  strictObject,
  Type,
  type TSchema,
} from '../platform/json/schema.ts';
import { compileCheck, withPathPrefix } from '../platform/json/validate.ts';

/** The operation of a bulk as it is stored and returned: `type` and the members of that type. */
export type BulkOperationBody = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface BulkActionBody extends BulkOperationBody {
  readonly action: string;
  readonly input?: object;
  readonly confirmed?: boolean;
  /** The resource of the records that the bulk names; absent: it names items. */
  readonly records?: string;
}

export interface BulkRequest {
  /** Without duplicates, in the order in which they were first named; null: by query, or of records. */
  readonly ids: readonly string[] | null;
  /** Records that an action is run on, without duplicates; null: it is run on items. */
  readonly refs: readonly RecordRef[] | null;
  readonly query: JsonItemQuery;
  /** How many items the caller saw; null: they don't say. */
  readonly expect: number | null;
  readonly operation: BulkOperationBody;
  readonly dryRun: boolean;
}

const action = strictObject({
  type: Type.Literal('action'),
  action: nameSchema('The action, run on each item’s record.'),
  input: Type.Optional(Type.Object({}, { description: 'Its input, the same for each.' })),
  confirmed: Type.Optional(Type.Boolean({ description: 'Must be true where there is a danger level.' })),
});

const ids = Type.Array(lookupIdSchema('An item’s id.'), {
  minItems: 1,
  maxItems: limits.bulkIds,
  description: 'The items; duplicates count once.',
});
const refs = Type.Array(recordReference('A record.'), {
  minItems: 1,
  maxItems: limits.bulkRefs,
  description: 'Records in place of items, of an action alone; duplicates count once.',
});
const query = Type.Optional(itemQueryJsonSchema);
const expect = Type.Optional(
  Type.Integer({
    minimum: 0,
    description: 'How many you saw; 5 percent off is a conflict.',
  }),
);
const dryRun = Type.Optional(Type.Boolean({ description: 'true: only say what would happen.' }));

/** The schema in documents and generated clients; `parseBulkRequest` checks the same, with the problems of the named operation alone. */
export const bulkBody = strictObject({
  ids: Type.Optional(ids),
  query,
  refs: Type.Optional(refs),
  expect,
  operation: Type.Union(
    [
      ...[...bulkOperations].map(([type, { schema }]): TSchema =>
        strictObject({ type: Type.Literal(type), ...schema.properties }),
      ),
      action,
    ],
    { description: 'What to do, as in the call for one item.' },
  ),
  dryRun,
});

const types = [...bulkOperations.keys(), 'action'];
const envelope = compileCheck(
  strictObject({
    ids: Type.Optional(ids),
    query: Type.Optional(Type.Object({})),
    refs: Type.Optional(refs),
    expect,
    operation: Type.Object({ type: Type.Union(types.map((type) => Type.Literal(type))) }),
    dryRun,
  }),
);
const checkAction = compileCheck(action, 'operation.');

const checkOperation = (operation: BulkOperationBody, at: number): BulkOperationBody => {
  const { type, ...members } = operation;
  const known = bulkOperations.get(type);
  if (known === undefined) return checkAction(operation);
  return { type, ...withPathPrefix('operation', () => known.check(members, at)) };
};

/** Throws `invalid` for too many ids, before each id is checked: the checks of half a million would block the process. */
const requireIdLimit = (body: unknown): void => {
  for (const [name, most] of [
    ['ids', limits.bulkIds],
    ['refs', limits.bulkRefs],
  ] as const) {
    const given = isObject(body) ? body[name] : undefined;
    if (Array.isArray(given) && given.length > most) throw invalidAt(name, `must name at most ${String(most)}`);
  }
};

/** What names the items or records of a bulk. */
const sources = ['ids', 'query', 'refs'] as const;

/** Throws `invalid` unless the items are named either by their ids or by a query, or the records of an action by references. */
const requireOneSource = (given: Readonly<Record<string, unknown>>, { type }: BulkOperationBody): void => {
  const [first, second] = sources.filter((name) => given[name] !== undefined);
  if (first === undefined) throw invalidAt('ids', 'is required, or query or refs is');
  if (second !== undefined) throw invalidAt(second, `can’t be given together with ${first}`);
  if (first !== 'query' && given['expect'] !== undefined) throw invalidAt('expect', 'is taken with query only');
  if (first === 'refs' && type !== 'action') throw invalidAt('refs', 'is taken with an action only');
};

/** Returns the request, checked. Throws `invalid` naming each offending path. */
export const parseBulkRequest = (body: unknown, at: number): BulkRequest => {
  requireIdLimit(body);
  const given = envelope(body);
  requireOneSource(given, given.operation);
  const operation = checkOperation(given.operation, at);
  return {
    ids: given.ids === undefined ? null : [...new Set(given.ids)],
    refs:
      given.refs === undefined
        ? null
        : [...new Map(given.refs.map((ref) => [JSON.stringify([ref.resource, ref.id]), ref])).values()],
    query: checkItemQueryJson(given.query ?? {}),
    expect: given.expect ?? null,
    operation,
    dryRun: given.dryRun ?? false,
  };
};

const countSchema = (description: string) => Type.Integer({ minimum: 0, description });
const nullableTimeSchema = (description: string) =>
  nullable(Type.Integer({ description: `${description} (milliseconds since 1970 UTC)` }));

export const bulkStatusSchema = Type.Union(
  bulkStatuses.map((status) => Type.Literal(status)),
  { description: 'done and cancelled are final.' },
);

export const bulkSchema = responseObject({
  id: idSchema('blk', 'Id.'),
  status: bulkStatusSchema,
  operation: Type.Object(
    { type: Type.String({ description: 'state, assign, tags, snooze, update, action or undo.' }) },
    { description: 'As asked for; of an undo: its type and the bulk undone.' },
  ),
  total: countSchema('Total.'),
  done: countSchema('How many have a result.'),
  changed: countSchema('Changed.'),
  unchanged: countSchema('How many already were as asked.'),
  failed: countSchema('How many have any other outcome.'),
  startedAt: nullableTimeSchema('When the first item was begun'),
  finishedAt: nullableTimeSchema('finishedAt'),
  by: actorSchema,
});

export const bulkListResponse = responseObject({ bulks: Type.Array(bulkSchema), cursor: nextCursorSchema });
export const bulkResponse = responseObject({ bulk: bulkSchema });
export const acceptedBulkResponse = Type.Union([
  bulkResponse,
  responseObject({
    pending: Type.Literal(true, { description: 'A person has to approve it.' }),
    approval: idSchema('apr', 'The approval.'),
    bulk: bulkSchema,
  }),
]);

export const dryRunResponse = responseObject({
  bulk: Type.Null({ description: 'There is none.' }),
  matched: countSchema('Items that you see of those named.'),
  pending: Type.Boolean({ description: 'Whether a person has to approve it first.' }),
  would: Type.Union([Type.Literal('run'), Type.Literal('pend')], {
    description: 'What the real call does: run, or wait for an approval.',
  }),
  wouldChange: countSchema('wouldChange'),
  unchanged: countSchema('Items that already are as asked.'),
  forbidden: countSchema('Items that you may not change so.'),
  notFound: countSchema('Ids that you see no item of.'),
  failed: countSchema('Failed.'),
  problems: Type.Array(
    responseObject({
      code: Type.String({ description: 'Of a single call.' }),
      message: Type.String({ description: 'For a person.' }),
      count: countSchema('Items.'),
    }),
    { description: 'Why others would not change.' },
  ),
});

export const bulkOutcomeSchema = Type.Union(
  bulkOutcomes.map((outcome) => Type.Literal(outcome)),
  { description: 'Only results with this outcome.' },
);

export const bulkResultSchema = responseObject({
  id: Type.String({ description: 'The id as it was given.' }),
  ref: Type.Optional(
    responseObject(
      {
        resource: Type.String({ description: 'The resource.' }),
        id: Type.String({ description: 'The record’s id.' }),
      },
      { description: 'The record, of a bulk that names records.' },
    ),
  ),
  outcome: Type.Union(
    bulkOutcomes.map((outcome) => Type.Literal(outcome)),
    { description: 'What became of it.' },
  ),
  error: nullable(Type.String({ description: 'Why not, for a person.' })),
  code: nullable(
    Type.String({
      description: 'The error code of a single call; of a run failed, unknown or expired; cancelled: not tried.',
    }),
  ),
});
