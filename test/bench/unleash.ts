/** Unleash, a peer: its own server, with the flag of flagKinds.ts in a schema of its own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../shared/tools/services/ports.mjs';
import type { Bench } from './bench.ts';
import { key, unleashStrategies, type Subject } from './flagKinds.ts';
import { plainEnv, startPeerServer } from './peerServer.ts';

export interface UnleashServer {
  readonly port: number;
  /** Returns the request for all flags of a user, of which there is one. */
  request(subject: Subject): string;
  stop(): Promise<void>;
}

const schema = 'unleash';
/** Tokens of its form: project, environment and secret. */
const [adminToken, frontendToken] = ['*:*.bench-admin', 'default:development.bench-frontend'];

const request: UnleashServer['request'] = ({ targetingKey, plan, country, beta }) => {
  const context = new URLSearchParams({
    userId: targetingKey,
    'properties[plan]': plan,
    'properties[country]': country,
    'properties[beta]': String(beta),
  });
  return `GET /api/frontend?${context.toString()} HTTP/1.1\r\nhost: bench\r\nauthorization: ${frontendToken}\r\n\r\n`;
};

/** Makes the flag and switches it on. */
const makeFlag = async (base: string): Promise<void> => {
  const features = `${base}/api/admin/projects/default/features`;
  const at = `${features}/${key}/environments/development`;
  const steps: readonly [string, object][] = [
    [features, { name: key, type: 'release' }],
    ...unleashStrategies.map((strategy): [string, object] => [`${at}/strategies`, strategy]),
    [`${at}/on`, {}],
  ];
  for (const [path, body] of steps) {
    const headers = { authorization: adminToken, 'content-type': 'application/json' };
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`Unleash does not take the flag: ${await answer.text()}`);
  }
};

/** Resolves once the server knows the flag, which it reads now and then. */
const isKnown = async (port: number): Promise<void> => {
  for (const end = performance.now() + 30_000; ;) {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/api/frontend?userId=cus_1`, {
      headers: { authorization: frontendToken },
    });
    const { toggles } = (await answer.json()) as { toggles: readonly object[] };
    if (toggles.length > 0) return;
    if (performance.now() > end) throw new Error('Unleash does not know the flag.');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};

/** Starts Unleash. Returns null where its packages can't be installed. */
export const startUnleash = async (bench: Bench): Promise<UnleashServer | null> => {
  const folder = await bench.peer('unleash-server');
  if (folder === null) return null;
  const { sql, ownerUrl } = bench.database;
  const port = await freePort();
  const main = join(folder, 'main.mjs');
  writeFileSync(main, "import { start } from 'unleash-server';\nawait start();\n");
  await sql(`drop schema if exists ${schema} cascade`);
  await sql(`create schema ${schema}`);
  const base = `http://127.0.0.1:${String(port)}`;
  const kill = await startPeerServer({
    name: 'Unleash',
    folder,
    args: [main],
    env: {
      ...plainEnv,
      DATABASE_URL: ownerUrl,
      DATABASE_SCHEMA: schema,
      DATABASE_SSL: 'false',
      HTTP_HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'error',
      CHECK_VERSION: 'false',
      SEND_TELEMETRY: 'false',
      INIT_ADMIN_API_TOKENS: adminToken,
      INIT_FRONTEND_API_TOKENS: frontendToken,
    },
    health: `${base}/health`,
  });
  await makeFlag(base);
  await isKnown(port);
  return {
    port,
    request,
    stop: async () => {
      await kill();
      await sql(`drop schema ${schema} cascade`);
    },
  };
};
