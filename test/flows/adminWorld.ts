/** Shared set-up of the tests of the admin command: the command as a process and within this one, on a world of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { runAdmin, type CommandOutcome } from '../../shared/tools/cli/run.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { newWorld, type World } from '../support/world.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** To be called in a suite: opens the world before its tests and closes it after them. */
export const useAdmin = () => {
  let world: World;
  let folder: string;

  const admin = async (args: readonly string[], input = ''): Promise<Run> => {
    const [node = '', ...command] = await program('shared/tools/cli/admin.ts', [...args]);
    return new Promise((resolve, reject) => {
      const { config } = world;
      const env = {
        ...process.env,
        DATABASE_URL: config.databaseUrl,
        MIGRATE_DATABASE_URL: config.migrateDatabaseUrl,
        REDIS_URL: config.redisUrl,
        REDIS_PREFIX: config.redisPrefix,
        PUBLIC_URL: `http://127.0.0.1:${String(world.port)}`,
      };
      const child = spawn(node, command, { cwd: root, env });
      let out = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (piece: string) => void (out += piece));
      child.stderr.setEncoding('utf8').on('data', (piece: string) => void (err += piece));
      child.once('error', reject);
      child.once('close', (code) => {
        resolve({ code, out, err });
      });
      child.stdin.end(input);
    });
  };

  /** Returns the output of `--json`, from a process as an operator starts it; fails with the command's output. */
  // Tests state what they expect of it.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const really = async (args: readonly string[], input = ''): Promise<any> => {
    const { code, out, err } = await admin([...args, '--json'], input);
    expect(code, err).to.equal(0);
    return JSON.parse(out) as unknown;
  };

  const within = (args: readonly string[], input: string): Promise<CommandOutcome> =>
    runAdmin(args, { readConfig: () => world.config, readInput: () => Promise.resolve(input) });

  /** The same without a process, for all that comes after each thing's first. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const answer = async (args: readonly string[], input = ''): Promise<any> => {
    const { exitCode, text } = await within([...args, '--json'], input);
    expect(exitCode, text).to.equal(0);
    return JSON.parse(text) as unknown;
  };

  const refused = async (args: readonly string[], code: 1 | 2, ...words: string[]): Promise<void> => {
    const { exitCode, text } = await within(args, '');
    expect(exitCode, `${args.join(' ')}: ${text}`).to.equal(code);
    for (const word of words) expect(text).to.include(word);
  };

  /** Tables with a row that holds `text` anywhere. */
  const holding = async (text: string): Promise<string[]> => {
    const tables = await world.sql<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    const found = await Promise.all(
      tables.map(async ({ name }) =>
        (await world.sql(`select from "${name}" t where t::text like '%' || $1 || '%' limit 1`, [text])).length > 0
          ? [name]
          : [],
      ),
    );
    return found.flat();
  };

  before(async () => {
    world = await newWorld({ workers: false });
    folder = mkdtempSync(join(tmpdir(), 'console-admin-'));
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world.close();
  });

  return {
    admin,
    really,
    within,
    answer,
    refused,
    holding,
    get world() {
      return world;
    },
    get folder() {
      return folder;
    },
  };
};
