/** `GET /changes`: the messages of the live stream over HTTP, for clients that can't keep a socket open. Called by index.ts. */
import type { Caller } from '../../shared/accounts/access/principal.ts';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import { mayDecide } from '../../shared/approvals/rights.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import {
  csvListSchema,
  limitSchema,
  nameSchema,
  strictObject,
  Type,
  type Static,
} from '../../shared/platform/json/schema.ts';
import { resolveCaller } from '../http/credentials.ts';
import type { EnvironmentChannel } from './channel.ts';
import type { LiveContext } from './context.ts';
import type { ChannelFeed } from './feed.ts';
import { encodeMessage } from './frames.ts';
import { entryOffset, presentMembersJson } from './messageBatch.ts';
import { endOffset, parseAfterOffset, readStreamHead, type ResetReason, type StreamPosition } from './offsets.ts';
import type { StreamPart } from './visibility.ts';

/**
 * ms by which times may be out of the order of positions: a time is that of a process's clock before it commits, and a position
 * is given afterwards.
 */
const disorderMs = 60_000;

const firstAfterSql = statement(
  'live.firstAfter',
  'select position, at from stream where env = $1 and position > $2 order by position limit 1',
);

/** Returns the time from which on all messages are kept; null: none has been deleted, or none is left. */
const keptSince = async (db: Db, env: number, { trimmed }: { readonly trimmed: number }): Promise<number | null> => {
  if (trimmed === 0) return null;
  const first = await queryRow<{ position: number; at: number }>(db, firstAfterSql, [env, trimmed]);
  return first === undefined ? null : first.at + disorderMs;
};

/** Returns a position up to which nothing came at `at` or later; what follows it may be older too. */
const positionBefore = async (
  db: Db,
  env: number,
  { trimmed, position: newest }: { readonly trimmed: number; readonly position: number },
  at: number,
): Promise<number> => {
  let low = trimmed;
  let high = newest;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await queryRow<{ position: number; at: number }>(db, firstAfterSql, [env, middle]);
    // All messages before one that is so much older are older than `at`.
    if (row === undefined || row.at >= at - disorderMs) high = middle;
    else low = row.position;
  }
  return low;
};

/** Positions that one call reads: a role that sees little gets an empty page and a cursor further on. */
const scanPositionsMax = 10_000;
/** Milliseconds until a page that was empty is read again. */
const emptyPageRetryMs = 20;

/** The types of messages that the stream's log keeps; the others are passing. */
const changeTypes = ['item', 'timeline', 'claim', 'run', 'bulk', 'approval', 'flag'] as const;

export const changesQuery = strictObject({
  after: Type.Optional(Type.String({ description: 'An offset or the last call’s cursor; absent: from now on.' })),
  limit: Type.Optional(limitSchema),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: limits.changesWaitMs,
      default: 0,
      description: 'Waits so many ms while there is nothing, at most 30,000.',
    }),
  ),
  types: Type.Optional(
    csvListSchema(Type.Union(changeTypes.map((type) => Type.Literal(type))), 'Only messages of these types'),
  ),
  inboxes: Type.Optional(csvListSchema(nameSchema('An inbox.'), 'Only what is about these inboxes')),
});
export type ChangesQuery = Static<typeof changesQuery>;

/** What the messages are narrowed by. */
interface ChangesFilter {
  /** Milliseconds since 1970 UTC; null: from where the query says. */
  readonly since: number | null;
  readonly types: ReadonlySet<string> | null;
  /** Returns whether a part is about what is asked for; null: all of them are. */
  readonly isAbout: ((part: StreamPart) => boolean) | null;
  /** Whether a message is about what one principal did; null: all of them. */
  readonly isBy: ((message: object) => boolean) | null;
}

const everything: ChangesFilter = { since: null, types: null, isAbout: null, isBy: null };

export interface ChangesPage {
  /** Messages as the stream has them; the first one's `prev` is the `after` that was given. */
  readonly changes: object[];
  /** The `after` of the next call. It goes on past what the role doesn't see, so it may differ from the last message's offset. */
  readonly cursor: string;
  /** Whether the call ended at its limit, so that there may be more to read at once. */
  readonly more: boolean;
  readonly reset: ResetReason | null;
  /** Milliseconds since 1970 UTC: of a request by time, from when on all messages are kept, where that is later. */
  readonly completeSince?: number;
}

/** One call while it reads the log. */
class ChangesReader {
  readonly changes: object[] = [];
  cursor: string;
  place: StreamPosition;
  scanned = 0;
  readonly #caller: Caller;
  readonly #most: number;
  readonly #filter: ChangesFilter;
  #last: string;

  constructor(
    caller: Caller,
    start: { readonly cursor: string; readonly place: StreamPosition },
    most: number,
    filter: ChangesFilter,
  ) {
    this.#caller = caller;
    this.#most = most;
    this.#filter = filter;
    this.cursor = start.cursor;
    this.#last = start.cursor;
    this.place = start.place;
  }

  get isDone(): boolean {
    return this.changes.length >= this.#most || this.scanned >= scanPositionsMax;
  }

