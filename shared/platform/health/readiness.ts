/** Checks whether a process can serve, for `/ready` of API and workers. */
import { describeSkew } from '../db/databaseClock.ts';
import { describeDbRefusal } from '../db/errors.ts';
import { neededSchemaVersion, readSchemaState } from '../db/schemaVersion.ts';
import { queryRow, statement } from '../db/sql.ts';
import type { PlatformDeps } from '../deps.ts';
import { testWrite } from '../redis/connect.ts';
import { shared, within } from './figures.ts';
import type { ProbeAnswer } from './probes.ts';

/** ms for which a check answers all who ask: however often that is, PostgreSQL is asked four times a second. */
const keepMs = 250;
/** ms after which PostgreSQL does not answer: below the time-outs of load balancers, above a checkpoint's stall. */
const postgresMs = 1_500;
/** ms after which PostgreSQL does not say how old the oldest job and message are. */
const oldestMs = 500;
/** ms after which Redis does not answer. It may not hold up the answer, as the process serves without it. */
const redisMs = 200;
/** ms that a job or a message is late for the process to be degraded: longer than the change to another worker takes. */
const lateMs = 60_000;

const oldestSql = statement(
  'health.oldest',
  `
  select (select min(due_at) from staged_jobs where enqueued_at is null and due_at is not null) as job,
    (select at from outbox order by id limit 1) as message`,
);

interface Oldest {
  readonly job: number | null;
  readonly message: number | null;
}

type Tools = Pick<PlatformDeps, 'db' | 'probes' | 'redis' | 'clock' | 'time'>;

/**
 * Returns the function that checks. A process whose connections are all in use, or wait for a lock, is one that can serve: it
 * refuses what it has no room for, and all processes would be full one after the other if each were taken out for it. What it
 * asks and has no answer yet, as PostgreSQL is frozen, it doesn't ask again.
 */
const createCheck = ({ db, probes, redis, clock, time }: Tools): (() => Promise<ProbeAnswer>) => {
  // A server that has no connection left to give may still serve those that the process has.
  const readSchema = shared(() => readSchemaState(probes).catch(() => readSchemaState(db)));
  /** Why PostgreSQL gives no connection, as far as it says so. */
  let refusal: string | null = null;
  const readOldest = shared(() => queryRow<Oldest>(db, oldestSql));
  const writeRedis = shared(async () => {
    await testWrite(redis);
    return true;
  });
  return async () => {
    const [state, found, redisWrites] = await Promise.all([
      within(
        postgresMs,
        readSchema().catch((error: unknown) => {
          refusal = describeDbRefusal(error);
          return null;
        }),
      ),
      within(oldestMs, readOldest()),
      redis.bus.connected ? within(redisMs, writeRedis()) : null,
    ]);
    const oldest = found ?? null;
    const now = clock.now();
    const skew = describeSkew(time.skewMs());
    const redisRefusal = redis.refusal();
    /** 0: nothing waits; null: PostgreSQL does not say. */
    const ageOf = (name: keyof Oldest): number | null =>
      oldest === null ? null : Math.max(0, now - (oldest[name] ?? now));
    const ages = { oldestDueJobMs: ageOf('job'), oldestUnpublishedMs: ageOf('message') };
    const ready = state?.fits === true;
    const degraded = [
      ...(redisWrites === true ? [] : ['redis']),
      ...((ages.oldestDueJobMs ?? 0) >= lateMs ? ['jobs'] : []),
      ...((ages.oldestUnpublishedMs ?? 0) >= lateMs ? ['messages'] : []),
      ...(skew === null ? [] : ['clock']),
    ];
    const reasons = [
      ...(state === null ? [`PostgreSQL ${refusal === null ? 'does not answer' : `refuses us: ${refusal}`}.`] : []),
      ...(redisWrites === true
        ? []
        : [`Redis ${redisRefusal === null ? 'does not answer, or takes no writes' : `refuses us: ${redisRefusal}`}.`]),
      ...(state?.fits === false ? [`The schema does not fit: ${state.reason}.`] : []),
      ...(skew === null ? [] : [skew]),
    ];
    const schema = { fits: ready, version: state?.version ?? null, needed: neededSchemaVersion };
    return {
      status: ready ? 200 : 503,
      body: { ready, degraded, reasons, postgres: state !== null, schema, redis: redisWrites === true, ...ages },
      ...(ready ? {} : { headers: { 'retry-after': '1' } }),
    };
  };
};

/**
 * Returns the function that answers `/ready`: 200 while PostgreSQL answers and its schema fits this build, else 503. What
 * the process serves without stands in `degraded`. All who ask share one check, which is at most 250 ms old.
 */
export const createReadiness = (tools: Tools): (() => Promise<ProbeAnswer>) => {
  const check = createCheck(tools);
  let last: { readonly answer: ProbeAnswer; readonly at: number } | null = null;
  const renew = shared(async () => {
    const at = performance.now();
    const answer = await check();
    last = { answer, at };
    return answer;
  });
  return async () => (last !== null && performance.now() - last.at <= keepMs ? last.answer : renew());
};
