/**
 * Notices data that have gone back without a new timeline: a file system's snapshot or a copied folder that was put back. Used by
 * publisher.ts.
 *
 * Redis keeps how far the publisher has told of each stream: its epoch and position. Only publishers give positions, and each
 * compares before its first one, so a stream that is behind what was told has lost what lay between. Its epoch ends at its
 * present position then, as timeline.ts ends all of them. Where Redis was emptied or is unavailable nothing is compared. A
 * forged position ends an epoch that every reader goes on from, as none is ahead of the stream.
 */
import type { Db } from '../../shared/platform/db/knex.ts';
import { namedStatement, queryNamedRows, queryRow } from '../../shared/platform/db/sql.ts';
import { newEpochRise, type PublisherLease, underShares } from '../../shared/platform/leases/leaderLease.ts';
import { redisKeys } from '../../shared/platform/redis/bus.ts';
import type { RedisConnections } from '../../shared/platform/redis/connect.ts';
import { raiseRevisionSql } from './timeline.ts';

/** The place of a stream's newest message. */
export interface StreamHead {
  readonly env: number;
  readonly epoch: number;
  readonly position: number;
}

/** A stream that is behind what was told of it. */
interface BehindStream {
  readonly env: number;
  readonly position: number;
  /** The position that was told; of a later epoch if it is not the greater one. */
  readonly told: number;
}

type Redis = Pick<RedisConnections, 'command' | 'key'>;

/** `epoch:position`; as many digits as fit into the columns. */
const told = /^(\d{1,9}):(\d{1,15})$/;
/** ms that a process waits for its connection to Redis before it publishes without comparing. */
const connectMs = 1_000;

const behindSql = namedStatement(
  'publisher.behind',
  () => `
  select e.id as env, coalesce(s.position, 0) as position, t.position as told
  from unnest($envs::int[], $epochs::int[], $positions::bigint[]) t (env, epoch, position)
  join environments e on e.id = t.env left join streams s on s.env = e.id
  where e.epoch < t.epoch or (e.epoch = t.epoch and coalesce(s.position, 0) < t.position)
  order by e.id`,
);
const endBehindSql = namedStatement(
  'publisher.endBehind',
  () => `
  with behind as (
    select e.id as env, e.epoch, coalesce(s.position, 0) as position
    from environments e left join streams s on s.env = e.id where e.id = any ($envs)
  ), begun as (
    update environments e set epoch = e.epoch + $rise from behind b where e.id = b.env
  )
  insert into stream_epochs (env, epoch, last) select env, epoch, position from behind`,
);

/** Keeps how far streams have been told of; resolves with false when Redis does not take it. */
export const keepTold = async ({ command, key }: Redis, heads: readonly StreamHead[]): Promise<boolean> => {
  if (heads.length === 0) return true;
  const fields = heads.flatMap(({ env, epoch, position }) => [String(env), `${String(epoch)}:${String(position)}`]);
  return command.hset(key(redisKeys.told), ...fields).then(
    () => true,
    () => false,
  );
};

/** Resolves once the connection is there, or was not for `connectMs`. */
const connected = ({ command }: Redis): Promise<void> =>
  command.status === 'ready'
    ? Promise.resolve()
    : new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(late);
          command.off('ready', end);
          resolve();
        };
        const late = setTimeout(end, connectMs);
        command.on('ready', end);
      });

/** Returns what is kept; nothing when Redis does not say, or of what no publisher has written. */
const readTold = async (redis: Redis): Promise<readonly StreamHead[]> => {
  await connected(redis);
  const fields = await redis.command.hgetall(redis.key(redisKeys.told)).catch(() => ({}));
  return Object.entries(fields).flatMap(([env, text]) => {
    const [, epoch, position] = told.exec(text) ?? [];
    return /^\d{1,9}$/.test(env) && position !== undefined
      ? [{ env: Number(env), epoch: Number(epoch), position: Number(position) }]
      : [];
  });
};

interface ToldCompared {
  readonly behind: readonly BehindStream[];
  /** As of `followTimeline`: null when nothing has changed. */
  readonly revision: number | null;
}

/** Compares each stream with what was told of it, and begins a new epoch of those that are behind. */
export const followTold = async (db: Db, lease: PublisherLease, redis: Redis): Promise<ToldCompared> => {
  const kept = await readTold(redis);
  const nothing: ToldCompared = { behind: [], revision: null };
  if (kept.length === 0) return nothing;
  const readBehind = (on: Db): Promise<BehindStream[]> =>
    queryNamedRows<BehindStream>(on, behindSql, {
      envs: kept.map(({ env }) => env),
      epochs: kept.map(({ epoch }) => epoch),
      positions: kept.map(({ position }) => position),
    });
  if ((await readBehind(db)).length === 0) return nothing;
  const by = newEpochRise();
  const compared = await underShares(db, lease, async (tx, endOthers) => {
    const behind = await readBehind(tx);
    if (behind.length === 0) return nothing;
    await endOthers();
    await queryNamedRows(tx, endBehindSql, { envs: behind.map(({ env }) => env), rise: by });
    return { behind, revision: (await queryRow<{ n: number }>(tx, raiseRevisionSql, [by]))?.n ?? null };
  });
  return compared ?? nothing;
};
