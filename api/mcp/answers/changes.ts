/** Messages of the live stream for models: what was done to many items alike is said once. Used by present.ts. */
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { type Members, objectsIn } from './members.ts';

/** Milliseconds between two entries of which the second is told with the first: what was done alike hours later is another act. */
const togetherMs = 60_000;
/** Items that are named of those to which the same was done. */
const namedItems = 5;

/** Returns the entries that a message tells of: those that one request has written. */
const entriesOf = ({ entry, entries }: Members): Members[] => objectsIn(entries ?? [entry]);

/** Returns what the entries of two requests share that did the same, by a bulk for example; null for other messages. */
const keyOf = (change: Members): string | null => {
  const entries = entriesOf(change);
  if (change['type'] !== 'timeline' || change['change'] !== 'created' || entries.length === 0) return null;
  return JSON.stringify([change['inbox'], ...entries.map(({ type, actor, data }) => [type, actor, data])]);
};

interface Group {
  readonly first: Members;
  readonly items: unknown[];
  /** When the last of them was written (milliseconds since 1970 UTC). */
  last: number;
}

const writtenAt = (change: Members): number => Number(entriesOf(change)[0]?.['at'] ?? 0);

const toMessage = ({ first, items }: Group): Members => {
  if (items.length === 1) return first;
  const { item: _, ...rest } = first;
  return {
    ...rest,
    items: items.slice(0, namedItems),
    ...(items.length > namedItems ? { moreItems: items.length - namedItems } : {}),
  };
};

/** Message types that carry the whole state of a thing, so that the newest message replaces the earlier ones. */
const things = ['item', 'run', 'bulk', 'approval', 'flag'] as const;

/** Returns the key of the thing whose state a message carries, be it an entry whose status goes on; null for other messages. */
const thingOf = (change: Members): string | null => {
  const { type, entry } = change;
  if (type === 'timeline' && isObject(entry)) return JSON.stringify([type, entry['id']]);
  const name = things.find((each) => each === change['type']);
  const thing = name === undefined ? null : change[name];
  if (name === undefined || !isObject(thing)) return null;
  return JSON.stringify([name, thing['id'] ?? thing['flag']]);
};

/** Returns the messages with only the newest of each thing; a thing that was created on the page keeps `created`. */
const newestOfEach = (changes: readonly Members[]): Members[] => {
  const keyed = changes.map((change) => ({ change, thing: thingOf(change) }));
  const newest = new Map(keyed.map(({ change, thing }) => [thing, change]));
  const created = new Set(keyed.flatMap(({ change, thing }) => (change['change'] === 'created' ? [thing] : [])));
  return keyed.flatMap(({ change, thing }) => {
    if (thing === null) return [change];
    if (newest.get(thing) !== change) return [];
    return [created.has(thing) ? { ...change, change: 'created' } : change];
  });
};

/** Returns what the messages of one request about one item share: the item, and the time or that it is new; null for other messages. */
const requestOf = ({ type, at, change, item, entry }: Members): string | null => {
  const isNew = change === 'created';
  if (type === 'item' && isObject(item)) return JSON.stringify([item['id'], isNew ? 'created' : at]);
  if (type !== 'timeline' || !isNew || !isObject(entry)) return null;
  return JSON.stringify([item, entry['type'] === 'created' ? 'created' : entry['at']]);
};

/** Returns the one message of a request: its entries, beside the item where it is new. */
const joinRequest = (parts: readonly Members[]): Members => {
  const entries = parts.flatMap(({ entry }) => (isObject(entry) ? [entry] : []));
  const created = parts.find(({ type, change }) => type === 'item' && change === 'created');
  const [first = {}] = created === undefined ? parts.filter(({ entry }) => isObject(entry)) : [created];
  if (entries.length === 0) return parts[0] ?? {};
  if (entries.length === 1 && created === undefined) return first;
  const { entry: _, ...rest } = first;
  return { ...rest, entries };
};

/** Returns the messages with one for each request: without entries of runs and approvals that are told themselves. */
const oneOfEachRequest = (changes: readonly Members[]): Members[] => {
  const told = new Set(
    changes.flatMap(({ run, approval }) => [run, approval].map((one) => isObject(one) && one['id'])),
  );
  const isTold = ({ entry }: Members): boolean => {
    const data = isObject(entry) && isObject(entry['data']) ? entry['data'] : {};
    return [data['run'], data['approval']].some((id) => typeof id === 'string' && told.has(id));
  };
  const requests = new Map<unknown, Members[]>();
  for (const change of changes.filter((one) => !isTold(one))) {
    const key = requestOf(change) ?? change;
    requests.set(key, [...(requests.get(key) ?? []), change]);
  }
  return [...requests.values()].map(joinRequest);
};

/** Returns whether a message shows an item of which is told already what was done to it and to others alike. */
const isToldOf = ({ type, change, item }: Members, ids: ReadonlySet<unknown>): boolean =>
  type === 'item' && change !== 'created' && isObject(item) && ids.has(item['id']);

/**
 * Returns the body with the newest message of each thing, one for each request, and with one, at the place of the first, for those
 * that say the same of several items at about the same time, without what these items are now.
 */
export const withMergedChanges = (body: Members): Members => {
  const { changes } = body;
  if (!Array.isArray(changes)) return body;
  const all: Group[] = [];
  const groups = new Map<string, Group>();
  for (const change of oneOfEachRequest(newestOfEach(changes as readonly Members[]))) {
    const [key, last] = [keyOf(change), writtenAt(change)];
    const known = key === null ? undefined : groups.get(key);
    const { item } = change;
    // Two entries of one item stay two messages.
    const isJoined = known !== undefined && last - known.last <= togetherMs && !known.items.includes(item);
    const group = isJoined ? known : { first: change, items: [], last };
    if (group !== known) all.push(group);
    if (key !== null) groups.set(key, group);
    group.items.push(item);
    group.last = last;
  }
  const told = new Set(all.flatMap(({ items }) => (items.length > 1 ? items : [])));
  return { ...body, changes: all.filter(({ first }) => !isToldOf(first, told)).map(toMessage) };
};
