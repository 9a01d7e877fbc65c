/** The load balancer of the documentation in front of two API processes. */
import { fileURLToPath } from 'node:url';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { start } from '../../shared/tools/services/processes.mjs';
import { findProgram } from '../services/systemPrograms.mjs';
import { until } from './until.ts';

export interface LoadBalancer {
  /** `http://host:port` */
  readonly origin: string;
  stop(): Promise<void>;
}

interface HaproxyOptions {
  readonly hosts?: readonly [string, string];
  /** PROBE_PORT of both. */
  readonly probePort?: string;
}

/** Starts HAProxy with a configuration of docs/examples, as it is printed; resolves once it passes requests on. */
const startWith = async (file: string, variables: Readonly<Record<string, string>>): Promise<LoadBalancer> => {
  const { command, env } = await findProgram('haproxy');
  const port = String(await freePort());
  const child = await start({
    name: 'HAProxy',
    command: [command, '-db', '-q', '-f', fileURLToPath(new URL(`../../docs/examples/${file}`, import.meta.url))],
    env: { ...process.env, ...env, LISTEN: `127.0.0.1:${port}`, ...variables },
  });
  const origin = `http://127.0.0.1:${port}`;
  await until('HAProxy passes requests on', () =>
    fetch(`${origin}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  ).catch(async (error: unknown) => {
    await child.stop({ signal: 'SIGKILL' });
    throw error;
  });
  return { origin, stop: () => child.stop({ signal: 'SIGKILL' }) };
};

/** Starts the load balancer of an installation in front of two ports of this machine. */
export const startHaproxy = (
  ports: readonly [string, string],
  { hosts = ['127.0.0.1', '127.0.0.1'], probePort }: HaproxyOptions = {},
): Promise<LoadBalancer> =>
  startWith('haproxy.cfg', {
    API_1: `${hosts[0]}:${ports[0]}`,
    API_2: `${hosts[1]}:${ports[1]}`,
    ...(probePort === undefined ? {} : { PROBE_PORT: probePort }),
  });

interface CellsOptions {
  /** Path of the map file that names the cell of each environment. */
  readonly map: string;
  /** Path of the socket that takes changes of the map. */
  readonly admin: string;
}

/** Starts the load balancer of two cells, each of which is an API at a port of this machine. */
export const startCellsHaproxy = (
  ports: readonly [number, number],
  { map, admin }: CellsOptions,
): Promise<LoadBalancer> =>
  startWith('cells.cfg', {
    CELL_A: `127.0.0.1:${String(ports[0])}`,
    CELL_B: `127.0.0.1:${String(ports[1])}`,
    MAP: map,
    ADMIN: admin,
  });
