/** Reads the configuration from environment variables and the files that they name, for every program; no other file reads them. */
import { hostname } from 'node:os';
import { limits } from '../../catalogue/limits.ts';
import {
  type ProxyTrust,
  type Read,
  type Variable,
  idleTime,
  integer,
  loopback,
  mailUrl,
  matching,
  networks,
  origins,
  postgresUrl,
  proxies,
  redisUrl,
  retentionDays,
  url,
} from './configValues.ts';
import { type OpenIdConfig, readOpenId, readPasswordSignIn } from './openIdConfig.ts';
import { givenValue, secretFile } from './secretFiles.mjs';
import { type TracingConfig, readTracing } from './tracingConfig.ts';

export interface StandbyConfig {
  /** Each is one server. */
  readonly urls: readonly string[];
  /** ms by which a standby may be behind the primary and still serve reads. */
  readonly lagMs: number;
}

/** Every API process asks each of them ten times within `lagMs`. */
const most = 8;

const address = url('postgres:', 'postgresql:');

/** Returns the addresses of a list, each once. */
const addresses = (value: string): readonly string[] | undefined => {
  const found = value.split(',').map((each) => address(each.trim()));
  const valid = found.filter((each) => each !== undefined);
  return valid.length === found.length && valid.length <= most ? [...new Set(valid)] : undefined;
};

/** Returns which standbys serve reads; null when none is named. */
const readStandbys = (env: NodeJS.ProcessEnv, read: Read): StandbyConfig | null => {
  const urls = read<readonly string[] | null>(env, {
    name: 'DATABASE_READ_URL',
    takes: 'up to eight addresses with commas between them, a comma in a password as %2C',
    example: 'postgres://console_app:secret@10.0.0.22:5432/console',
    fallback: () => null,
    parse: addresses,
  });
  const lagMs = read(env, { name: 'READ_LAG_MS', example: '1000', fallback: () => 1_000, parse: integer(100, 60_000) });
  return urls === null ? null : { urls, lagMs };
};

export interface Config {
  /** PostgreSQL as the role that API and workers use. */
  readonly databaseUrl: string;
  /** PostgreSQL as the owner of the tables, for migrations and administration. */
  readonly migrateDatabaseUrl: string;
  /** A single server, or the nodes of a cluster (configValues.ts). */
  readonly redisUrl: string;
  /** Prefix of every Redis key and channel, so that several installations can share one server. */
  readonly redisPrefix: string;
  readonly port: number;
  readonly host: string;
  /** The address that clients reach the API by, without a trailing slash. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** Connections to PostgreSQL of one process: for changes and its own work; for the endpoints that read. */
  readonly poolSize: number;
  readonly readPoolSize: number;
  /** The standbys that serve reads; null: none. */
  readonly standbys: StandbyConfig | null;
  /** Requests that a token may make: per second, and at once after a pause. */
  readonly rateLimit: number;
  readonly rateBurst: number;
  /** Bytes that a principal may write in a day; 0: any number. */
  readonly writeBytesPerDay: number;
  /** Bytes that an environment may have; null: any number. */
  readonly quotaBytes: number | null;
  /** Live streams per token. */
  readonly livePerToken: number;
  /** Which proxies in front are believed about the client's address; null: none. */
  readonly trustProxy: ProxyTrust | null;
  /** Origins of the pages that may evaluate flags by OFREP. */
  readonly ofrepOrigins: readonly string[];
  /** A port of their own for the API's `/ready` and `/metrics`; null: they are pages of `port`. */
  readonly probePort: number | null;
  /** Who may ask for them on `port` without a limit. */
  readonly probeNetworks: (address: string, hop: 0) => boolean;
  /** Where workers serve `/health`, `/ready` and `/metrics`; null: nowhere. */
  readonly workerPort: number | null;
  /** The mail server, null: none; and the sender of the service's own mails, null: no-reply at the host of `publicUrl`. */
  readonly smtpUrl: string | null;
  readonly smtpFrom: string | null;
  readonly logLevel: string;
  /** True: each request is a line of the log. */
  readonly accessLog: boolean;
  /** Where traces are sent; null: there are none. */
  readonly tracing: TracingConfig | null;
  /** How long approvals stay pending, in ms: of actions, bulks and items; of flags. null: the limits of catalogue/limits.ts. */
  readonly approvalMs: number | null;
  readonly flagApprovalMs: number | null;
  /** Days for which results of bulks are kept where an environment has no time of its own; 0: for ever. */
  readonly bulkResultsDays: number;
  /** How long a person's session lasts without a request, in ms; null: as long as with one. */
  readonly sessionIdleMs: number | null;
  /** The OpenID Connect provider by which people sign in; null: none. */
  readonly openId: OpenIdConfig | null;
  /** Whether people sign in by password. */
  readonly passwordSignIn: boolean;
  /** How long a stopping process waits for requests and jobs to end, in ms. */
  readonly drainMs: number;
  /** Names this process in logs and leases. */
  readonly processName: string;
}

