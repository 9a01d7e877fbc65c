/**
 * Refuses what a caller had done a short time ago, or is having done, and asks for again without an idempotency key: a model that
 * has lost sight of an answer, or calls twice at once, would refund, or write to a customer, twice. Used by actions.ts and tool.ts.
 */
import { tryInput } from '../../shared/actions/authorizeAction.ts';
import { readSameRun } from '../../shared/actions/recentRuns.ts';
import { readSameBulk } from '../../shared/bulk/recentBulks.ts';
import { fault, type Fault } from '../../shared/catalogue/errors.ts';
import type { ActionDefinition } from '../../shared/environments/actions.ts';
import { readItems } from '../../shared/items/model.ts';
import { readTimeline } from '../../shared/items/timeline.ts';
import { canonicalJson } from '../../shared/platform/core/canonicalJson.ts';
import { isObject } from '../../shared/platform/core/jsonLimits.ts';
import { redisKeys } from '../../shared/platform/redis/keys.ts';
import type { EndpointCall } from '../endpoint.ts';

type Members = Readonly<Record<string, unknown>>;

/** The ms for which a call is compared with those after it. docs/agents.md names them. */
const rememberedMs = 600_000;
/** ms until a call whose process was killed can be made again. */
const underWayMs = 60_000;
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

/** The calls under way in this process: without Redis it refuses at least their repeats. */
const underWay = new Set<string>();

/** Marks a call as under way, in all processes. Returns false where it is already. */
const begin = async ({ redis }: EndpointCall['deps'], digest: string): Promise<boolean> => {
  if (underWay.has(digest)) return false;
  underWay.add(digest);
  const set = redis.command.set(redis.key(redisKeys.toolCall(digest)), '1', 'PX', underWayMs, 'NX');
  if ((await set.catch(() => 'OK')) === 'OK') return true;
  underWay.delete(digest);
  return false;
};

/**
 * Does what `same` stands for, unless the caller is having the same done: then it throws `in_progress`. Until `work` has ended
 * `requireNew` would find nothing yet.
 */
export const doAlone = async <R>(
  { deps, caller: { env, principal } }: EndpointCall,
  same: unknown,
  work: () => Promise<R>,
): Promise<R> => {
  const { redis } = deps;
  const digest = redis.digest(canonicalJson([env.id, principal.type, principal.id, same]));
  if (!(await begin(deps, digest)))
    throw fault(
      'in_progress',
      'You are having the same done by another call, and nothing was done for this one: wait for the answer of that. To do it twice, give each call an idempotencyKey of its own.',
    );
  try {
    return await work();
  } finally {
    underWay.delete(digest);
    await redis.command.del(redis.key(redisKeys.toolCall(digest))).catch(() => undefined);
  }
};

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
