/**
 * `client.flags`: evaluates the environment's flags in the app's own process, by the code that the service evaluates them
 * with. Caches all flags, which come over the link; connect.ts makes one.
 */
import type { Actor, AppCalls, Json } from '../app/link/protocol.ts';
import {
  compileFlag,
  type Evaluate,
  type EvaluationContext,
  type FlagEvaluation,
  type FlagState,
} from '../flags/evaluate.ts';
import type { AnyFlagNames, FlagNames } from './clientTypes.ts';
import type { Peer } from './peer.ts';

/**
 * Whom a flag is evaluated for. `targetingKey` is the record id; all other members are attributes that the conditions of
 * rules read by dotted paths.
 *
 * @example
 * { targetingKey: 'user-17', plan: 'team', country: 'DE' }
 */
export type FlagContext = EvaluationContext;
/**
 * The value of a flag and why: `reason` is that of OpenFeature, `variant` is `on` or `off` for boolean values and null for
 * others. `keyMissing` is true, and `value` null, when a percentage had to decide and the context has no `targetingKey`.
 */
export type FlagDecision = FlagEvaluation;

/** A flag as `GET /flags/:flag` returns it; `flag` is its key. */
export interface ChangedFlag extends FlagState, Json {
  readonly version: number;
  readonly ramp: Json | null;
  readonly approval: boolean;
  readonly danger: 'low' | 'high' | null;
  readonly reasonRequired: boolean;
  readonly description: string | null;
  readonly default: unknown;
  readonly resource: string | null;
  /** ms since 1970 UTC; null: it was never changed. */
  readonly updatedAt: number | null;
  readonly updatedBy: Actor | null;
}

/**
 * The environment's flags. Evaluation reads memory: it never waits and never throws. It returns the fallback before the first
 * connection, for unknown flags and for flags of another kind. While offline the last known flags hold. `N` has the
 * names of the app's flags by kind.
 *
 * @example
 * if (client.flags.boolean('new-checkout', false, { targetingKey: user.id, plan: user.plan })) showNewCheckout();
 */
export interface Flags<N extends FlagNames = AnyFlagNames> {
  /** Returns the value of a boolean flag, or `fallback`. */
  boolean(key: N['boolean'], fallback: boolean, context?: FlagContext): boolean;
  /** Returns the value of a string flag, or `fallback`. */
  string(key: N['string'], fallback: string, context?: FlagContext): string;
  /** Returns the value of a number flag, or `fallback`. */
  number(key: N['number'], fallback: number, context?: FlagContext): number;
  /**
   * Returns the value of a JSON flag, or `fallback`. All callers share the value: don't change it. Its type is not checked at
   * run time.
   */
  json<T>(key: N['json'], fallback: T, context?: FlagContext): T;
  /** Returns the value of a flag of any kind, why it has that value, and the flag's `kind`; null when no such flag is known. */
  decide(key: N['any'], context?: FlagContext): (FlagDecision & { readonly kind: FlagState['kind'] }) | null;
  /** Resolves when the flags have come for the first time. Never rejects. */
  readonly ready: Promise<void>;
}

interface AppFlagCache {
  readonly flags: Flags;
  /** Sets the connection that flags are read from; null: none. */
  attach(peer: Peer | null): void;
  /** Stores a flag that the service sent, unless it, or a newer version, is cached. */
  applyChange(flag: Json): void;
  close(): void;
}

interface FlagTiming {
  /** Time between two readings of all flags, in ms: makes up for a lost notification. */
  readonly relistMs: number;
  /** Time after a reading that failed, in ms. */
  readonly retryMs: number;
}

const standardTiming: FlagTiming = { relistMs: 30_000, retryMs: 1_000 };
/** How long one page of flags may take. */
const listTimeoutMs = 15_000;
const emptyContext: FlagContext = Object.freeze({});

interface CachedFlagState {
  readonly state: ChangedFlag;
  /** Compiled at the first evaluation, as a ramp changes some flags more often than they are evaluated. */
  evaluate: Evaluate | null;
}

