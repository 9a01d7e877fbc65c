/** A record with everything around it: its blocks, items, history and the actions that apply (GET /resources/:resource/:id). */
import type { Caller } from '../../access/principal.ts';
import { readAvailableActions, type AvailableAction } from '../available.ts';
import { linkLimits, rpcCodes, type Block } from '../../applink/protocol.ts';
import { requireAnswer, errorBlockFor } from '../../blocks/appAnswers.ts';
import { validateBlocks } from '../../blocks/validateBlocks.ts';
import { renderBlocks } from '../../blocks/renderBlocks.ts';
import { presentBlocks } from '../../items/presentBlocks.ts';
import { fault } from '../../catalogue/errors.ts';
import type { ViewDeps } from '../deps.ts';
import type { RecordRef } from '../../items/model.ts';
import { readRecordHistory, type RecordHistory } from './history.ts';
import { readLinkedItemIds, readLinkedItemsJson } from './linked.ts';
import type { FullRecord } from '../../records/queries.ts';
import { getRecord, requireVisibleResource } from '../../records/read.ts';

/** Items that are shown, and those whose timelines are the history. */
const itemsShown = 50;
const itemsInHistory = 500;

interface RecordDetailPage {
  readonly record: FullRecord;
  readonly blocks: readonly Block[];
  /** JSON texts. */
  readonly items: readonly string[];
  readonly history: RecordHistory;
  readonly actions: readonly AvailableAction[];
}

/** Blocks that the app gives for a record; an app that is offline, or knows none, gives none. */
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
    const given = typeof result === 'object' && result !== null ? (result as { blocks?: unknown }).blocks : undefined;
    return given === undefined || given === null ? [] : validateBlocks(given);
  } catch (error) {
    return [errorBlockFor(deps.log, null, error)];
  }
};

/** `404` alike for a resource that isn't seen and a record that isn't there. */
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
