/**
 * The rate limit by token or address: a token bucket in Redis, from which each process takes allowances in batches, so
 * that most requests need no round trip. Exact to one batch per process. While Redis is unavailable nothing is limited.
 */
import { createHash } from 'node:crypto';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import { fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { addressBlock } from '../../shared/platform/http.ts';
import { redisKeys } from '../../shared/platform/redis/bus.ts';

/** Takes up to ARGV[3] requests from the bucket; returns how many, how many are left, and the milliseconds until the next one. */
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local rate, burst, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local bucket = redis.call('HMGET', KEYS[1], 'n', 'at')
-- Whatever somebody wrote there, a bucket is never emptier than empty and never in the future.
local n = math.max(0, math.min(burst, (tonumber(bucket[1]) or burst) + math.max(0, now - (tonumber(bucket[2]) or now)) * rate / 1000))
local got = math.min(want, math.floor(n))
n = n - got
redis.call('HSET', KEYS[1], 'n', tostring(n), 'at', tostring(now))
redis.call('PEXPIRE', KEYS[1], math.ceil(burst * 1000 / rate) + 1000)
return { got, math.floor(n), math.ceil((1 - math.min(1, n)) * 1000 / rate) }`;
const sha = createHash('sha1').update(script).digest('hex');

/** How long a process may keep an unused allowance, in milliseconds; then it requests from the bucket again. */
const allowanceTtlMs = 1000;
/** How long requests pass without a look at the bucket after Redis did not answer, in milliseconds. */
const redisDownAllowanceMs = 1000;

interface Allowance {
  left: number;
  /** How many requests were taken last: twice as many each time that they were used up, one after an idle time. */
  batch: number;
  /** How many were left in the bucket when it was last read. */
  remaining: number;
  /** When the allowance expires, by `performance.now()`. */
  until: number;
  /** The bucket was empty and stays so until this time, by `performance.now()`. */
  emptyUntil: number;
  asking: Promise<void> | null;
}

/** The headers of the response to a request or an upgrade, added to on the way. */
export type ResponseHeaders = Record<string, string>;

export interface RateLimiter {
  /** Counts one request of an address (of IPv6 by /64), and sets `headers`. Throws `429 rate_limited`. */
  countAddress(address: string | null, headers: ResponseHeaders): Promise<void>;
  /** Counts one request of a token, named by its hash, and sets `headers`; at once while the process has an allowance. Throws `429 rate_limited`. */
  countToken(credential: string, headers: ResponseHeaders): Promise<void> | undefined;
  /** Returns what `authenticated` finds; counts one request by that token, without one by the address. Throws `429 rate_limited`. */
  count(authenticated: Promise<AuthSession>, address: string | null, headers: ResponseHeaders): Promise<AuthSession>;
  close(): void;
}

export const createRateLimiter = ({ config, redis }: Deps): RateLimiter => {
  const { rateLimit: rate, rateBurst: burst } = config;
  const batchMax = Math.max(1, Math.min(Math.floor(burst / 20), Math.floor(rate / 10)));
  const policy = `"default";q=${String(burst)};w=${String(Math.ceil(burst / rate))}`;
  const allowances = new Map<string, Allowance>();
  const sweep = setInterval(() => {
    const now = performance.now();
    for (const [key, allowance] of allowances)
      if (allowance.until < now && allowance.asking === null) allowances.delete(key);
  }, 10_000);
  sweep.unref();

  const ask = async (key: string, allowance: Allowance): Promise<void> => {
    const passUncounted = (): void => {
      Object.assign(allowance, { left: burst, remaining: burst, until: performance.now() + redisDownAllowanceMs });
    };
    // Nobody waits for a Redis that is known not to answer.
    if (!redis.bus.connected) {
      passUncounted();
      return;
    }
    allowance.batch = allowance.left > 0 ? 1 : Math.min(2 * allowance.batch, batchMax);
    const call = [1, redis.key(redisKeys.rate(redis.digest(key))), rate, burst, allowance.batch] as const;
    let answer: unknown;
    try {
      answer = await redis.command.evalsha(sha, ...call).catch((error: unknown) => {
        if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return redis.command.eval(script, ...call);
        throw error;
      });
    } catch {
      passUncounted();
      return;
    }
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the script above returns three numbers
    const [got = 0, remaining = 0, waitMs = 0] = answer as number[];
    const now = performance.now();
    Object.assign(allowance, {
      left: got,
      remaining,
      until: now + allowanceTtlMs,
      emptyUntil: got === 0 ? now + waitMs : 0,
    });
  };

  const allowanceOf = (key: string): Allowance => {
    let allowance = allowances.get(key);
    if (allowance === undefined) {
      allowance = { left: 0, batch: 0.5, remaining: burst, until: 0, emptyUntil: 0, asking: null };
      allowances.set(key, allowance);
    }
    return allowance;
  };

  const mustAsk = ({ left, until, emptyUntil }: Allowance, now: number): boolean =>
    (left <= 0 || until < now) && emptyUntil <= now;

  const takeOne = (allowance: Allowance, headers: ResponseHeaders): void => {
    headers['ratelimit-policy'] = policy;
    if (allowance.left <= 0) {
      const seconds = String(Math.max(1, Math.ceil((allowance.emptyUntil - performance.now()) / 1000)));
      headers['ratelimit'] = `"default";r=0;t=${seconds}`;
      throw fault('rate_limited', undefined, { headers: { 'retry-after': seconds } });
    }
    allowance.left -= 1;
    // An allowance that is used up is not an empty bucket: the next request reads the bucket.
    if (allowance.left === 0) allowance.until = 0;
    const remaining = allowance.left + allowance.remaining;
    headers['ratelimit'] = `"default";r=${String(remaining)};t=${String(Math.ceil((burst - remaining) / rate))}`;
  };

  const askAndTake = async (key: string, allowance: Allowance, headers: ResponseHeaders): Promise<void> => {
    while (mustAsk(allowance, performance.now())) {
      allowance.asking ??= ask(key, allowance).finally(() => {
        allowance.asking = null;
      });
      await allowance.asking;
    }
    takeOne(allowance, headers);
  };

  const take = (key: string, headers: ResponseHeaders): Promise<void> | undefined => {
    const allowance = allowanceOf(key);
    return mustAsk(allowance, performance.now())
      ? askAndTake(key, allowance, headers)
      : void takeOne(allowance, headers);
  };
  const countAddress = async (address: string | null, headers: ResponseHeaders): Promise<void> =>
    take(`address-${addressBlock(address)}`, headers);

  return {
    countAddress,
    countToken: take,
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