const toCachedFlagState = (flag: Json): CachedFlagState | null => {
  const { flag: key, version, targets, rules } = flag;
  const isFlag =
    typeof key === 'string' &&
    typeof version === 'number' &&
    typeof targets === 'object' &&
    targets !== null &&
    Array.isArray(rules);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service sends whole flags; what evaluation relies on is checked above
  return isFlag ? { state: flag as unknown as ChangedFlag, evaluate: null } : null;
};

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const fetchAllFlags = async (from: Peer): Promise<Json[]> => {
  const all: Json[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: AppCalls['flags.list']['result'] = await from.request(
      'flags.list',
      cursor === undefined ? {} : { cursor },
      listTimeoutMs,
    );
    all.push(...page.flags);
    cursor = page.cursor;
  }
  return all;
};

/** Returns a cache that tells `onChanged` of each flag that comes in, but for those of the first reading. */
export const createFlagCache = (
  onChanged: (flag: ChangedFlag) => void = () => undefined,
  { relistMs, retryMs }: FlagTiming = standardTiming,
): AppFlagCache => {
  let known = new Map<string, CachedFlagState>();
  /** Flags that have come since the last reading of all began: they may be newer than what it returns. */
  let changed = new Set<string>();
  let peer: Peer | null = null;
  let timer: NodeJS.Timeout | undefined;
  let hasAll = false;
  let isReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });

  const replaceAll = (listed: readonly Json[]): void => {
    const next = new Map<string, CachedFlagState>();
    for (const flag of listed) {
      const found = toCachedFlagState(flag);
      if (found === null) continue;
      const own = known.get(found.state.flag);
      next.set(
        found.state.flag,
        own !== undefined && changed.has(found.state.flag) && own.state.version >= found.state.version ? own : found,
      );
    }
    const former = known;
    known = next;
    const isFirst = !hasAll;
    hasAll = true;
    isReady();
    if (isFirst) return;
    for (const [key, { state }] of next) {
      const was = former.get(key)?.state;
      if (was?.version !== state.version || !isSame(was.value, state.value)) onChanged(state);
    }
  };
  const list = async (from: Peer): Promise<void> => {
    changed = new Set();
    let waitMs = relistMs;
    try {
      const flags = await fetchAllFlags(from);
      if (peer === from) replaceAll(flags);
    } catch {
      // The connection broke, or the service is busy: the cache stays as it is until the retry.
      waitMs = retryMs;
    }
    if (peer !== from) return;
    timer = setTimeout(() => void list(from), waitMs);
    timer.unref();
  };

  const decide = (key: string, context: FlagContext): FlagEvaluation | null => {
    const found = known.get(key);
    if (found === undefined) return null;
    return (found.evaluate ??= compileFlag(found.state))(context);
  };

  return {
    flags: {
      boolean: (key: string, fallback, context = emptyContext) => {
        const value = decide(key, context)?.value;
        return typeof value === 'boolean' ? value : fallback;
      },
      string: (key: string, fallback, context = emptyContext) => {
        const value = decide(key, context)?.value;
        return typeof value === 'string' ? value : fallback;
      },
      number: (key: string, fallback, context = emptyContext) => {
        const value = decide(key, context)?.value;
        return typeof value === 'number' ? value : fallback;
      },
      json: <T>(key: string, fallback: T, context = emptyContext) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller names the type of the flag's JSON
        known.get(key)?.state.kind === 'json' ? (decide(key, context)?.value as T) : fallback,
      decide: (key: string, context = emptyContext) => {
        const found = decide(key, context);
        return found === null ? null : { ...found, kind: known.get(key)?.state.kind ?? 'json' };
      },
      ready,
    },
    attach: (next) => {
      peer = next;
      clearTimeout(timer);
      if (next !== null) void list(next);
    },
    applyChange: (flag) => {
      const found = toCachedFlagState(flag);
      if (found === null) return;
      const own = known.get(found.state.flag)?.state;
      if (own !== undefined && (found.state.version < own.version || isSame(own, found.state))) return;
      known.set(found.state.flag, found);
      changed.add(found.state.flag);
      onChanged(found.state);
    },
    close: () => {
      peer = null;
      clearTimeout(timer);
    },
  };
};
