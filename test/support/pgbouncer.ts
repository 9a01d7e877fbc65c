/** A PgBouncer in front of the tests' PostgreSQL, with nothing configured to be lenient. */
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isListening } from '../../shared/tools/services/ports.mjs';
import { start, type Child } from '../../shared/tools/services/processes.mjs';
import { findProgram } from '../services/systemPrograms.mjs';
import { until } from './until.ts';

export interface PgBouncer {
  /** The same database of the same user, through the pool. */
  address(databaseUrl: string): string;
  /** SIGKILL, and a new one at the same address. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it for the users of the addresses, which name one server. */
export const startPgBouncer = async (
  urls: readonly string[],
  mode: 'session' | 'transaction' = 'session',
  poolSize = 60,
): Promise<PgBouncer> => {
  const { command, env } = await findProgram('pgbouncer');
  const dir = mkdtempSync(join(tmpdir(), 'console-pgbouncer-'));
  chmodSync(dir, 0o755);
  const port = await freePort();
  const [first = ''] = urls;
  const server = new URL(first);
  const users = urls.map((url) => new URL(url));
  const list = join(dir, 'users.txt');
  writeFileSync(
    list,
    users.map((user) => `"${decodeURIComponent(user.username)}" "${decodeURIComponent(user.password)}"\n`).join(''),
  );
  const ini = join(dir, 'pgbouncer.ini');
  writeFileSync(
    ini,
    [
      '[databases]',
      `* = host=${server.hostname} port=${server.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${String(port)}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${list}`,
      `pool_mode = ${mode}`,
      `default_pool_size = ${String(poolSize)}`,
      // It refuses to run as root.
      ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
      '',
    ].join('\n'),
  );
  for (const file of [list, ini]) chmodSync(file, 0o644);
  const log = join(dir, 'log.txt');
  const open = async (): Promise<Child> => {
    const output = openSync(log, 'a');
    const started = await start({
      name: 'PgBouncer',
      command: [command, ini],
      env: { ...process.env, ...env },
      output,
    });
    closeSync(output);
    await until('PgBouncer listens', () => {
      if (!started.alive()) throw new Error(`PgBouncer has ended: ${readFileSync(log, 'utf8')}`);
      return isListening(port);
    });
    return started;
  };
  let child = await open();
  return {
    address: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${String(port)}`;
      return url.href;
    },
    restart: async () => {
      await child.stop({ signal: 'SIGKILL' });
      child = await open();
    },
    stop: async () => {
      await child.stop({ signal: 'SIGKILL' });
      rmSync(dir, { recursive: true });
    },
  };
};
