/** Builds the page of a record: its blocks, items, history and available actions. For GET /resources/:resource/:id. */
import type { Caller } from '../../accounts/access/principal.ts';
import { errorBlockFor, requireAnswer } from '../../app/blocks/appAnswers.ts';
import { renderBlocks } from '../../app/blocks/renderBlocks.ts';
import { validateBlocks } from '../../app/blocks/validateBlocks.ts';
import { linkLimits, rpcCodes, type Block } from '../../app/link/protocol.ts';
import { fault } from '../../catalogue/errors.ts';
import { visibleInboxes } from '../../items/filters/filters.ts';
import { type RecordRef, itemColumns } from '../../items/model.ts';
import { itemRowJson } from '../../items/present.ts';
import { presentBlocks } from '../../items/presentBlocks.ts';
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, queryTextRows, statement } from '../../platform/db/sql.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import type { FullRecord } from '../../records/queries.ts';
import { getRecord, requireVisibleResource } from '../../records/read.ts';
import { readAvailableActions, type AvailableAction } from '../available.ts';
import type { ViewDeps } from '../deps.ts';
import { readRecordHistory, type RecordHistory } from './history.ts';

/** `links <> '[]'` repeats the condition of the partial index. */
const linkedItemsFrom = `
  select id, last_seen from (
    (select i.id, i.last_seen from items i
      where i.env = $1 and i.record_resource = $2 and i.record_id = $3 and i.inbox = any ($4) order by i.last_seen desc, i.id desc limit $6)
    union
    (select i.id, i.last_seen from items i
      where i.links @> $5::jsonb and i.links <> '[]' and (i.env = $1) is true and (i.inbox = any ($4)) is true order by i.last_seen desc, i.id desc limit $6)
  ) x order by last_seen desc, id desc limit $6`;
const linkedIdsSql = statement('records.linkedIds', `select id from (${linkedItemsFrom}) i`);
const linkedItemsSql = statement(
  'records.linkedItems',
  `
  select ${itemColumns} from (${linkedItemsFrom}) x join items i on i.env = $1 and i.id = x.id order by i.last_seen desc, i.id desc`,
);

const valuesOf = (caller: Caller, { resource, id }: RecordRef, limit: number): Parameters<typeof queryRows>[2] => [
  caller.env.id,
  resource,
  id,
  visibleInboxes(caller).map(({ name }) => name),
  JSON.stringify([{ resource, id }]),
  limit,
];

/** Returns the ids of the newest linked items. */
const readLinkedItemIds = async (db: Db, caller: Caller, ref: RecordRef, limit: number): Promise<string[]> =>
  (await queryRows<{ id: string }>(db, linkedIdsSql, valuesOf(caller, ref, limit))).map(({ id }) => id);

/** Returns the newest linked items as JSON texts. */
const readLinkedItemsJson = async (db: Db, caller: Caller, ref: RecordRef, limit: number): Promise<string[]> =>
  (await queryTextRows(db, linkedItemsSql, valuesOf(caller, ref, limit))).map((row) =>
    itemRowJson(row, caller.principal.access),
  );

/** Linked items that the page shows, and those whose timelines are part of the history. */
const itemsShown = 50;
const itemsInHistory = 500;

interface RecordDetailPage {
  readonly record: FullRecord;
  readonly blocks: readonly Block[];
  /** The linked items as JSON texts. */
  readonly items: readonly string[];
  readonly history: RecordHistory;
  readonly actions: readonly AvailableAction[];
}

/** Returns the app's blocks for a record: none when the app is offline or doesn't implement the call, an `error` block when it fails. */
const fetchRecordBlocks = async (deps: ViewDeps, { env }: Caller, { resource, id }: RecordRef): Promise<Block[]> => {
  try {
    const outcome = await deps.link.call(
      env.id,
      'record.blocks',
      { resource, id },
      { declares: { kind: 'resource', name: resource }, timeoutMs: linkLimits.readMs },
    );
    if (outcome.kind === 'offline' || (outcome.kind === 'error' && outcome.code === rpcCodes.methodNotFound)) return [];
    const result: unknown = requireAnswer(outcome);
    const given = isObject(result) ? result['blocks'] : undefined;
    return given === undefined || given === null ? [] : validateBlocks(given);
  } catch (error) {
    return [errorBlockFor(deps.log, null, error)];
  }
};

/** Returns the page of a record. Throws `not_found` for a resource that the caller doesn't see and for a record that doesn't exist. */
export const readRecordPage = async (
  deps: ViewDeps,
  caller: Caller,
  ref: RecordRef,
  historyCursor: string | undefined,
): Promise<RecordDetailPage> => {
  const resource = requireVisibleResource(caller, ref.resource);
  const record = await getRecord(deps, caller.env, ref.resource, ref.id);
  if (record === null) throw fault('not_found');
  const [given, items, history, [available]] = await Promise.all([
    fetchRecordBlocks(deps, caller, ref),
    readLinkedItemsJson(deps.db, caller, ref, itemsShown),
    readLinkedItemIds(deps.db, caller, ref, itemsInHistory).then((ids) =>
      readRecordHistory(deps.db, caller, ref, ids, historyCursor),
    ),
    readAvailableActions(deps, caller, [ref]),
  ]);
  const blocks = await presentBlocks(deps.db, caller, [...renderBlocks(resource.blocks ?? [], { record }), ...given]);
  return { record, blocks, items, history, actions: available?.actions ?? [] };
};
