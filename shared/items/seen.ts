/**
 * The token `seen` of an item's detail, which names the newest entry that its owner has read. Finds the entries that others have written
 * since. For perform/, shared/runs and claims.ts, which decides whether an agent may change the item.
 */
import { findVisibleInbox, type Caller } from '../accounts/access/principal.ts';
import { fault, invalidAt, type Fault } from '../catalogue/errors.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { Type } from '../platform/json/schema.ts';
import type { Item } from './model.ts';
import { redactEntry, type EntryRow } from './timeline.ts';

/** The content of a token: the newest event that its owner has read, and the time of reading. */
export interface SeenPlace {
  readonly event: number;
  /** Epoch ms. */
  readonly at: number;
}

export const seenSchema = Type.Optional(
  Type.String({ maxLength: 200, description: 'seen of the item’s detail: what you had read of it.' }),
);

const keyOf = ({ principal }: Caller, item: string): string => JSON.stringify(['seen', principal.id, item]);

/** Returns the token of a caller who has read an item's entries up to an event at `at`. */
export const sealSeen = (caller: Caller, item: string, { event, at }: SeenPlace): string =>
  caller.env.seal.cursor(keyOf(caller, item), [event, at]);

/** Returns what a token says. Throws `invalid` for one that was given to another, or for another item. */
export const openSeen = (caller: Caller, item: string, token: string | undefined): SeenPlace | null => {
  if (token === undefined) return null;
  try {
    const [event, at] = caller.env.seal.openCursor(keyOf(caller, item), token) ?? [];
    return { event: Number(event), at: Number(at) };
  } catch {
    throw invalidAt('seen', 'must be the seen of this item’s detail, as you were given it');
  }
};

/** Entries by others that are looked at, and those that a refusal names. */
const newsMax = 200;
const namedMax = 10;

/** An occurrence may be told by a further version of an entry; further versions of others say how something went on. */
const newsSql = statement(
  'items.news',
  `
  select e.id as event, e.entry as id, e.type, e.at, e.actor_type, e.actor, e.actor_name, e.data
  from events e
  where e.env = $1 and e.item = $2 and e.entry is not null and (not e.is_update or e.type = 'occurred') and e.id > $3
    and (e.actor is null or e.actor <> $4)
  order by e.id desc limit ${String(newsMax)}`,
);

/** The place up to which an agent has read an item, and the entries that it has missed. */
export interface Knowledge {
  /** null: they do not say what they had read. */
  readonly seen: SeenPlace | null;
  /** Entries by others that they had not read, newest first. */
  readonly missed: readonly EntryRow[];
}

/**
 * Reads what an agent knows of an item; null for others, and for what a person has approved. `seen`: what it says to have read, null:
 * nothing; undefined: the change does not go by it. Without a token entries are read only where the inbox refuses that.
 */
export const readKnowledge = async (
  db: Db | Tx,
  caller: Caller,
  item: Pick<Item, 'id' | 'inbox'> | undefined,
  seen: SeenPlace | null | undefined,
): Promise<Knowledge | null> => {
  const inbox = item === undefined ? undefined : findVisibleInbox(caller, item.inbox);
  const unread = unreadBy(caller);
  if (seen === undefined || unread === null || item === undefined || inbox === undefined) return null;
  if (seen === null && inbox.unseen !== 'refuse') return unread;
  const { env, principal } = caller;
  const rows = await queryRows<EntryRow>(db, newsSql, [env.id, item.id, seen?.event ?? 0, principal.id]);
  const all = rows.filter((row) => redactEntry(principal.access, row) !== null);
  return { seen, missed: all.filter((row, n) => all.findIndex((other) => other.id === row.id) === n) };
};

/** Returns what an agent knows that says nothing of what it has read, as in a bulk; null for others, and for what a person has approved. */
export const unreadBy = ({ principal: { type }, approvedBy }: Caller): Knowledge | null =>
  type === 'agent' && approvedBy === undefined ? { seen: null, missed: [] } : null;

/** Returns what an entry of the change says of its author's knowledge, or null. */
export const knewOf = (known: Knowledge | null): { readonly at: number; readonly missed: number } | null =>
  known === null || known.seen === null ? null : { at: known.seen.at, missed: known.missed.length };

/** Returns the fault of an agent that says nothing of what it has read, or has missed something; or null. */
export const unseenFault = (known: Knowledge | null): Fault | null => {
  if (known === null || (known.seen !== null && known.missed.length === 0)) return null;
  const message =
    known.seen === null
      ? 'Read the item, and say by seen what you have read.'
      : 'Others have written since you read this item; read it again.';
  return fault('unseen', message, {
    details: known.missed.slice(0, namedMax).map(({ id, type, at, actor_name: name }) => ({
      path: id,
      message: `${type} by ${name} at ${new Date(at).toISOString()}`,
    })),
  });
};

const answeredSql = statement(
  'items.answered',
  `
  select j.subject as item from staged_jobs j where j.subject = any ($2) and j.env = $1 and j.name = 'replySend' and exists (
    select from events e where e.env = $1 and e.item = j.subject and e.entry = j.payload->>'entry' and not e.is_update
      and e.actor_type = 'agent' and e.actor <> $3)`,
);
const none: ReadonlySet<string> = new Set();

/** Returns the items among `ids` to which another agent's reply is on its way, of an agent who replies and whose reply no person has approved. */
export const readAnswered = async (
  db: Db,
  { env, principal: { type, id }, approvedBy }: Caller,
  ids: readonly string[],
): Promise<ReadonlySet<string>> =>
  type === 'agent' && approvedBy === undefined
    ? new Set((await queryRows<{ item: string }>(db, answeredSql, [env.id, ids, id])).map(({ item }) => item))
    : none;
