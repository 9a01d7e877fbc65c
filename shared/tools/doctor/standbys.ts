/** The checks of `npm run doctor` on the standbys that serve reads. Run by main.ts. */
import type { Config } from '../../platform/config/config.ts';
import { openDb, type Db } from '../../platform/db/knex.ts';
import { historySql, systemSql } from '../../platform/db/serverState.ts';
import { sleep } from '../../platform/time/clock.ts';
import { describeConnectError } from '../services/connectError.mjs';
import { type Finding, readRow, attempt, fail, ok, warn } from './finding.ts';
import { checkPostgresTls } from './postgres.ts';

/** Connections of an API process to a standby, besides those of READ_POOL_SIZE. */
const standbyProbes = 2;

const inLog = (place: string): string => `pg_wal_lsn_diff(${place}, '0/0')::float8`;

interface Side {
  readonly recovering: boolean;
  readonly system: string;
  readonly history: string | null;
  readonly free: number;
  readonly feedback: string;
}

const readSide = (db: Db): Promise<Side> =>
  readRow<Side>(
    db,
    `select pg_is_in_recovery() as recovering, ${systemSql} as system,
      (select timeline from leases where name = 'publisher') as history,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as free,
      current_setting('hot_standby_feedback') as feedback`,
  );

/** Waits until the standby has what the primary has now. */
const checkLag = async (primary: Db, standby: Db, name: string, lagMs: number): Promise<Finding> => {
  const { wal } = await readRow<{ wal: number }>(primary, `select ${inLog('pg_current_wal_lsn()')} as wal`);
  const from = performance.now();
  for (;;) {
    const { replayed } = await readRow<{ replayed: number | null }>(
      standby,
      `select ${inLog('pg_last_wal_replay_lsn()')} as replayed`,
    );
    const ms = performance.now() - from;
    if (replayed !== null && replayed >= wal)
      return ok('standby.lag', `${name} has what the primary had ${String(Math.ceil(ms))} ms before`);
    if (ms > lagMs)
      return warn(
        'standby.lag',
        `${name} lacks what the primary had ${String(lagMs)} ms before, so the primary serves its reads: look at its replication, or raise READ_LAG_MS`,
      );
    await sleep(10);
  }
};

const checkSide = async (primary: Db, standby: Db, name: string): Promise<Finding[]> => {
  const wanted = await readRow<{ history: string }>(primary, `select ${historySql} as history`);
  const { recovering, system, history, feedback } = await readSide(standby);
  if (!recovering)
    return [fail('standby.role', `${name} is no standby: DATABASE_READ_URL has to name standbys, each by itself`)];
  if (!wanted.history.startsWith(`${system} `))
    return [fail('standby.role', `${name} is a standby of another system than DATABASE_URL: name one of its own`)];
  return [
    ok('standby.role', `${name} is a standby of DATABASE_URL’s system`),
    history === wanted.history
      ? ok('standby.timeline', `${name} follows the primary’s timeline`)
      : warn(
          'standby.timeline',
          `${name} shows no worker that publishes in the primary’s timeline, and serves no reads until it does: start a worker, or look at its replication`,
        ),
    feedback === 'on'
      ? ok('standby.feedback', `hot_standby_feedback of ${name} is on`)
      : warn(
          'standby.feedback',
          `hot_standby_feedback of ${name} is off: its reads hold up its replication or are cancelled by it; set it to on`,
        ),
  ];
};

const checkConnections = async (standby: Db, name: string, apis: number, size: number): Promise<Finding> => {
  const { free } = await readSide(standby);
  const needed = apis * (size + standbyProbes);
  const text = `API processes (${String(apis)}) open up to ${String(needed)} connections to ${name}, which has ${String(free)}`;
  return needed <= free
    ? ok('standby.connections', text)
    : fail('standby.connections', `${text}: raise max_connections, at the primary first`);
};

const checkStandby = async (config: Config, url: string, primary: Db, apis: number): Promise<Finding[]> => {
  const name = new URL(url).host;
  const tls = checkPostgresTls(url, 'DATABASE_READ_URL');
  const standby = openDb({ url, poolSize: 1, applicationName: 'console-doctor' });
  try {
    const reached = await readRow(standby, 'select 1').then(() => null, describeConnectError);
    if (reached !== null)
      return [
        tls,
        fail('standby', `${name} can’t be reached with DATABASE_READ_URL: ${reached}; the primary serves its reads`),
      ];
    const side = await attempt('standby.role', () => checkSide(primary, standby, name));
    if (side.some(({ check, status }) => check === 'standby.role' && status === 'fail')) return [tls, ...side];
    return [
      tls,
      ...side,
      ...(await attempt('standby.lag', () => checkLag(primary, standby, name, config.standbys?.lagMs ?? 0))),
      ...(await attempt('standby.connections', () => checkConnections(standby, name, apis, config.readPoolSize))),
    ];
  } finally {
    await standby.destroy();
  }
};

/** Returns the findings about each standby; none where there are none. */
export const checkStandbys = async (config: Config, apis: number): Promise<Finding[]> => {
  const { standbys, databaseUrl } = config;
  if (standbys === null) return [];
  const primary = openDb({ url: databaseUrl, poolSize: standbys.urls.length, applicationName: 'console-doctor' });
  try {
    return (await Promise.all(standbys.urls.map((url) => checkStandby(config, url, primary, apis)))).flat();
  } finally {
    await primary.destroy();
  }
};
