/** A primary and streaming standbys of the PostgreSQL that tests run on, to be stopped, frozen, paused and promoted. */
import { rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres, type PostgresServer } from '../../shared/tools/services/postgres.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { signalAll, withDescendants } from './processTree.ts';
import { until } from './until.ts';

export interface TestStandby {
  /** As the service's role. */
  readonly url: string;
  /** SQL as the owner. */
  sql<R extends object = Record<string, unknown>>(text: string): Promise<R[]>;
  /** Its processes stay, and answer nothing. */
  freeze(): void;
  thaw(): void;
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export interface Replication {
  readonly primary: PostgresServer;
  readonly standbys: readonly TestStandby[];
  close(): Promise<void>;
}

/** SQL that keeps publishers from publishing until a time in epoch ms, as one of an earlier release with the lease for all does. */
export const holdPublishersSql = (until: string): string => `
  update leases set until = ${until} where name = 'publisher';
  delete from leases where name like 'publisher %'`;

const run = async (url: string, text: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};

/** Copies the data of a server that is stopped; the copy follows it from its first start on. */
const copyData = async (from: string, to: string, primary: PostgresServer): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o755 });
  // With owners and rights: the server may run as another account.
  const { code, output } = await runProcess(['cp', '-a', join(from, 'data'), to]);
  if (code !== 0) throw new Error(`The data could not be copied: ${output}`);
  rmSync(join(to, 'data/postmaster.pid'), { force: true });
  writeFileSync(join(to, 'data/standby.signal'), '');
  const { username, password, hostname, port } = new URL(primary.ownerUrl);
  const place = `host=${hostname} port=${port} user=${username} password=${password}`;
  writeFileSync(join(to, 'data/postgresql.auto.conf'), `primary_conninfo = '${place}'\n`);
  await copyFile(join(from, 'passwords.json'), join(to, 'passwords.json'));
};

const standbyOf = (server: PostgresServer): TestStandby => ({
  url: server.url,
  // The caller names the type of the columns that it asks for.
  sql: async <R extends object>(text: string) => (await run(server.ownerUrl, text)) as R[],
  freeze: () => {
    signalAll(withDescendants([server.pid]), 'SIGSTOP');
  },
  thaw: () => {
    signalAll(withDescendants([server.pid]), 'SIGCONT');
  },
  kill: () => server.kill(),
  restart: () => server.restart(),
});

/** Starts them below `dir`; resolves once all standbys stream. */
export const startReplication = async (dir: string, count: number, durable = false): Promise<Replication> => {
  const home = (name: string): string => join(dir, name);
  const options = { durable, settings: { shared_buffers: '64MB' } };
  const primary = await startPostgres({ dir: home('primary'), ...options });
  await primary.stop();
  const names = Array.from({ length: count }, (_, i) => `standby${String(i + 1)}`);
  for (const name of names) await copyData(home('primary'), home(name), primary);
  await primary.restart();
  const servers: PostgresServer[] = [];
  for (const name of names) servers.push(await startPostgres({ dir: home(name), ...options }));
  const streaming = `select from pg_stat_replication where state = 'streaming'`;
  await until('the standbys stream', async () => (await run(primary.ownerUrl, streaming)).length === count, 30_000);
  return {
    primary,
    standbys: servers.map(standbyOf),
    close: async () => {
      for (const server of [...servers, primary]) await server.kill();
    },
  };
};
