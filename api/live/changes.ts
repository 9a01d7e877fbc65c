/** `GET /changes`: the messages of the live stream over HTTP, for those who can't hold a socket. */
import type { Caller } from '../../shared/access/principal.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { closed, limit, Type, type Static } from '../../shared/platform/core/schema.ts';
import { offsetOfEntry, restFor } from './batch.ts';
import type { Channel } from './channel.ts';
import type { LiveContext } from './context.ts';
import type { Feed } from './feed.ts';
import { messageText } from './frames.ts';
import { endOf, openAfter, type Place, type ResetReason } from './offsets.ts';

/** Positions that one call looks through: a role that sees little gets an empty answer and a cursor further on. */
const scanMax = 10_000;
/** Until the log is asked again for what it didn't have yet, in ms. */
const emptyMs = 20;

export const changesQuery = closed({
  after: Type.Optional(Type.String({ description: 'An offset, or the cursor of the call before. Absent: from now on.' })),
  limit: Type.Optional(limit),
  wait: Type.Optional(
    Type.Integer({ minimum: 0, maximum: limits.changesWaitMs, default: 0, description: 'Milliseconds to wait while there is nothing, at most 30,000.' }),
  ),
});
export type ChangesQuery = Static<typeof changesQuery>;

export interface Changes {
  /** Messages as the stream has them; the first one's `prev` is the `after` that was given. */
  readonly changes: object[];
  /** The `after` of the next call. It goes on past what the role doesn't see, so it may differ from the last message's offset. */
  readonly cursor: string;
  readonly reset: ResetReason | null;
}

/** One call while it looks through the log. */
class Reader {
  readonly changes: object[] = [];
  cursor: string;
  place: Place;
  scanned = 0;
  readonly #caller: Caller;
  readonly #most: number;
  #last: string;

  constructor(caller: Caller, start: { readonly cursor: string; readonly place: Place }, most: number) {
    this.#caller = caller;
    this.#most = most;
    this.cursor = start.cursor;
    this.#last = start.cursor;
    this.place = start.place;
  }

  get isDone(): boolean {
    return this.changes.length >= this.#most || this.scanned >= scanMax;
  }

  /** Takes what the page holds, up to the call's limit; false: it is gone. */
  async read({ log }: LiveContext, channel: Channel): Promise<boolean> {
    const { env, principal } = this.#caller;
    const { gone, batch, rows, last } = await log.read(env, this.place);
    if (gone) return false;
    if (batch === null) return true;
    // Ahead of the feed: then it is news for the others too, and the next "from now on" is after it.
    channel.take(rows);
    const viewer = { access: principal.access, types: null, inboxes: null };
    let seesLast = false;
    for (const entry of batch.entries) {
      const rest = restFor(entry, viewer, principal.id);
      seesLast = rest !== null;
      if (rest === null || entry.position === null) continue;
      const offset = offsetOfEntry(env, entry, entry.position);
      this.changes.push(JSON.parse(messageText({ type: entry.part.type, offset, prev: this.#last, at: entry.at }, rest)) as object);
      this.#last = offset;
      this.cursor = offset;
      if (this.isDone) return true;
    }
    this.scanned += last - this.place.position;
    this.place = { position: last, parts: 0 };
    if (!seesLast) this.cursor = endOf(env, last);
    return true;
  }
}

const follow = async (context: LiveContext, channel: Channel, reader: Reader, until: number, signal: AbortSignal): Promise<ResetReason | null> => {
  for (;;) {
    const before = reader.place;
    if (!(await reader.read(context, channel))) return 'gone';
    if (reader.isDone || signal.aborted) return null;
    if (reader.place !== before) continue;
    if (reader.changes.length > 0 || performance.now() >= until) return null;
    if (channel.seen > reader.place.position) await channel.news.wait(emptyMs, signal);
    else await channel.news.wait(until - performance.now(), signal);
  }
};

/** Answers at once when there is something after `after`, else when there is or when `wait` is over. */
export const readChanges = async (context: LiveContext, feed: Feed, caller: Caller, query: ChangesQuery, signal: AbortSignal): Promise<Changes> => {
  const { env } = caller;
  const { db, directory } = context.deps;
  const until = performance.now() + (query.wait ?? 0);
  const { after } = query;
  const place = after === undefined ? null : await openAfter(db, env, directory.environments(), after);
  const channel = await feed.join(env);
  try {
    const now = (reset: ResetReason | null): Changes => ({ changes: [], cursor: endOf(env, channel.seen), reset });
    if (typeof place === 'string') return now(place);
    const start = after === undefined || place === null ? { cursor: endOf(env, channel.seen), place: { position: channel.seen, parts: 0 } } : { cursor: after, place };
    const reader = new Reader(caller, start, query.limit ?? limits.pageDefault);
    const reset = await follow(context, channel, reader, until, signal);
    return reset === null ? { changes: reader.changes, cursor: reader.cursor, reset } : now(reset);
  } finally {
    feed.leave(channel);
  }
};
