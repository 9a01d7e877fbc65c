/**
 * PostgreSQL 15 with an archive of its log, which is backed up, destroyed and restored by the commands of docs/production.md.
 * Used by the invariant restore.ts.
 */
import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../../../shared/tools/services/ports.mjs';
import type { PostgresServer } from '../../../../shared/tools/services/postgres.mjs';
import {
  appRole,
  databaseName,
  initialise,
  ownerRole,
  passwords,
  prepare,
} from '../../../../shared/tools/services/postgresCluster.mjs';
import { dieWithParent, runProcess, start, type Child } from '../../../../shared/tools/services/processes.mjs';
import { userMode, type UserMode } from '../../../../shared/tools/services/userMode.mjs';
import { findProgram } from '../../../services/systemPrograms.mjs';
import { signalAll, withDescendants } from '../../../support/processTree.ts';
import { until } from '../../../support/until.ts';

const startMs = 120_000;
/** What a disaster may cost at most, in s: the log is archived so often. */
export const archiveTimeoutS = 5;

interface Programs {
  readonly bin: string;
  readonly env: NodeJS.ProcessEnv;
  readonly mode: UserMode;
}

/** MiB that a folder holds. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (found?.isFile() === true ? found.size : 0);
  }, 0) / 1_048_576;

export class RestorableServer implements PostgresServer {
  readonly port: number;
  readonly #dir: string;
  readonly #programs: Programs;
  readonly #passwords: { readonly owner: string; readonly app: string };
  #child: Child | null = null;

  private constructor(dir: string, port: number, programs: Programs) {
    this.#dir = dir;
    this.port = port;
    this.#programs = programs;
    this.#passwords = passwords(dir);
  }

  static async open(dir: string): Promise<RestorableServer> {
    mkdirSync(dir, { recursive: true, mode: 0o755 });
    const { command, env } = await findProgram('postgresql15');
    const mode = await userMode(dir, command);
    const bin = dirname(command);
    const binary = { postgres: command, initdb: join(bin, 'initdb'), major: 15 };
    await initialise({ dir, binary, mode, durable: true });
    const server = new RestorableServer(dir, await freePort(), { bin, env: { ...process.env, ...env }, mode });
    mkdirSync(server.#archive, { mode: 0o700 });
    mode.own(server.#archive);
    appendFileSync(join(server.#data, 'postgresql.conf'), server.#settings());
    await server.restart();
    await prepare(server.#address(ownerRole, server.#passwords.owner, 'postgres'), server.#passwords.app);
    return server;
  }

  get url(): string {
    return this.#address(appRole, this.#passwords.app, databaseName);
  }

  get ownerUrl(): string {
    return this.#address(ownerRole, this.#passwords.owner, databaseName);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** MiB of the base backup and of the archive, and the segments of the log in it. */
  sizes(): { readonly backup: number; readonly archive: number; readonly segments: number } {
    const segments = readdirSync(this.#archive).length;
    return { backup: sizeOf(join(this.#dir, 'backup')), archive: sizeOf(this.#archive), segments };
  }

  /** Takes a base backup while the server serves. */
  async backUp(): Promise<void> {
    const url = `postgres://${ownerRole}:${this.#passwords.owner}@127.0.0.1:${String(this.port)}/`;
    await this.#run([join(this.#programs.bin, 'pg_basebackup'), '-d', url, '-D', `${this.#dir}/backup`, '-c', 'fast']);
    await this.#run([join(this.#programs.bin, 'pg_verifybackup'), '-n', `${this.#dir}/backup`]);
  }

  /** Resolves once what is in the log now is in the archive. */
  async archived(): Promise<void> {
    const [now] = await this.#query<{ file: string }>('select pg_walfile_name(pg_current_wal_insert_lsn()) as file');
    await until(
      'the log is archived',
      async () => {
        const [last] = await this.#query<{ file: string | null }>(
          'select last_archived_wal as file from pg_stat_archiver',
        );
        return (last?.file ?? '') >= (now?.file ?? '');
      },
      startMs,
    );
  }

  /** Every process of the server is gone, and the data with them. */
  async destroy(): Promise<void> {
    // First, as a server that runs makes files in the folders that are deleted.
    signalAll(withDescendants([this.#postmaster()]), 'SIGKILL');
    await this.#child?.exited;
    rmSync(this.#data, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Puts the base backup back and lets the archived log be replayed up to a time, in epoch ms; resolves once it serves. */
  async restoreTo(at: number): Promise<void> {
    await this.#run(['cp', '-a', `${this.#dir}/backup`, this.#data]);
    const settings = [
      `restore_command = 'cp "${this.#archive}/%f" "%p"'`,
      // Not as ISO 8601 has it: PostgreSQL refuses a `T` or a `Z` here.
      `recovery_target_time = '${new Date(at).toISOString().replace('T', ' ').replace('Z', '+00')}'`,
      `recovery_target_action = 'promote'`,
      '',
    ];
    appendFileSync(join(this.#data, 'postgresql.auto.conf'), settings.join('\n'));
    await this.#run(['touch', join(this.#data, 'recovery.signal')]);
    await this.restart();
  }

  /** Copies the data of a server that is stopped for it, as a file system's snapshot has them; resolves with when, in epoch ms. */
  async takeSnapshot(): Promise<number> {
    await this.stop();
    const at = Date.now();
    await this.#run(['cp', '-a', this.#data, `${this.#dir}/snapshot`]);
    await this.restart();
    return at;
  }

  /** Puts the snapshot back: the same system, the same timeline, and nothing of what came after it. */
  async putSnapshotBack(): Promise<void> {
    await this.#run(['cp', '-a', `${this.#dir}/snapshot`, this.#data]);
    await this.restart();
  }

  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    await this.#child?.stop({ signal: mode === 'fast' ? 'SIGINT' : 'SIGQUIT', graceMs: 15_000 });
  }

  async kill(): Promise<void> {
    await this.#child?.stop({ signal: 'SIGKILL' });
  }

  async restart(): Promise<void> {
    await this.stop();
    const { bin, env, mode } = this.#programs;
    const command = [join(bin, 'postgres'), '-D', this.#data];
    const output = openSync(join(this.#dir, 'postgres.log'), 'a');
    try {
      this.#child = await start({
        name: 'PostgreSQL',
        command: [...mode.prefix, ...dieWithParent(command, 'SIGINT')],
        cwd: '/',
        env,
        output,
        deathSignal: 'SIGINT',
        user: mode.user,
      });
    } finally {
      closeSync(output);
    }
    const serves = async (): Promise<boolean> => {
      if (this.#child?.alive() !== true) throw new Error(`PostgreSQL did not start:\n${this.log().slice(-2_000)}`);
      const found = await this.#query<{ recovers: boolean }>('select pg_is_in_recovery() as recovers').catch(() => []);
      return found[0]?.recovers === false;
    };
    await until('PostgreSQL serves', serves, startMs);
  }

  async exited(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return (await this.#child?.exited) ?? { code: null, signal: null };
  }

  log(): string {
    return readFileSync(join(this.#dir, 'postgres.log'), 'utf8');
  }

  get #data(): string {
    return join(this.#dir, 'data');
  }

  get #archive(): string {
    return join(this.#dir, 'archive');
  }

  #settings(): string {
    return [
      '',
      `port = ${String(this.port)}`,
      "listen_addresses = '127.0.0.1'",
      // No socket file: its path may be longer than 107 bytes.
      "unix_socket_directories = ''",
      'max_connections = 200',
      "shared_buffers = '256MB'",
      'jit = off',
      'random_page_cost = 1.1',
      'archive_mode = on',
      `archive_command = 'test ! -f "${this.#archive}/%f" && cp "%p" "${this.#archive}/%f"'`,
      `archive_timeout = ${String(archiveTimeoutS)}`,
      '',
    ].join('\n');
  }

  #address(role: string, password: string, database: string): string {
    return `postgres://${role}:${password}@127.0.0.1:${String(this.port)}/${database}`;
  }

  async #query<R extends object>(text: string): Promise<R[]> {
    const client = new pg.Client({ connectionString: this.#address(ownerRole, this.#passwords.owner, 'postgres') });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows as R[];
    } finally {
      await client.end();
    }
  }

  async #run(command: readonly string[]): Promise<void> {
    const { env, mode } = this.#programs;
    const { code, output } = await runProcess([...mode.prefix, ...command], { env, user: mode.user, cwd: '/' });
    if (code !== 0) throw new Error(`${command[0] ?? ''} failed:\n${output}`);
  }

  #postmaster(): number {
    return Number(readFileSync(join(this.#data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }
}
