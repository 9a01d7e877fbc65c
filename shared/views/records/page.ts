/** A record with everything around it: its blocks, items, history and the actions that apply (GET /resources/:resource/:id). */
import type { Caller } from '../../access/principal.ts';
import { availableActions, type AvailableAction } from '../available.ts';
import { linkLimits, rpcCodes, type Block } from '../../applink/protocol.ts';
import { answerOf, failedBlock } from '../../blocks/ask.ts';
import { checkedBlocks } from '../../blocks/check.ts';
import { filledBlocks } from '../../blocks/declared.ts';
import { seenBlocks } from '../../items/seenBlocks.ts';
import { fault } from '../../catalogue/errors.ts';
import type { ViewDeps } from '../deps.ts';
import type { RecordRef } from '../../items/model.ts';
import { readHistory, type History } from './history.ts';
import { linkedIds, linkedItems } from './linked.ts';
import type { FullRecord } from '../../records/queries.ts';
import { getRecord, visibleResource } from '../../records/read.ts';

/** Items that are shown, and those whose timelines are the history. */
const itemsShown = 50;
const itemsInHistory = 500;

export interface RecordPage {
  readonly record: FullRecord;
  readonly blocks: readonly Block[];
  /** JSON texts. */
  readonly items: readonly string[];
  readonly history: History;
  readonly actions: readonly AvailableAction[];
}

/** Blocks that the app gives for a record; an app that is offline, or knows none, gives none. */
const appBlocks = async (deps: ViewDeps, { env }: Caller, { resource, id }: RecordRef): Promise<Block[]> => {
  try {
    const outcome = await deps.link.call(env.id, 'record.blocks', { resource, id }, { declares: { kind: 'resource', name: resource }, timeoutMs: linkLimits.readMs });
    if (outcome.kind === 'offline' || (outcome.kind === 'error' && outcome.code === rpcCodes.methodNotFound)) return [];
    const result: unknown = answerOf(outcome);
    const given = typeof result === 'object' && result !== null ? (result as { blocks?: unknown }).blocks : undefined;
    return given === undefined || given === null ? [] : checkedBlocks(given);
  } catch (error) {
    return [failedBlock(deps.log, null, error)];
  }
};

/** `404` alike for a resource that isn't seen and a record that isn't there. */
export const readRecordPage = async (deps: ViewDeps, caller: Caller, ref: RecordRef, historyCursor: string | undefined): Promise<RecordPage> => {
  const resource = visibleResource(caller, ref.resource);
  const record = await getRecord(deps, caller.env, ref.resource, ref.id);
  if (record === null) throw fault('not_found');
  const [given, items, history, [available]] = await Promise.all([
    appBlocks(deps, caller, ref),
    linkedItems(deps.db, caller, ref, itemsShown),
    linkedIds(deps.db, caller, ref, itemsInHistory).then((ids) => readHistory(deps.db, caller, ref, ids, historyCursor)),
    availableActions(deps, caller, [ref]),
  ]);
  const blocks = await seenBlocks(deps.db, caller, [...filledBlocks(resource.blocks ?? [], { record }), ...given]);
  return { record, blocks, items, history, actions: available?.actions ?? [] };
};
