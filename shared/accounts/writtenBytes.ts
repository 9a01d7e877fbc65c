/**
 * Bytes that principals write: counted in the process, added up by day in PostgreSQL, limited by day and by environment. For
 * api/middleware/call.ts, the app link and the settings. What is exact and what is not: docs/operators.md.
 */
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { getOrCreate } from '../platform/caches.ts';
import type { Config } from '../platform/config/config.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { type Clock, settlesWithin } from '../platform/time/clock.ts';

export const dayMs = 86_400_000;
/** ms after which counted bytes are added up, so that other processes count them too. */
const flushMs = 5_000;
/** The part of the limit that a process counts for one principal before it adds up at once. */
const flushPart = 100;
/** ms that the end of a process waits for the last bytes to be added up. */
const closeMs = 1_000;
/** ms for which the sizes of environments are used. */
const sizesMs = 60_000;

const addSql = statement(
  'writtenBytes.add',
  `
  with given as (select * from unnest($2::text[], $3::int[], $4::bigint[]) as g(principal, env, bytes)),
  added as (
    insert into written_bytes as w (day, principal, env, bytes) select $1, principal, env, bytes from given order by principal, env
    on conflict (day, principal, env) do update set bytes = w.bytes + excluded.bytes)
  select g.principal, (sum(g.bytes) + coalesce((select sum(w.bytes) from written_bytes w where w.day = $1 and w.principal = g.principal), 0))::bigint as bytes
  from given g group by g.principal`,
);

/**
 * PostgreSQL's statistics say which part of a table's rows an environment has. A table without statistics is new: each
 * environment gets an equal part.
 */
const sizesSql = statement(
  'writtenBytes.sizes',
  `
  with tables as (
    select pg_total_relation_size(c.oid) as bytes, s.most_common_vals::text::int[] as vals, s.most_common_freqs as freqs
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'env' and a.atttypid = 'int4'::regtype
    left join pg_stats s on s.schemaname = current_schema and s.tablename = c.relname and s.attname = 'env' and not s.inherited
    where c.relnamespace = current_schema::regnamespace and c.relkind = 'r'),
  envs as (select id, count(*) over () as n from environments)
  select e.id as env, sum(t.bytes * case when t.vals is null then 1.0 / e.n else coalesce(t.freqs[array_position(t.vals, e.id)], 0) end)::bigint as bytes
  from envs e cross join tables t group by e.id`,
);

const writersSql = statement(
  'writtenBytes.writers',
  `
  select w.principal as id, coalesce(a.name, p.name, k.name) as name, w.bytes
  from written_bytes w left join agents a on a.id = w.principal left join people p on p.id = w.principal
    left join app_keys k on k.id = w.principal
  where w.day = $1 and w.env = $2 order by w.bytes desc, w.principal limit $3`,
);

interface Writer {
  readonly id: string;
  /** null: removed since. */
  readonly name: string | null;
  readonly bytes: number;
}

/** Returns who has written in an environment on the day of `now`, the most first. */
export const readWriters = (db: Db, envId: number, now: number): Promise<Writer[]> =>
  queryRows<Writer>(db, writersSql, [Math.floor(now / dayMs), envId, limits.pageMax]);

interface Given {
  readonly principal: string;
  readonly env: number;
  bytes: number;
}

/** What one principal has written today. */
interface Written {
  /** Of all processes, as far as they have added it up. */
  total: number;
  /** Of this process, not added up yet; of each environment. */
  readonly pending: Map<number, Given>;
}

interface Size {
  /** As PostgreSQL's statistics say, and what this process has counted since. */
  bytes: number;
}

