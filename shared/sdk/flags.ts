/**
 * `client.flags`: what the environment's flags are for somebody, evaluated in the app's own process by the code that the
 * service evaluates them with. Holds all flags, heard of over the link; connect.ts makes one.
 */
import type { AppCalls, Json } from '../applink/protocol.ts';
import {
  compileFlag,
  type FlagEvaluation,
  type Evaluate,
  type EvaluationContext,
  type FlagState,
} from '../flags/evaluate.ts';
import type { Peer } from './peer.ts';

/** `targetingKey` is the record id; everything else are attributes that rules look at, by dotted paths. */
export type FlagContext = EvaluationContext;
export type FlagDecision = FlagEvaluation;

/** Answers never wait and never throw: the fallback before the first connection, for unknown flags, and for flags of another kind. */
export interface Flags {
  boolean(key: string, fallback: boolean, context?: FlagContext): boolean;
  string(key: string, fallback: string, context?: FlagContext): string;
  number(key: string, fallback: number, context?: FlagContext): number;
  /** The value is shared by all who ask: don't change it. */
  json<T>(key: string, fallback: T, context?: FlagContext): T;
  /** The value and why; null: no such flag is known. `kind`: of the flag. */
  decide(key: string, context?: FlagContext): (FlagDecision & { readonly kind: FlagState['kind'] }) | null;
  /** Resolves once the flags are known for the first time. */
  readonly ready: Promise<void>;
}

interface AppFlagCache {
  readonly flags: Flags;
  /** The connection has come or gone. */
  attach(peer: Peer | null): void;
  /** A flag was changed. */
  applyChange(flag: Json): void;
  close(): void;
}

interface FlagTiming {
  /** Between two looks at all flags, in ms: makes up for whatever was lost. */
  readonly relistMs: number;
  /** After a look that failed. */
  readonly retryMs: number;
}

const standardTiming: FlagTiming = { relistMs: 30_000, retryMs: 1_000 };
const listMs = 15_000;
const emptyContext: FlagContext = Object.freeze({});

interface CachedFlagState {
  readonly state: FlagState & { readonly version: number };
  /** Compiled when first asked for: a ramp's steps come more often than some flags are looked at. */
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
  return isFlag ? { state: flag as unknown as CachedFlagState['state'], evaluate: null } : null;
};

const fetchAllFlags = async (from: Peer): Promise<Json[]> => {
  const all: Json[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: AppCalls['flags.list']['result'] = await from.request(
      'flags.list',
      cursor === undefined ? {} : { cursor },
      listMs,
    );
    all.push(...page.flags);
    cursor = page.cursor;
  }
  return all;
};

export const createFlagCache = ({ relistMs, retryMs }: FlagTiming = standardTiming): AppFlagCache => {
  let known = new Map<string, CachedFlagState>();
  /** Flags heard of since the last list was asked for: they are newer than what it will say. */
  let heard = new Set<string>();
  let peer: Peer | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });

  const take = (listed: readonly Json[]): void => {
    const next = new Map<string, CachedFlagState>();
    for (const flag of listed) {
      const found = toCachedFlagState(flag);
      if (found === null) continue;
      const own = known.get(found.state.flag);
      next.set(
        found.state.flag,
        own !== undefined && heard.has(found.state.flag) && own.state.version >= found.state.version ? own : found,
      );
    }
    known = next;
    isReady();
  };
  const list = async (from: Peer): Promise<void> => {
    heard = new Set();
    let waitMs = relistMs;
    try {
      const flags = await fetchAllFlags(from);
      if (peer === from) take(flags);
    } catch {
      // The connection broke, or the service is busy: it is asked again, and what is known stays.
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
      boolean: (key, fallback, context = emptyContext) => {
        const value = decide(key, context)?.value;
        return typeof value === 'boolean' ? value : fallback;
      },
      string: (key, fallback, context = emptyContext) => {
        const value = decide(key, context)?.value;
        return typeof value === 'string' ? value : fallback;
      },
      number: (key, fallback, context = emptyContext) => {
        const value = decide(key, context)?.value;
        return typeof value === 'number' ? value : fallback;
      },
      json: <T>(key: string, fallback: T, context = emptyContext) =>
        known.get(key)?.state.kind === 'json' ? (decide(key, context)?.value as T) : fallback,
      decide: (key, context = emptyContext) => {
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
      if (found === null || found.state.version < (known.get(found.state.flag)?.state.version ?? 0)) return;
      known.set(found.state.flag, found);
      heard.add(found.state.flag);
    },
    close: () => {
      peer = null;
      clearTimeout(timer);
    },
  };
};