/** Bounds of both approval times: a minute, as nobody decides sooner, and a leap year. */
const [approvalLeastMs, approvalMostMs] = [60_000, 366 * 86_400_000];

const read = <T>(env: NodeJS.ProcessEnv, variable: Variable<T>): T => {
  const given = givenValue(env, variable.name);
  const example = `Example: ${variable.name}=${variable.example}`;
  if (given === undefined) {
    if (variable.fallback !== undefined) return variable.fallback(env);
    throw new Error(`${variable.name} is missing. ${example}`);
  }
  const value = variable.parse(given);
  if (value !== undefined) return value;
  const file = secretFile(env, variable.name);
  const source = file === undefined ? '' : ` (of the file ${file})`;
  const range = variable.takes ?? variable.parse.takes;
  const takes = range === undefined ? '' : `: it takes ${range}`;
  throw new Error(`${variable.name}${source} is not valid${takes}. ${example}`);
};

const redisExample =
  'redis://127.0.0.1:6379, or for a cluster redis-cluster://10.0.0.1:6379,10.0.0.2:6379,10.0.0.3:6379';
const databaseExample = 'postgres://console_app:secret@127.0.0.1:5432/console';

const dataDir: Variable<string> = { name: 'DATA_DIR', example: '.data', fallback: () => '.data', parse: matching(/./) };

/** Returns DATA_DIR alone, for programs that need no database, such as `npm run watch`. Throws when it is not valid. */
export const readDataDir = (env: NodeJS.ProcessEnv = process.env): string => read(env, dataDir);

/** Its message has a line for each bad variable. */
class ConfigError extends Error {}