export interface WriteMeter {
  /** Throws `429 rate_limited` for a principal who has written their bytes of the day, `507 quota_exceeded` where the change `grows` a full environment. */
  require(principal: string, envId: number, grows: boolean): Promise<void>;
  count(principal: string, envId: number, bytes: number): void;
  /** Returns about how many bytes an environment has. */
  sizeOf(envId: number): Promise<number>;
  /** Adds up what this process has counted. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface MeterOptions {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Pick<Config, 'writeBytesPerDay' | 'quotaBytes'>;
  readonly onError: (error: unknown) => void;
}

/** Returns the sizes of the environments, at most `sizesMs` old; while they are read again, the former ones. */
const createSizes = ({ db, clock, onError }: MeterOptions) => {
  let sizes = new Map<number, Size>();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    const at = clock.now();
    const rows = await queryRows<{ env: number; bytes: number }>(db, sizesSql, []);
    sizes = new Map(rows.map(({ env, bytes }) => [env, { bytes }]));
    readAt = at;
  };
  return {
    of: async (envId: number): Promise<Size> => {
      if (clock.now() - readAt >= sizesMs) {
        reading ??= read()
          .catch(onError)
          .finally(() => {
            reading = null;
          });
        if (!sizes.has(envId)) await reading;
      }
      return getOrCreate(sizes, envId, () => ({ bytes: 0 }));
    },
    add: (envId: number, bytes: number): void => {
      const size = sizes.get(envId);
      if (size !== undefined) size.bytes += bytes;
    },
  };
};

const sumOf = ({ total, pending }: Written): number => {
  let sum = total;
  for (const { bytes } of pending.values()) sum += bytes;
  return sum;
};

/** Opens the meter of an API process. */
export const openWriteMeter = (options: MeterOptions): WriteMeter => {
  const { db, clock, config, onError } = options;
  const { writeBytesPerDay: limit, quotaBytes: quota } = config;
  const sizes = createSizes(options);
  let day = 0;
  let written = new Map<string, Written>();
  let flushing: Promise<void> | null = null;

  const add = async (ofDay: number, of: ReadonlyMap<string, Written>): Promise<void> => {
    const given = [...of.values()].flatMap(({ pending }) => [...pending.values()].map((each) => ({ ...each })));
    if (given.length === 0) return;
    const columns = [given.map((g) => g.principal), given.map((g) => g.env), given.map((g) => g.bytes)];
    const totals = await queryRows<{ principal: string; bytes: number }>(db, addSql, [ofDay, ...columns]);
    for (const { principal, env, bytes } of given) {
      const pending = of.get(principal)?.pending;
      const left = pending?.get(env);
      if (left === undefined) continue;
      left.bytes -= bytes;
      if (left.bytes === 0) pending?.delete(env);
    }
    for (const { principal, bytes } of totals) {
      const known = of.get(principal);
      if (known !== undefined) known.total = bytes;
    }
  };
  /** One at a time, so that nothing is added twice; what could not be added stays pending. */
  const flush = async (): Promise<void> => {
    while (flushing !== null) await flushing;
    flushing = add(day, written)
      .catch(onError)
      .finally(() => {
        flushing = null;
      });
    await flushing;
  };
  const flushSoon = (): void => {
    if (flushing === null) void flush();
  };
  const today = (): Map<string, Written> => {
    const now = Math.floor(clock.now() / dayMs);
    if (now !== day) {
      // Bytes of the day before do not count for today’s limit.
      void add(day, written).catch(onError);
      day = now;
      written = new Map();
    }
    return written;
  };
  const timer = setInterval(flushSoon, flushMs);
  timer.unref();

  return {
    require: async (principal, envId, grows) => {
      const known = today().get(principal);
      if (known !== undefined && limit !== 0 && sumOf(known) >= limit) {
        const seconds = Math.ceil(((day + 1) * dayMs - clock.now()) / 1000);
        throw fault(
          'rate_limited',
          `You have written your ${String(limit)} bytes of today; wait for retry-after seconds.`,
          {
            headers: { 'retry-after': String(Math.max(1, seconds)) },
          },
        );
      }
      if (grows && quota !== null && (await sizes.of(envId)).bytes >= quota) throw fault('quota_exceeded');
    },
    count: (principal, envId, bytes) => {
      const isNew = !today().has(principal);
      const known = getOrCreate(written, principal, () => ({ total: 0, pending: new Map<number, Given>() }));
      const given = getOrCreate(known.pending, envId, () => ({ principal, env: envId, bytes: 0 }));
      given.bytes += bytes;
      sizes.add(envId, bytes);
      // Of a principal who is new here, other processes may have added up much.
      if (isNew || (limit !== 0 && given.bytes >= limit / flushPart)) flushSoon();
    },
    sizeOf: async (envId) => Math.round((await sizes.of(envId)).bytes),
    flush,
    close: async () => {
      clearInterval(timer);
      await settlesWithin(closeMs, flush());
    },
  };
};
