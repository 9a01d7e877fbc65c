/**
 * The flag cache (`deps.flags`) of processes that evaluate flags or send them to apps. It loads when it is first used, then
 * reloads what has changed once per `pollMs` and at each wake signal through Redis. Changes are found by transaction ids:
 * everything that the last look could not see was written by a transaction at or after that look's horizon, so nothing is
 * missed.
 */
import type { DomainDeps } from '../accounts/deps.ts';
import type { Environment } from '../app/manifest/definition.ts';
import type { ManifestFlag } from '../app/manifest/manifest.ts';
import { getOrCreate } from '../platform/caches.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { type Bus, channels } from '../platform/redis/bus.ts';
import { type Evaluate, compileFlag } from './evaluate.ts';
import { type FlagRow, type ResolvedFlag, flagColumns, resolveFlag, toPercent } from './model.ts';

/** ms between two looks: how late a change is seen here when its wake signal was lost. */
const pollMs = 1_000;

const changedSinceSql = statement(
  'flags.news',
  `
  select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, f.env, f.key, f.version from (select 1) once left join flags f on f.changed >= $1::xid8`,
);
const readChangedSql = statement(
  'flags.changed',
  `
  select ${flagColumns} from flags join unnest($1::int[], $2::text[]) as wanted (wanted_env, wanted_key) on env = wanted_env and key = wanted_key`,
);

interface ChangedFlagRow {
  readonly horizon: string;
  readonly env: number | null;
  readonly key: string;
  readonly version: number;
}

export interface CachedFlag {
  readonly flag: ResolvedFlag;
  readonly evaluate: Evaluate;
}

interface FlagCache {
  /** Returns a declared flag as this process knows it, undefined when it is not declared. Waits only for the first look. */
  get(env: Environment, key: string): Promise<CachedFlag | undefined>;
  /** Called with the flags that a look has found changed. */
  onChange(listener: (envId: number, keys: readonly string[]) => void): () => void;
  /** Reloads now, if the cache is in use; resolves when everything that was committed before the call is known. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

interface FlagCacheDeps {
  readonly db: Db;
  readonly bus: Bus;
  readonly onError: (error: unknown) => void;
}

interface CompiledFlag extends CachedFlag {
  readonly declared: ManifestFlag;
  readonly row: FlagRow | undefined;
}

const compileCachedFlag = (declared: ManifestFlag, row: FlagRow | undefined): CompiledFlag => {
  const flag = resolveFlag(declared, row);
  const { value, rollout, targets, rules } = flag;
  return {
    declared,
    row,
    flag,
    evaluate: compileFlag({
      flag: declared.key,
      kind: declared.kind,
      value,
      rollout: rollout === null ? null : toPercent(rollout),
      targets,
      rules,
    }),
  };
};

type ByKey<V> = Map<number, Map<string, V>>;

const getOrCreateMap = <V>(all: ByKey<V>, envId: number): Map<string, V> => {
  const found = getOrCreate(all, envId, () => new Map<string, V>());
  return found;
};

export const openFlagCache = ({ db, bus, onError }: FlagCacheDeps): FlagCache => {
  const stored: ByKey<FlagRow> = new Map();
  const compiled: ByKey<CompiledFlag> = new Map();
  const listeners = new Set<(envId: number, keys: readonly string[]) => void>();
  /** Epochs of the environments' streams: with another one PostgreSQL may have lost what was read, and count transactions anew. */
  const epochs = new Map<number, number>();
  let horizon = '0';
  let restored = false;
  let first: Promise<void> | null = null;
  let looking: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  let end: (() => void) | null = null;
  let closed = false;

  const look = async (): Promise<void> => {
    const whole = restored;
    const found = await queryRows<ChangedFlagRow>(db, changedSinceSql, [whole ? '0' : horizon]);
    const newer = found.filter(
      ({ env: envId, key, version }) =>
        envId !== null && (whole || version > (stored.get(envId)?.get(key)?.version ?? 0)),
    );
    const read =
      newer.length === 0
        ? []
        : await queryRows<FlagRow>(db, readChangedSql, [newer.map(({ env }) => env), newer.map(({ key }) => key)]);
    if (whole) {
      stored.clear();
      restored = false;
    }
    for (const row of read) getOrCreateMap(stored, row.env).set(row.key, row);
    horizon = found[0]?.horizon ?? horizon;
    for (const envId of new Set(read.map((row) => row.env))) {
      const keys = read.filter((row) => row.env === envId).map((row) => row.key);
      for (const listener of listeners) listener(envId, keys);
    }
  };
  /** Runs one look at a time; calls during a look share the next one. */
  const refresh = (): Promise<void> => {
    if (closed) return Promise.resolve();
    if (looking === null) {
      looking = look().finally(() => {
        looking = null;
      });
      return looking;
    }
    next ??= looking
      .catch(() => undefined)
      .then(() => {
        next = null;
        return refresh();
      });
    return next;
  };
  const begin = (): Promise<void> => {
    if (end === null) {
      const quietly = (): void => {
        refresh().catch(onError);
      };
      const timer = setInterval(() => {
        if (looking === null) quietly();
      }, pollMs);
      const unsubscribe = bus.subscribe(channels.flags, quietly);
      end = () => {
        clearInterval(timer);
        unsubscribe();
      };
    }
    first ??= refresh().catch((error: unknown) => {
      first = null;
      throw error;
    });
    return first;
  };

  return {
    get: async (env, key) => {
      const declared = env.definition.flags.get(key);
      if (declared === undefined) return undefined;
      await begin();
      const epoch = epochs.get(env.id);
      epochs.set(env.id, env.epoch);
      if (epoch !== undefined && epoch !== env.epoch) {
        restored = true;
        await refresh();
      }
      const row = stored.get(env.id)?.get(key);
      const own = getOrCreateMap(compiled, env.id);
      const known = own.get(key);
      if (known !== undefined && known.declared === declared && known.row === row) return known;
      const made = compileCachedFlag(declared, row);
      own.set(key, made);
      return made;
    },
    onChange: (listener) => {
      listeners.add(listener);
      begin().catch(onError);
      return () => listeners.delete(listener);
    },
    refresh: () => (end === null ? Promise.resolve() : refresh()),
    close: async () => {
      closed = true;
      end?.();
      await looking?.catch(() => undefined);
    },
  };
};

export interface FlagDeps extends DomainDeps {
  readonly flags: FlagCache;
}
