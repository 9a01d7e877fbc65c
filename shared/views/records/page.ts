/** Builds the page of a record: its blocks, items, history and available actions. For GET /resources/:resource/:id. */
import type { Caller } from '../../access/principal.ts';
import { linkLimits, rpcCodes, type Block } from '../../applink/protocol.ts';
import { errorBlockFor, requireAnswer } from '../../blocks/appAnswers.ts';
import { renderBlocks } from '../../blocks/renderBlocks.ts';
import { validateBlocks } from '../../blocks/validateBlocks.ts';
import { fault } from '../../catalogue/errors.ts';
import type { RecordRef } from '../../items/model.ts';
import { presentBlocks } from '../../items/presentBlocks.ts';
import { isObject } from '../../platform/core/jsonLimits.ts';
import type { FullRecord } from '../../records/queries.ts';
import { getRecord, requireVisibleResource } from '../../records/read.ts';
import { readAvailableActions, type AvailableAction } from '../available.ts';
import type { ViewDeps } from '../deps.ts';
import { readRecordHistory, type RecordHistory } from './history.ts';
import { readLinkedItemIds, readLinkedItemsJson } from './linked.ts';

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
