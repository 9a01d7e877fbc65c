/**
 * Refuses what a caller had done a short time ago, or is having done, and asks for again without an idempotency key: a model that
 * has lost sight of an answer, or calls twice at once, would refund, or write to a customer, twice. Used by actions.ts and tool.ts.
 */
import { findVisibleInbox } from '../../shared/accounts/access/principal.ts';
import type { ActionDefinition } from '../../shared/app/manifest/actions.ts';
import { fault, type Fault } from '../../shared/catalogue/errors.ts';
import { readItems } from '../../shared/items/model.ts';
import { readNewItems, readTimeline } from '../../shared/items/timeline.ts';
import { isId } from '../../shared/platform/ids.ts';
import { canonicalJson, isObject } from '../../shared/platform/json/jsonLimits.ts';
import { redisKeys } from '../../shared/platform/redis/bus.ts';
import { cleanText } from '../../shared/platform/words/texts.ts';
import { tryInput } from '../../shared/runs/authorizeAction.ts';
import { readEarlierRuns, type EarlierRun } from '../../shared/runs/recentRuns.ts';
import type { EndpointCall } from '../endpoint.ts';
import { toList, toObject } from './arguments/coerce.ts';
import { toReference } from './arguments/recordRefs.ts';

type Members = Readonly<Record<string, unknown>>;

/** The ms for which a call is compared with those after it. docs/agents.md names them. */
const rememberedMs = 600_000;
/** ms until a call whose process was killed can be made again. */
const underWayMs = 60_000;
/** Entries of a timeline among which a reply is looked for. */
const entriesRead = 20;

/** Returns a value as JSON in which white space around texts, how much of it is inside and what nobody sees make no difference. */
const plainJson = (value: unknown): string =>
  canonicalJson(
    JSON.parse(JSON.stringify(value ?? null), (_, one: unknown) =>
      typeof one === 'string' ? cleanText(one).replace(/\s+/gu, ' ') : one,
    ),
  );

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
  const digest = redis.digest(plainJson([env.id, principal.type, principal.id, same]));
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

/** Returns the newest run or bulk by which the caller had the action done with the same input on one of the records, or may have; undefined: there is none. */
const findSameRun = async (
  { deps: { db, clock }, caller }: EndpointCall,
  action: ActionDefinition,
  input: unknown,
  on: { readonly records: readonly string[] | null; readonly items: readonly string[] | null },
): Promise<EarlierRun | undefined> => {
  const filled = filledInput(action, input);
  if (filled === null) return undefined;
  const { name, resource } = action;
  const earlier = await readEarlierRuns(db, caller, { action: name, resource, ...on }, clock.now() - rememberedMs);
  const asked = plainJson(filled);
  return earlier.filter((one) => plainJson(one.input) === asked).sort((a, b) => b.at - a.at)[0];
};

/** Throws `conflict` where the caller had the action run with the same record and input, and the app may have done it. A run that waits for an approval is answered once more. */
export const requireNewRun = async (
  call: EndpointCall,
  action: ActionDefinition,
  { record = null, input = {} }: Members,
): Promise<void> => {
  if (action.resource === null ? record !== null : typeof record !== 'string') return;
  const records = typeof record === 'string' ? [record] : null;
  const same = await findSameRun(call, action, input, { records, items: null });
  if (same === undefined || (same.status === 'pending' && isId(same.id, 'run'))) return;
  const { id, status, at } = same;
  throw repeatedFault('You had this done with the same input', {
    at,
    now: call.deps.clock.now(),
    stands: `${id}, ${status}`,
  });
};

const idsIn = (list: unknown): string[] | null =>
  (list ?? null) === null ? null : toList(list).filter((one) => typeof one === 'string');

/** Throws `conflict` where the caller had the action run with the same input on a record of the bulk; of a query, on any. `records`: null unless it names some. */
export const requireNewBulk = async (
  call: EndpointCall,
  { ids, records, operation }: Members & { readonly records: readonly string[] | null },
): Promise<void> => {
  if (!isObject(operation) || operation['type'] !== 'action' || typeof operation['action'] !== 'string') return;
  const action = call.caller.env.definition.actions.get(operation['action']);
  if (action === undefined || action.repeatable || action.resource === null) return;
  const same = await findSameRun(call, action, operation['input'] ?? {}, { records, items: idsIn(ids) });
  if (same === undefined) return;
  const { id, status, at } = same;
  throw repeatedFault('You had this done with the same input on one of its records', {
    at,
    now: call.deps.clock.now(),
    stands: `${id}, ${status}`,
  });
};

/** Texts that a caller writes to an item: the entry's type, and what a repeat says of the first. */
const writtenTexts = {
  note: 'You wrote this item the same note',
  reply: 'You sent this item the same text',
} as const;

/** Throws `conflict` where the caller has written the item the same text, and it was not refused. */
export const requireNewText = async (
  { deps, caller: { env, principal } }: EndpointCall,
  { id, text, dryRun }: Members,
  written: keyof typeof writtenTexts,
): Promise<void> => {
  if (typeof id !== 'string' || typeof text !== 'string' || dryRun === true) return;
  const item = (await readItems(deps.db, env.id, [id])).get(id);
  if (item === undefined || !principal.access.sees('inbox', item.inbox)) return;
  const now = deps.clock.now();
  const newest = { item: id, before: null, limit: entriesRead };
  const { entries } = await readTimeline(deps, env.id, principal.access, newest);
  const same = entries.find(
    ({ type, at, actor, data }) =>
      type === written &&
      at > now - rememberedMs &&
      actor.type === principal.type &&
      actor.id === principal.id &&
      plainJson(data['text']) === plainJson(text) &&
      data['status'] !== 'failed',
  );
  if (same === undefined) return;
  throw repeatedFault(writtenTexts[written], { at: same.at, now, stands: same.id });
};

/** Throws `conflict` where the caller has made the same item; one with a key becomes an occurrence, and is not compared. */
export const requireNewItem = async (
  { deps: { db, clock }, caller }: EndpointCall,
  { inbox: name, title, data, record, key }: Members,
): Promise<void> => {
  if (typeof name !== 'string' || typeof title !== 'string' || (key ?? null) !== null) return;
  const inbox = findVisibleInbox(caller, name);
  if (inbox === undefined) return;
  const [fields, about] = [toObject(data ?? {}), toReference(record)];
  const now = clock.now();
  const earlier = await readNewItems(db, caller, { inbox: inbox.name, record: about, since: now - rememberedMs });
  const given = isObject(fields) ? Object.entries(fields) : [];
  const same = earlier.find(
    (item) =>
      plainJson(item.title) === plainJson(title) &&
      given.every(([member, value]) => plainJson(item.fields[member]) === plainJson(value)),
  );
  if (same === undefined) return;
  throw repeatedFault('You made the same item', { at: same.created_at, now, stands: same.id });
};
