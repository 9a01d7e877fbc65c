/** A whole installation in processes of its own, as an operator runs it: two APIs and some workers on one database. */
import { freePort } from '../../shared/tools/services/ports.mjs';
import { clientOf, type Client } from './http.ts';
import { startProgram, type Program } from './processes.ts';
import { newWorld, type World } from './world.ts';

export interface Installation {
  readonly world: World;
  readonly apis: readonly Program[];
  readonly workers: readonly Program[];
  /** The environment's address at the first or second API. */
  base(api: 0 | 1): string;
  /** The same credential, calling that API. */
  at(api: 0 | 1, client: Client): Client;
  /** SIGKILL. */
  kill(api: 0 | 1): Promise<void>;
  /** Starts it again at its address. */
  start(api: 0 | 1): Promise<void>;
  close(): Promise<void>;
}

export const openInstallation = async (
  redisUrl: string,
  { manifest = {}, workers: count = 3 }: { readonly manifest?: unknown; readonly workers?: number } = {},
): Promise<Installation> => {
  const world = await newWorld({ server: false, workers: false, manifest, env: { REDIS_URL: redisUrl } });
  const ports = [await freePort(), await freePort()] as const;
  const env = {
    RATE_LIMIT: '1000000',
    RATE_BURST: '1000000',
    WRITE_BYTES_PER_DAY: '0',
    POOL_SIZE: '4',
    DRAIN_MS: '400',
  };
  const startApi = (api: 0 | 1): Promise<Program> =>
    startProgram(world, 'api/main.ts', { ...env, PORT: String(ports[api]) });
  // Workers log at this level which jobs they have done.
  const startWorker = (): Promise<Program> => startProgram(world, 'workers/main.ts', { ...env, LOG_LEVEL: 'debug' });
  const [first, second, ...workers] = await Promise.all([
    startApi(0),
    startApi(1),
    ...Array.from({ length: count }, startWorker),
  ]);
  if (first === undefined || second === undefined) throw new Error('Two APIs were started.');
  const apis: [Program, Program] = [first, second];
  const base = (api: 0 | 1): string => `http://127.0.0.1:${String(ports[api])}/api/env/demo`;
  return {
    world,
    apis,
    workers,
    base,
    at: (api, client) => clientOf(base(api), client.token, client.id),
    kill: (api) => apis[api].end(),
    start: async (api) => {
      apis[api] = await startApi(api);
    },
    close: async () => {
      await Promise.all([...apis, ...workers].map((program) => program.end()));
      await world.close();
    },
  };
};