  /** Takes the next page, up to the limit of the call. Returns false when the page was deleted. */
  async read({ log }: LiveContext, channel: EnvironmentChannel): Promise<boolean> {
    const { env, principal } = this.#caller;
    const { trimmed: gone, batch, rows, last } = await log.read(env, this.place);
    if (gone) return false;
    if (batch === null) return true;
    // A page ahead of the feed is new to the other sessions too.
    channel.append(rows, env.epoch);
    const { since, types, isAbout, isBy } = this.#filter;
    const viewer = { access: principal.access, decides: mayDecide(principal), types, inboxes: null, agent: null };
    let seesLast = false;
    for (const entry of batch.entries) {
      const isAsked = (since === null || entry.at >= since) && (isAbout === null || isAbout(entry.part));
      const rest = isAsked ? presentMembersJson(entry, viewer, principal.id) : null;
      seesLast = rest !== null;
      if (rest === null || entry.position === null) continue;
      const offset = entryOffset(env, entry, entry.position);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that the service wrote itself
      const message = JSON.parse(
        encodeMessage({ type: entry.part.type, offset, prev: this.#last, at: entry.at }, rest),
      ) as object;
      if (isBy === null || isBy(message)) this.changes.push(message);
      this.#last = offset;
      this.cursor = offset;
      if (this.isDone) return true;
    }
    this.scanned += last - this.place.position;
    this.place = { position: last, parts: 0 };
    if (!seesLast) this.cursor = endOffset(env, last);
    return true;
  }
}

/** Who waits for messages. */
export interface Waiting {
  readonly caller: Caller;
  readonly session: Pick<AuthSession, 'credential'>;
}

/**
 * Returns whether the caller still has the rights with which the wait began. Throws `401 unauthorized` once the credential has
 * ended, and `404 not_found` once the environment is not the principal's any more.
 */
const hasSameRights = async ({ deps }: LiveContext, { caller, session: { credential } }: Waiting): Promise<boolean> => {
  const session = await deps.directory.sessionByCredential(credential);
  if (session === null) throw fault('unauthorized');
  const { principal } = resolveCaller(deps, session, caller.env.name, caller.requestId, caller.address);
  return principal.access.key === caller.principal.access.key;
};

interface ReadUntil {
  readonly waiting: Waiting;
  readonly channel: EnvironmentChannel;
  readonly reader: ChangesReader;
  /** Milliseconds of `performance.now()`. */
  readonly until: number;
  readonly signal: AbortSignal;
}

const readUntil = async (
  context: LiveContext,
  { waiting, channel, reader, until, signal }: ReadUntil,
): Promise<ResetReason | null> => {
  const { restarted } = channel;
  for (;;) {
    const before = reader.place;
    if (!(await reader.read(context, channel))) return 'gone';
    if (reader.isDone || signal.aborted) return null;
    if (reader.place !== before) continue;
    if (reader.changes.length > 0 || performance.now() >= until) return null;
    if (channel.newestPosition > reader.place.position) await channel.newMessages.wait(emptyPageRetryMs, signal);
    else await channel.newMessages.wait(until - performance.now(), signal);
    if (!(await hasSameRights(context, waiting))) return 'role';
    if (channel.restarted !== restarted) return channel.restarted?.reason ?? null;
  }
};

export interface ChangesRequest {
  readonly query: ChangesQuery;
  readonly filter?: ChangesFilter;
}

/**
 * Returns the messages after `after`: at once when there are some, else when there are or when `wait` is over. Throws
 * `400 bad_cursor`, and as `hasSameRights` does.
 */
export const waitForChanges = async (
  context: LiveContext,
  feed: ChannelFeed,
  waiting: Waiting,
  { query, filter = everything }: ChangesRequest,
  signal: AbortSignal,
): Promise<ChangesPage> => {
  const { caller } = waiting;
  const { env } = caller;
  const { db, directory } = context.deps;
  const until = performance.now() + (query.wait ?? 0);
  const { after } = query;
  const { since } = filter;
  const head = since === null ? null : await readStreamHead(db, env);
  const kept = head === null ? null : await keptSince(db, env.id, head);
  const partial = since !== null && kept !== null && kept > since ? { completeSince: kept } : {};
  const place =
    since !== null && head !== null
      ? { position: await positionBefore(db, env.id, head, since), parts: 0 }
      : after === undefined
        ? null
        : await parseAfterOffset(db, env, directory.environments(), after);
  const channel = await feed.join(env);
  try {
    const now = (reset: ResetReason | null): ChangesPage => ({
      changes: [],
      cursor: endOffset(channel.env, channel.newestPosition),
      more: false,
      reset,
    });
    if (typeof place === 'string') return now(place);
    const start =
      place === null
        ? {
            cursor: endOffset(channel.env, channel.newestPosition),
            place: { position: channel.newestPosition, parts: 0 },
          }
        : { cursor: after ?? endOffset(env, place.position), place };
    const reader = new ChangesReader(caller, start, query.limit ?? limits.pageDefault, filter);
    const ended = await readUntil(context, { waiting, channel, reader, until, signal });
    // The rights may have changed while the log was read.
    const reset = ended ?? ((await hasSameRights(context, waiting)) ? null : 'role');
    return reset === null
      ? { changes: reader.changes, cursor: reader.cursor, more: reader.isDone, reset, ...partial }
      : now(reset);
  } finally {
    feed.leave(channel);
  }
};
