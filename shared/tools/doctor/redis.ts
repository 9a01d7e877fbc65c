/** The checks of `npm run doctor` on Redis or a Redis Cluster. Run by main.ts. */
import { randomBytes } from 'node:crypto';
import type { Config } from '../../platform/config/config.ts';
import { parseClusterUrl } from '../../platform/config/configValues.ts';
import { openDb } from '../../platform/db/knex.ts';
import { redisKeys } from '../../platform/redis/bus.ts';
import { closeClient, openClient, producerOptions, type RedisClient } from '../../platform/redis/client.ts';
import { readSite, readSites } from '../../platform/redis/redisHealth.ts';
import { describeConnectError } from '../services/connectError.mjs';
import {
  attemptAll,
  checkCertificate,
  checkClock,
  checkUnencrypted,
  fail,
  isLoopback,
  ok,
  warn,
  type Finding,
} from './finding.ts';
import { findForbiddenCommands } from './redisCommands.ts';

/** The cause and the remedy, by the code at the start of Redis' error message. */
const refusals: Readonly<Record<string, string>> = {
  OOM: 'Redis is full and refuses writes: raise maxmemory, or remove what others keep there; maxmemory-policy stays noeviction',
  MISCONF:
    'Redis refuses writes, as it could not save its data: look at the space and the rights of its folder, and at its log',
  READONLY: 'Redis is a replica that only reads: name the master in REDIS_URL, or promote this server',
  NOREPLICAS:
    'Redis refuses writes, as fewer replicas follow than min-replicas-to-write: look at the replicas, or lower it',
  CLUSTERDOWN: 'the Redis Cluster is down: some of its slots have no master; look at cluster nodes',
};

/** Returns the finding of an error by which Redis refuses writes, or null for any other error. */
const findRefusal = (error: unknown): Finding | null => {
  const text = error instanceof Error ? refusals[error.message.split(' ', 1)[0] ?? ''] : undefined;
  return text === undefined ? null : fail('redis.writes', text);
};

/** Returns the finding about writes, or null where the user may not write `key`, which the check of the ACL tells. */
const checkRedisWrites = async (client: RedisClient, key: string): Promise<Finding | null> => {
  try {
    await client.set(key, '1', 'PX', 10_000);
    await client.del(key);
    return ok('redis.writes', 'Redis takes writes');
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return null;
    const refusal = findRefusal(error);
    if (refusal === null) throw error;
    return refusal;
  }
};

/** Returns the installation of DATABASE_URL; null where PostgreSQL does not say, which its own checks tell. */
const readOwn = async (databaseUrl: string): Promise<string | null> => {
  const db = openDb({ url: databaseUrl, poolSize: 1, applicationName: 'console-doctor' });
  try {
    return await readSite(db);
  } catch {
    return null;
  } finally {
    await db.destroy();
  }
};

/** Returns the finding; none where the user may not read the key, which the check of the ACL tells. `now` is the clock of Redis in epoch ms. */
const checkSites = async (
  client: RedisClient,
  { redisPrefix, databaseUrl }: { readonly redisPrefix: string; readonly databaseUrl: string },
  now: number,
): Promise<readonly Finding[]> => {
  const sites = await readSites(client, `${redisPrefix}:${redisKeys.sites}`, now).catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return null;
    throw error;
  });
  if (sites === null) return [];
  const own = await readOwn(databaseUrl);
  // Of several of which none is known to be this one, one is.
  const others = own === null ? sites.length - 1 : sites.filter((site) => site !== own).length;
  return [
    others <= 0
      ? ok('redis.prefix', `no processes of another database use the prefix ${redisPrefix}`)
      : fail(
          'redis.prefix',
          `processes of another database used the prefix ${redisPrefix} in the last two minutes: they take this one’s jobs and messages and refuse them; give each installation a REDIS_PREFIX of its own`,
        ),
  ];
};

interface Place {
  readonly hosts: readonly string[];
  /** With ports, as they are told. */
  readonly addresses: readonly string[];
  readonly tls: boolean;
  readonly name: string;
  readonly password: string;
}

const placeOf = (url: string): Place => {
  const cluster = parseClusterUrl(url);
  if (cluster !== null)
    return {
      hosts: cluster.nodes.map(({ host }) => host),
      addresses: cluster.nodes.map(({ host, port }) => `${host}:${String(port)}`),
      tls: cluster.tls,
      name: cluster.username ?? 'default',
      password: cluster.password ?? '',
    };
  const { protocol, hostname, port, username, password } = new URL(url);
  return {
    hosts: [hostname],
    addresses: [`${hostname}:${port === '' ? '6379' : port}`],
    tls: protocol === 'rediss:',
    name: username === '' ? 'default' : username,
    password,
  };
};

/** Returns the findings that REDIS_URL alone shows: encryption, and a password. */
export const checkRedisAddress = (redisUrl: string): Finding[] => {
  const place = placeOf(redisUrl);
  const { hosts, name, password, tls } = place;
  const isLocal = hosts.every(isLoopback);
  const encryption = tls
    ? ok('redis.tls', 'the connection is encrypted')
    : checkUnencrypted('redis.tls', 'Redis', hosts, 'use rediss:// or rediss-cluster://');
  if (password !== '')
    return [
      encryption,
      name === 'default'
        ? warn(
            'redis.user',
            'the service is the user default, who may do everything: give it a user of its own by ACL (docs/production.md)',
          )
        : ok('redis.user', `the service is the user ${name}`),
    ];
  const open =
    'Redis is used without a password: whoever reaches it may hold up background work; set one, best of a user of its own by ACL';
  return [encryption, isLocal ? warn('redis.user', open) : fail('redis.user', open)];
};

