/**
 * Refuses what a caller had done a short time ago and asks for again without an idempotency key: a model that has lost sight of an
 * answer would refund, or write to a customer, twice. Used by actions.ts, tools/items.ts and tools/bulks.ts.
 */
import { tryInput } from '../../shared/actions/authorizeAction.ts';
import { readSameRun } from '../../shared/actions/recentRuns.ts';
import { readSameBulk } from '../../shared/bulk/recentBulks.ts';
import { fault, type Fault } from '../../shared/catalogue/errors.ts';
import type { ActionDefinition } from '../../shared/environments/actions.ts';
import { readItems } from '../../shared/items/model.ts';
import { readTimeline } from '../../shared/items/timeline.ts';
import { isObject } from '../../shared/platform/core/jsonLimits.ts';
import type { EndpointCall } from '../endpoint.ts';

type Members = Readonly<Record<string, unknown>>;

/** The ms for which a call is compared with those after it. docs/agents.md names them. */
const rememberedMs = 600_000;
/** Entries of a timeline among which a reply is looked for. */
const entriesRead = 20;

/** Returns the input with the action's defaults; null: the endpoint refuses it. */
const filledInput = (action: ActionDefinition, input: unknown): Record<string, unknown> | null => {
  if (!isObject(input)) return null;
  const { filled, problems } = tryInput(action, input);
  return problems.length > 0 ? null : filled;
};

const repeatedFault = (what: string, { at, now, stands }: { at: number; now: number; stands: string }): Fault =>
  fault(
    'conflict',
    `${what} ${String(Math.max(1, Math.round((now - at) / 1000)))} seconds ago (${stands}), and nothing was done now. To do it once more, give an idempotencyKey that you have not used.`,
  );

/** Throws `conflict` where the caller had the action run with the same record and input, and the app may have done it. */
export const requireNewRun = async (
  { deps: { db, clock }, caller }: EndpointCall,
  action: ActionDefinition,
  { record = null, input = {} }: Members,
): Promise<void> => {
  const filled = filledInput(action, input);
  if (filled === null || (record !== null && typeof record !== 'string')) return;
  const now = clock.now();
  const same = await readSameRun(db, caller, { action: action.name, record, input: filled }, now - rememberedMs);
  if (same === undefined) return;
  const { id, status, requested_at: at } = same;
  throw repeatedFault('You had this done with the same input', { at, now, stands: `${id}, ${status}` });
};

/** Throws `conflict` where the caller had a bulk run the action with the same input on one of the items, or on those of a query. */
export const requireNewBulk = async (
  { deps: { db, clock }, caller }: EndpointCall,
  { ids, operation }: Members,
): Promise<void> => {
  if (!isObject(operation) || operation['type'] !== 'action' || typeof operation['action'] !== 'string') return;
  const action = caller.env.definition.actions.get(operation['action']);
  if (action === undefined || action.retrySafe) return;
  const filled = filledInput(action, operation['input'] ?? {});
  if (filled === null) return;
  const named = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : null;
  const now = clock.now();
  const same = await readSameBulk(db, caller, { action: action.name, input: filled, ids: named }, now - rememberedMs);
  if (same === undefined) return;
  const { id, status, created_at: at } = same;
  throw repeatedFault('You had a bulk do this with the same input', { at, now, stands: `${id}, ${status}` });
};

/** Throws `conflict` where the caller has sent the item the same text, and it was not refused. */
export const requireNewReply = async (
  { deps, caller: { env, principal } }: EndpointCall,
  { id, text }: Members,
): Promise<void> => {
  if (typeof id !== 'string' || typeof text !== 'string') return;
  const item = (await readItems(deps.db, env.id, [id])).get(id);
  if (item === undefined || !principal.access.sees('inbox', item.inbox)) return;
  const now = deps.clock.now();
  const { entries } = await readTimeline(deps, env.id, item, principal.access, null, entriesRead);
  const same = entries.find(
    ({ type, at, actor, data }) =>
      type === 'reply' &&
      at > now - rememberedMs &&
      actor.type === principal.type &&
      actor.id === principal.id &&
      data['text'] === text &&
      data['status'] !== 'failed',
  );
  if (same === undefined) return;
  throw repeatedFault('You sent this item the same text', { at: same.at, now, stands: same.id });
};
