/** The probes of a process, for load balancers, orchestrators and Prometheus: `/health`, `/ready`, `/metrics`. Of API and workers. */
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import { startWaitsFor } from '../db/schemaVersion.ts';
import { securityHeaders, listen } from '../http.ts';
import { platformRegistry } from '../log/metrics.ts';

export interface ProbeAnswer {
  readonly status: number;
  /** Text as it is; anything else as JSON. */
  readonly body: string | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answers of a process to its probes, by path. */
export type Probes = ReadonlyMap<string, () => ProbeAnswer | Promise<ProbeAnswer>>;

type Ready = () => Promise<ProbeAnswer>;

const alive = (): ProbeAnswer => ({ status: 200, body: { ok: true } });

/** Returns the registry of what `/ready` answers, for who is told by Prometheus and not by a load balancer. */
const createReadyMetrics = (ready: Ready): Registry => {
  const registry = new Registry();
  new Gauge({
    name: 'console_ready',
    help: '1 while the process serves: `/ready` is 200. 0 also while it starts, waiting for PostgreSQL or for a schema that fits.',
    registers: [registry],
    async collect() {
      this.set((await ready()).status === 200 ? 1 : 0);
    },
  });
  return registry;
};

/** Returns the probes of a process; `registries` are those that its `/metrics` shows beside that of `/ready`. */
const probesOf = (ready: Ready, registries: readonly Registry[]): Probes => {
  const all = [createReadyMetrics(ready), ...registries];
  const metrics = async (): Promise<ProbeAnswer> => {
    const merged = Registry.merge(all);
    return { status: 200, body: await merged.metrics(), headers: { 'content-type': merged.contentType } };
  };
  return new Map<string, () => ProbeAnswer | Promise<ProbeAnswer>>([
    ['/health', alive],
    ['/ready', ready],
    ['/metrics', metrics],
  ]);
};

const startReasons = (): string[] => {
  const what = startWaitsFor();
  return what === null ? [] : [`It waits for ${what}.`];
};

/** The probes of a process that still waits for PostgreSQL; its log says for what. */
export const startingProbes: Probes = probesOf(
  () =>
    Promise.resolve({
      status: 503,
      body: { ready: false, starting: true, degraded: [], reasons: startReasons() },
      headers: { 'retry-after': '1' },
    }),
  [],
);

/** Returns the probes of a process that works; `registries` are those that its `/metrics` shows beside the platform's and the process's own. */
export const createProbes = (ready: Ready, registries: readonly Registry[]): Probes => {
  const process = new Registry();
  const probes = probesOf(ready, [process, ...registries, platformRegistry]);
  let isWatched = false;
  return new Map(probes).set('/metrics', () => {
    // Collected from the first scrape on, because the library wakes the process a hundred times a second.
    if (!isWatched) collectDefaultMetrics({ register: process });
    isWatched = true;
    return probes.get('/metrics')?.() ?? alive();
  });
};

/** Also of an absolute request target. */
const pathOf = ({ url = '/' }: IncomingMessage): string =>
  url.replace(/^https?:\/\/[^/?#]*/i, '').split('?', 1)[0] ?? '/';

/** Returns the function that answers requests by `probes`, and all others with `otherwise`. */
export const answerProbes = (
  config: Pick<Config, 'publicUrl'>,
  probes: () => Probes,
  otherwise: ProbeAnswer,
): RequestListener => {
  const common = securityHeaders(config);
  return (req, res) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const probe = isRead ? probes().get(pathOf(req)) : undefined;
    const answer = Promise.resolve(probe === undefined ? otherwise : probe());
    // A body that is not read would keep the connection from its next request.
    req.resume();
    answer.then(
      ({ status, body, headers }) => {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        const length = String(Buffer.byteLength(text));
        const type = { 'content-type': 'application/json; charset=utf-8', 'content-length': length };
        res.writeHead(status, { ...common, ...type, ...headers }).end(req.method === 'HEAD' ? undefined : text);
      },
      () => res.writeHead(500, common).end(),
    );
  };
};

export interface ProbeServer {
  /** Replaces the probes, which are `startingProbes` at first. */
  serve(probes: Probes): void;
  close(): Promise<void>;
}

const notFound: ProbeAnswer = { status: 404, body: { error: 'There is no such page.', code: 'not_found' } };

/** Opens a server for the probes alone. Rejects when the port is taken. */
export const openProbeServer = async (
  config: Pick<Config, 'publicUrl' | 'host'>,
  port: number,
): Promise<ProbeServer> => {
  let current = startingProbes;
  const server = createServer(
    { requireHostHeader: false, requestTimeout: 5_000, headersTimeout: 5_000 },
    answerProbes(config, () => current, notFound),
  );
  await listen(server, port, config.host);
  return {
    serve: (probes) => {
      current = probes;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};