/** Returns what to try when a connection fails for this reason, or an empty text. */
const hintFor = (tls: boolean, error: unknown): string => {
  if (!(error instanceof Error)) return '';
  const text = `${'code' in error ? String(error.code) : ''} ${error.message}`;
  if (/certificate|self.signed|unable to (verify|get)|unknown ca|CERT_|alert/i.test(text))
    return '; is the certificate’s authority known to Node (NODE_EXTRA_CA_CERTS), and is the host the one that it names?';
  // A Redis without TLS waits for the end of a line, which a handshake does not have; a frozen one waits too.
  if (tls && /ETIMEDOUT|timed out/i.test(text))
    return '; does it answer anybody, and does it speak TLS there? Without TLS the address begins with redis:// or redis-cluster://';
  if (tls && /wrong.version.number|EPROTO|packet.length|ECONNRESET|EPIPE|socket disconnected/i.test(text))
    return '; does it speak TLS there? Without TLS the address begins with redis:// or redis-cluster://';
  if (!tls && /ECONNRESET|EPIPE|Protocol error|Connection is closed/i.test(text))
    return '; is it a port for TLS? Then the address begins with rediss:// or rediss-cluster://';
  return '';
};

/** What stands for a connection that ends without an error of its own, again and again. */
const closed = Object.assign(new Error('the connection is closed'), { code: 'ECONNRESET' });
const isClosed = (error: unknown): boolean => error instanceof Error && /max retries|closed/.test(error.message);

const oldestVersion = [6, 2] as const;

/** Returns a value of INFO. */
const infoOf = async (client: RedisClient, section: string, name: string): Promise<string | undefined> =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(await client.info(section))?.[1];

const checkVersion = async (client: RedisClient): Promise<Finding> => {
  const version = await infoOf(client, 'server', 'redis_version');
  if (version === undefined) return warn('redis.version', 'Redis does not say its version; 6.2 or newer is needed');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
  return fits
    ? ok('redis.version', `Redis ${version}`)
    : fail('redis.version', `Redis ${version} is too old: 6.2 or newer is needed`);
};

const checkEviction = async (client: RedisClient): Promise<Finding> => {
  const policy = await infoOf(client, 'memory', 'maxmemory_policy');
  if (policy === undefined)
    return warn('redis.eviction', 'Redis does not say its maxmemory-policy: it has to be noeviction');
  return policy === 'noeviction'
    ? ok('redis.eviction', 'maxmemory-policy is noeviction')
    : fail(
        'redis.eviction',
        `maxmemory-policy is ${policy}, which forgets jobs that wait when memory is full: set noeviction`,
      );
};

const checkAcl = async (
  client: RedisClient,
  subscriber: RedisClient,
  prefix: string,
  key: string,
): Promise<Finding> => {
  const forbidden = await findForbiddenCommands(client, subscriber, key);
  return forbidden.length === 0
    ? ok('redis.acl', 'the user may do what the service does')
    : fail(
        'redis.acl',
        `the user may not ${forbidden.join(', ')} on ${prefix}:*: allow it by ACL (docs/production.md)`,
      );
};

/** Returns the findings about writes and the ACL, which can't be tried out while writes are refused. */
const checkCommands = async (client: RedisClient, subscriber: RedisClient, prefix: string): Promise<Finding[]> => {
  const key = `${prefix}:{doctor}:${randomBytes(6).toString('hex')}`;
  const writes = await checkRedisWrites(client, `${key}:text`);
  if (writes?.status === 'fail') return [writes];
  const acl = await checkAcl(client, subscriber, prefix, key);
  return writes === null ? [acl] : [writes, acl];
};

/** Returns the clock of the server, in ms. */
const readTime = async (client: RedisClient): Promise<number> => {
  const [seconds, micros] = await client.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
};

/** Returns the findings; when Redis can't be reached that is the last one. */
export const checkRedis = async (config: Config): Promise<Finding[]> => {
  const { redisUrl, redisPrefix } = config;
  let lastError: Error | null = null;
  const onError = (error: Error): void => {
    lastError = error;
  };
  const describeFailure = (error: unknown): string =>
    `${describeConnectError(error)}${hintFor(placeOf(redisUrl).tls, error)}`;
  const address = checkRedisAddress(redisUrl);
  const open = (): RedisClient => openClient({ url: redisUrl, prefix: redisPrefix, onError }, producerOptions);
  const [client, subscriber] = [open(), open()];
  try {
    try {
      await client.ping();
    } catch (error) {
      // One that can't save its data does not even answer PING.
      const refusal = findRefusal(error);
      if (refusal !== null) return [...address, refusal];
      const cause = lastError ?? (isClosed(error) ? closed : error);
      return [
        ...address,
        fail(
          'redis',
          `Redis at ${placeOf(redisUrl).addresses.join(', ')} can’t be reached with REDIS_URL: ${describeFailure(cause)}`,
        ),
      ];
    }
    return [
      ...address,
      ...checkCertificate('redis.certificate', 'stream' in client ? client.stream : undefined),
      ...(await attemptAll({
        'redis.version': () => checkVersion(client),
        'redis.eviction': () => checkEviction(client),
        'redis.acl': () => checkCommands(client, subscriber, redisPrefix),
        'redis.prefix': async () => checkSites(client, config, await readTime(client)),
        'redis.clock': () => checkClock('redis.clock', () => readTime(client)),
      })),
    ];
  } finally {
    await Promise.all([closeClient(client), closeClient(subscriber)]);
  }
};
