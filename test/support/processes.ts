/** Workers and API as processes of their own on a world's database, as an operator starts them: to be killed or frozen. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { program } from '../../shared/tools/services/compile.mjs';
import { root } from '../../shared/tools/services/paths.mjs';
import { requireFreeEventLoop } from './eventLoop.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

export interface Program {
  readonly child: ChildProcess;
  /** Of an API: where it listens. */
  readonly port: string;
  /** Its log so far. */
  said(): string;
  /** Kills it if it still runs; resolves when it is gone. Rejects when it has blocked its event loop. */
  end(): Promise<void>;
}

interface ProgramOptions {
  /** The checkout, whose sources are compiled while they are loaded; this one unless given. */
  readonly folder?: string;
  /** Gets the program's log before it is ready. */
  readonly listen?: (said: () => string) => void;
}

/** Starts the program; resolves once it is ready. */
export const startProgram = async (
  { config }: Pick<World, 'config'>,
  path: 'workers/main.ts' | 'api/main.ts',
  more: Readonly<Record<string, string>> = {},
  { folder = root, listen = () => undefined }: ProgramOptions = {},
): Promise<Program> => {
  const { databaseUrl, migrateDatabaseUrl, redisUrl, redisPrefix } = config;
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    MIGRATE_DATABASE_URL: migrateDatabaseUrl,
    REDIS_URL: redisUrl,
    REDIS_PREFIX: redisPrefix,
    PORT: '0',
    LOG_LEVEL: 'info',
    ...more,
  };
  const [node = '', ...args] =
    folder === root ? await program(path) : [process.execPath, '--import', 'tsx', join(folder, path)];
  const child = spawn(node, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text.toString();
  });
  listen(() => said);
  const [, port = ''] = await until(
    `${path} is at work`,
    () => {
      if (child.exitCode !== null) throw new Error(`${path} has ended: ${said}`);
      return /the workers are ready|"port":(\d+)/.exec(said);
    },
    60_000,
  ).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    child,
    port,
    said: () => said,
    end: async () => {
      const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      child.kill('SIGKILL');
      await gone;
      requireFreeEventLoop(path, said);
    },
  };
};