/** `read` may return a value of no use after a problem; the caller then drops the whole. */
const buildConfig = (env: NodeJS.ProcessEnv, read: Read): Config => {
  const databaseUrl = read(env, {
    name: 'DATABASE_URL',
    example: databaseExample,
    parse: postgresUrl,
  });
  const port = read(env, { name: 'PORT', example: '3000', fallback: () => 3000, parse: integer(0, 65_535) });
  const openId = readOpenId(env, read);
  const trimmed = (value: string): string | undefined => url('http:', 'https:')(value)?.replace(/\/+$/, '');
  return {
    databaseUrl,
    migrateDatabaseUrl: read(env, {
      name: 'MIGRATE_DATABASE_URL',
      example: databaseExample,
      fallback: () => databaseUrl,
      parse: postgresUrl,
    }),
    redisUrl: read(env, { name: 'REDIS_URL', example: redisExample, parse: redisUrl }),
    redisPrefix: read(env, {
      name: 'REDIS_PREFIX',
      example: 'console',
      fallback: () => 'console',
      parse: matching(/^[A-Za-z0-9_-]{1,64}$/),
    }),
    port,
    host: read(env, {
      name: 'HOST',
      example: '127.0.0.1',
      fallback: () => '127.0.0.1',
      parse: matching(/^[0-9A-Za-z.:-]+$/),
    }),
    publicUrl: read(env, {
      name: 'PUBLIC_URL',
      example: 'https://console.example.com',
      fallback: () => `http://127.0.0.1:${String(port)}`,
      parse: trimmed,
    }),
    dataDir: read(env, dataDir),
    poolSize: read(env, { name: 'POOL_SIZE', example: '6', fallback: () => 6, parse: integer(2, 100) }),
    readPoolSize: read(env, { name: 'READ_POOL_SIZE', example: '6', fallback: () => 6, parse: integer(1, 100) }),
    standbys: readStandbys(env, read),
    rateLimit: read(env, { name: 'RATE_LIMIT', example: '100', fallback: () => 100, parse: integer(1, 1_000_000) }),
    rateBurst: read(env, { name: 'RATE_BURST', example: '200', fallback: () => 200, parse: integer(1, 10_000_000) }),
    writeBytesPerDay: read(env, {
      name: 'WRITE_BYTES_PER_DAY',
      takes: 'bytes, or 0 for no limit',
      example: '1073741824',
      fallback: () => limits.writeBytesPerDay,
      parse: integer(0, Number.MAX_SAFE_INTEGER),
    }),
    quotaBytes: read<number | null>(env, {
      name: 'QUOTA_BYTES',
      example: '107374182400',
      fallback: () => null,
      parse: integer(1, Number.MAX_SAFE_INTEGER),
    }),
    livePerToken: read(env, {
      name: 'LIVE_PER_TOKEN',
      example: '100',
      fallback: () => 100,
      parse: integer(1, 1_000_000),
    }),
    trustProxy: read<ProxyTrust | null>(env, {
      name: 'TRUST_PROXY',
      takes: 'the number of proxies in front (0 to 32), or their addresses and networks',
      example: '1, or TRUST_PROXY=10.0.0.0/8,fd00::/8',
      fallback: () => null,
      parse: proxies,
    }),
    ofrepOrigins: read<readonly string[]>(env, {
      name: 'OFREP_ORIGINS',
      takes: 'origins of pages, without a path',
      example: 'https://shop.example.com,https://www.example.com',
      fallback: () => [],
      parse: origins,
    }),
    probePort: read<number | null>(env, {
      name: 'PROBE_PORT',
      example: '3001',
      fallback: () => null,
      parse: integer(1, 65_535),
    }),
    probeNetworks: read(env, {
      name: 'PROBE_NETWORKS',
      takes: 'addresses and networks',
      example: 'loopback,10.0.0.0/8',
      fallback: () => loopback,
      parse: networks,
    }),
    workerPort: read<number | null>(env, {
      name: 'WORKER_PORT',
      example: '3002',
      fallback: () => null,
      parse: integer(1, 65_535),
    }),
    smtpUrl: read<string | null>(env, {
      name: 'SMTP_URL',
      example: 'smtps://user:password@mail.example.com:465',
      fallback: () => null,
      parse: mailUrl,
    }),
    smtpFrom: read<string | null>(env, {
      name: 'SMTP_FROM',
      example: 'Console <console@example.com>',
      fallback: () => null,
      parse: matching(/^[^\r\n]{3,320}$/),
    }),
    logLevel: read(env, {
      name: 'LOG_LEVEL',
      example: 'info',
      fallback: () => 'info',
      parse: matching(/^(trace|debug|info|warn|error|fatal|silent)$/),
    }),
    accessLog: read(env, {
      name: 'ACCESS_LOG',
      takes: 'on or off',
      example: 'on',
      fallback: () => false,
      parse: (value) => (value === 'on' ? true : value === 'off' ? false : undefined),
    }),
    tracing: readTracing(env, read),
    approvalMs: read<number | null>(env, {
      name: 'APPROVAL_MS',
      example: '259200000',
      fallback: () => null,
      parse: integer(approvalLeastMs, approvalMostMs),
    }),
    flagApprovalMs: read<number | null>(env, {
      name: 'FLAG_APPROVAL_MS',
      example: '1209600000',
      fallback: () => null,
      parse: integer(approvalLeastMs, approvalMostMs),
    }),
    bulkResultsDays: read(env, {
      name: 'BULK_RESULTS_DAYS',
      takes: `0 for ever, or ${String(limits.retentionDaysMin)} to ${String(limits.retentionDaysMax)} days`,
      example: '90',
      fallback: () => limits.bulkResultsDays,
      parse: retentionDays,
    }),
    sessionIdleMs: read<number | null>(env, {
      name: 'SESSION_IDLE',
      example: '3600000',
      fallback: () => null,
      parse: idleTime,
    }),
    openId,
    passwordSignIn: readPasswordSignIn(env, read, openId),
    drainMs: read(env, { name: 'DRAIN_MS', example: '8000', fallback: () => 8000, parse: integer(0, 600_000) }),
    processName: `${hostname()}-${String(process.pid)}`,
  };
};

/** Returns the configuration. Throws an Error with a line for each missing or bad variable, each with an example. */
export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config => {
  const problems: string[] = [];
  const config = buildConfig(env, <T>(from: NodeJS.ProcessEnv, variable: Variable<T>): T => {
    try {
      return read(from, variable);
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the configuration with this value is dropped below
      return undefined as T;
    }
  });
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
};

/** Returns the configuration; when it is not valid, writes the problems to standard error and ends the process with 1. */
export const readConfigOrExit = (): Config => {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
};
