/** Composition root: what a process keeps open, made once and closed in reverse; used by every process. */
import { openDirectory } from './accounts/directory.ts';
import { createOpenId } from './accounts/openId/provider.ts';
import { openWriteMeter } from './accounts/writtenBytes.ts';
import { openAppLink } from './app/link/redisLink.ts';
import { countSettledRun } from './bulk/progress.ts';
import { openFlagCache } from './flags/flagCache.ts';
import type { Config } from './platform/config/config.ts';
import { createContact, watchContact } from './platform/db/contact.ts';
import { openDatabaseClock, type DatabaseClock } from './platform/db/databaseClock.ts';
import { isDbUnavailable } from './platform/db/errors.ts';
import { openDb, type Db } from './platform/db/knex.ts';
import { createOutageHook } from './platform/db/outageLog.ts';
import { openReadPool } from './platform/db/readPool.ts';
import { waitForSchema } from './platform/db/schemaVersion.ts';
import { openStandbys, type Standbys } from './platform/db/standby/standbys.ts';
import { useIdClock } from './platform/ids.ts';
import { createLog, type Log } from './platform/log/log.ts';
import { openRedis, type RedisConnections } from './platform/redis/connect.ts';
import { createRefusalReporter } from './platform/redis/droppedMessages.ts';
import { openKeyRing } from './platform/redis/keyRing.ts';
import { readSite, createRedisHealth } from './platform/redis/redisHealth.ts';
import type { Clock } from './platform/time/clock.ts';
import type { Tracer } from './platform/tracing/span.ts';
import type { ViewDeps } from './views/deps.ts';

export type Deps = ViewDeps;

/** Returns what `open` reads from PostgreSQL; waits for that, and for a schema that fits, as often as it goes away meanwhile. */
const openOnceAvailable = async <T>(db: Db, log: Log, open: () => Promise<T>): Promise<T> => {
  for (;;) {
    await waitForSchema(db, log);
    try {
      return await open();
    } catch (error) {
      if (!isDbUnavailable(error)) throw error;
    }
  }
};

/** Returns the tracer of an API or a worker; null unless traces are configured, and then its libraries are not loaded. */
const openTracing = async (config: Config, part: string, log: Log): Promise<Tracer | null> => {
  const { tracing, processName } = config;
  if (tracing === null || (part !== 'api' && part !== 'workers')) return null;
  const { openTracer } = await import('./platform/tracing/openTracer.ts');
  return openTracer(tracing, { part, processName, log });
};

/** Returns the standbys of an API; null when none is configured. */
const openReplicas = (
  { standbys, databaseUrl: primaryUrl, readPoolSize: poolSize }: Config,
  part: string,
  log: Log,
): Standbys | null =>
  standbys === null || part !== 'api'
    ? null
    : openStandbys({
        ...standbys,
        primaryUrl,
        poolSize,
        applicationName: `console-${part}-standby`,
        onAway: (standby, reason, err) =>
          log.warn(
            { standby, reason, ...(err === undefined ? {} : { err }) },
            'the primary serves the reads of a standby',
          ),
        onBack: (standby) => log.info({ standby }, 'the standby serves reads again'),
      });

/** Opens PostgreSQL, Redis and the directory for the process part `part` (`api`, `workers`, `admin`), once the schema fits this build. */
export const openDeps = async (config: Config, part: string, testClock?: Clock): Promise<Deps> => {
  const contact = createContact();
  const log = createLog(config, part, (get) => createOutageHook(get, contact));
  const primary = { url: config.databaseUrl, onConnect: contact.follow };
  const db = openDb({ ...primary, poolSize: config.poolSize, applicationName: `console-${part}` });
  const reads = openReadPool({
    ...primary,
    poolSize: config.readPoolSize,
    applicationName: `console-${part}-reads`,
    onFull: (waiting) =>
      log.warn({ waiting, readPoolSize: config.readPoolSize }, 'all connections for reads are in use'),
  });
  const probes = openDb({ ...primary, poolSize: 1, applicationName: `console-${part}-probes` });
  const standbys = openReplicas(config, part, log);
  let redis: RedisConnections | null = null;
  let time: DatabaseClock | null = null;
  try {
    const present = (time = await openOnceAvailable(db, log, () => openDatabaseClock(probes, log)));
    const clock = testClock ?? present;
    useIdClock(present);
    const keys = await openOnceAvailable(db, log, () =>
      openKeyRing(db, present, (error) => {
        log.warn({ err: error }, 'the keys of messages between processes could not be read');
      }),
    );
    const site = await openOnceAvailable(db, log, () => readSite(db));
    const redisHealth = createRedisHealth(log, config.redisUrl);
    redis = redisHealth.watch(
      openRedis(
        { url: config.redisUrl, prefix: config.redisPrefix, onError: redisHealth.onError },
        { keys, onRefused: createRefusalReporter(log) },
      ),
      site,
    );
    const { bus, onRefused } = redis;
    const directory = await openOnceAvailable(db, log, () =>
      openDirectory({
        db,
        bus,
        clock,
        idleMs: config.sessionIdleMs,
        onError: (error) => log.warn({ err: error }, 'the directory could not be read'),
      }),
    );
    const link = openAppLink({ db, bus, clock, config, log, onRefused });
    const flags = openFlagCache({
      db,
      bus,
      onError: (error) => log.debug({ err: error }, 'flags could not be read; they will be in a second'),
    });
    const openId = createOpenId(config);
    const meter = openWriteMeter({
      db,
      clock,
      config,
      onError: (error) =>
        log.debug({ err: error }, 'written bytes could not be added up; they will be in some seconds'),
    });
    const tracer = await openTracing(config, part, log);
    return {
      config,
      clock,
      time: present,
      log,
      tracer,
      db,
      reads,
      probes,
      contact: watchContact(contact, probes, log),
      standbys,
      redis,
      bus,
      directory,
      link,
      flags,
      openId,
      meter,
      afterRun: countSettledRun,
    };
  } catch (error) {
    time?.close();
    await redis?.close();
    await standbys?.close();
    await reads.close();
    await probes.destroy();
    await db.destroy();
    throw error;
  }
};

export const closeDeps = async ({
  meter,
  directory,
  link,
  flags,
  redis,
  reads,
  probes,
  contact,
  time,
  standbys,
  db,
  tracer,
}: Deps): Promise<void> => {
  contact.close();
  time.close();
  await meter.close();
  await flags.close();
  await link.close();
  await directory.close();
  await redis.close();
  await standbys?.close();
  await reads.close();
  await probes.destroy();
  await db.destroy();
  await tracer?.close();
};
