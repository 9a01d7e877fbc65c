/**
 * Requests per token: a bucket in Redis, from which each process takes allowances in batches, so that most requests
 * ask nobody. Exact to one batch per process. When Redis is away nothing is limited.
 */
import { createHash } from 'node:crypto';
import { fault } from '../../shared/catalogue/errors.ts';
import type { AuthSession } from '../../shared/settings/directory.ts';
import type { Deps } from '../../shared/deps.ts';

/** Takes up to ARGV[3] of what the bucket holds; answers how many, what is left, and ms until the next one. */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local rate, burst, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local held = redis.call('HMGET', KEYS[1], 'n', 'at')
local n = math.min(burst, (tonumber(held[1]) or burst) + (now - (tonumber(held[2]) or now)) * rate / 1000)
local got = math.min(want, math.floor(n))
n = n - got
redis.call('HSET', KEYS[1], 'n', tostring(n), 'at', tostring(now))
redis.call('PEXPIRE', KEYS[1], math.ceil(burst * 1000 / rate) + 1000)
return { got, math.floor(n), math.ceil((1 - math.min(1, n)) * 1000 / rate) }`;
const sha = createHash('sha1').update(script).digest('hex');

/** How long an unused allowance may be kept before the bucket would have filled up by itself anyway. */
const allowanceTtlMs = 1000;
/** Requests let through without asking while Redis does not answer. */
const redisDownAllowanceMs = 1000;

interface Allowance {
  left: number;
  /** How many were asked for last: more each time that they were used up, one after a time without need. */
  batch: number;
  /** Of the whole bucket, when last asked. */
  remaining: number;
  /** An allowance is given up at this time. */
  until: number;
  /** The bucket was empty; asking again before this time is of no use. */
  emptyUntil: number;
  asking: Promise<void> | null;
}

/** What a response to a request or an upgrade carries; filled while it is looked at. */
export type ResponseHeaders = Record<string, string>;

export interface RateLimit {
  /** Counts one request of an address, and says so in `headers`. Throws `429 rate_limited`. */
  countAddress(address: string, headers: ResponseHeaders): Promise<void>;
  /** Counts one request by the token that `authenticated` finds, without one by its address, and says so in `headers`. Throws `429 rate_limited`. */
  count(authenticated: Promise<AuthSession>, address: string, headers: ResponseHeaders): Promise<AuthSession>;
  close(): void;
}

export const createRateLimit = ({ config, redis }: Deps): RateLimit => {
  const { rateLimit: rate, rateBurst: burst } = config;
  const batchMax = Math.max(1, Math.min(Math.floor(burst / 20), Math.floor(rate / 10)));
  const policy = `"default";q=${String(burst)};w=${String(Math.ceil(burst / rate))}`;
  const allowances = new Map<string, Allowance>();
  const sweep = setInterval(() => {
    const now = Date.now();
    for (const [key, allowance] of allowances)
      if (allowance.until < now && allowance.asking === null) allowances.delete(key);
  }, 10_000);
  sweep.unref();

  const ask = async (key: string, allowance: Allowance): Promise<void> => {
    allowance.batch = allowance.left > 0 ? 1 : Math.min(2 * allowance.batch, batchMax);
    const call = [1, `${redis.prefix}:rate:${key}`, rate, burst, allowance.batch] as const;
    let answer: unknown;
    try {
      answer = await redis.command.evalsha(sha, ...call).catch((error: unknown) => {
        if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return redis.command.eval(script, ...call);
        throw error;
      });
    } catch {
      Object.assign(allowance, { left: burst, remaining: burst, until: Date.now() + redisDownAllowanceMs });
      return;
    }
    const [got = 0, remaining = 0, waitMs = 0] = answer as number[];
    const now = Date.now();
    Object.assign(allowance, {
      left: got,
      remaining,
      until: now + allowanceTtlMs,
      emptyUntil: got === 0 ? now + waitMs : 0,
    });
  };

  const take = async (key: string, headers: ResponseHeaders): Promise<void> => {
    let allowance = allowances.get(key);
    if (allowance === undefined) {
      allowance = { left: 0, batch: 0.5, remaining: burst, until: 0, emptyUntil: 0, asking: null };
      allowances.set(key, allowance);
    }
    const held = allowance;
    while ((held.left <= 0 || held.until < Date.now()) && held.emptyUntil <= Date.now()) {
      held.asking ??= ask(key, held).finally(() => {
        held.asking = null;
      });
      await held.asking;
    }
    headers['ratelimit-policy'] = policy;
    if (held.left <= 0) {
      const seconds = String(Math.max(1, Math.ceil((held.emptyUntil - Date.now()) / 1000)));
      headers['ratelimit'] = `"default";r=0;t=${seconds}`;
      throw fault('rate_limited', undefined, { headers: { 'retry-after': seconds } });
    }
    held.left -= 1;
    // Used up isn't empty: the next one asks.
    if (held.left === 0) held.until = 0;
    const remaining = held.left + held.remaining;
    headers['ratelimit'] = `"default";r=${String(remaining)};t=${String(Math.ceil((burst - remaining) / rate))}`;
  };
  const countAddress = (address: string, headers: ResponseHeaders): Promise<void> =>
    take(`address-${address}`, headers);

  return {
    countAddress,
    count: async (authenticated, address, headers) => {
      let session: AuthSession;
      try {
        session = await authenticated;
      } catch (error) {
        await countAddress(address, headers);
        throw error;
      }
      await take(session.credential, headers);
      return session;
    },
    close: () => {
      clearInterval(sweep);
    },
  };
};
