/** 17. One key, one effect, one answer: for calls at the same time on every API, and when the API dies between commit and answer. */
import { randomUUID } from 'node:crypto';
import { until } from '../../support/until.ts';
import type { Client } from '../support/client.ts';
import { makeItems } from '../support/load.ts';
import { auditOf, listItems, timelineOf } from '../support/oracle.ts';
import { startProxy } from '../support/proxy.ts';
import type { Invariant, Run } from '../support/run.ts';
import { NoAnswer } from '../support/send.ts';
import type { Site } from '../support/site.ts';
import type { Stage } from '../support/stage.ts';

interface Scene {
  readonly run: Run;
  readonly site: Site;
  readonly stage: Stage;
  readonly ids: readonly string[];
}

interface Change {
  readonly path: string;
  readonly body: object;
  /** Stands in the statement that writes, and in no other. */
  readonly mark: string;
  /** How often it took effect. */
  readonly effects: (client: Client) => Promise<number>;
}

const kinds: readonly ((item: string, mark: string) => Change)[] = [
  (_, mark) => ({
    path: '/items',
    body: { inbox: 'mail', title: mark },
    mark,
    effects: async (client) => (await listItems(client, `search=${mark}`)).length,
  }),
  (item, mark) => ({
    path: `/items/${item}/notes`,
    body: { text: mark },
    mark,
    effects: async (client) => (await timelineOf(client, item)).filter((entry) => entry.data.text === mark).length,
  }),
  (item, mark) => ({
    path: `/items/${item}/tags`,
    body: { add: [mark] },
    mark,
    effects: async (client) =>
      (await timelineOf(client, item)).filter((entry) => (entry.data.add as string[] | undefined)?.includes(mark))
        .length,
  }),
  (item, mark) => ({
    path: '/bulk',
    body: { ids: [item], operation: { type: 'tags', add: [mark] } },
    mark,
    effects: async (client) =>
      (await auditOf(client, 'verb=bulk.create')).filter((entry) => JSON.stringify(entry.after).includes(mark)).length,
  }),
];

const nextChange = ({ run, ids }: Scene, n: number): Change => {
  const kind = kinds[n % kinds.length] ?? kinds[0];
  if (kind === undefined) throw new Error('There is nothing to change.');
  return kind(run.random.pick(ids), `once${String(n)}x${String(run.random.int(0, 1e9))}`);
};

const checkEffects = async ({ run, stage: { admin } }: Scene, change: Change): Promise<void> => {
  const effects = await change.effects(admin);
  run.expect(effects === 1, `${change.path} took effect ${String(effects)} times under one key`);
};

/** Many calls with one key, spread over the APIs. */
const atOnce = async (scene: Scene, n: number): Promise<void> => {
  const {
    run,
    stage: { admin },
  } = scene;
  const change = nextChange(scene, n);
  const key = randomUUID();
  const calls = run.size('calls at once', { short: 100, long: 100 });
  const answers = await Promise.all(Array.from({ length: calls }, () => admin.post(change.path, change.body, { key })));
  run.expect(
    new Set(answers.map(({ status, text }) => `${String(status)} ${text}`)).size === 1,
    `${change.path} gave different answers to one key`,
  );
  run.expect((answers[0]?.status ?? 0) < 300, `${change.path} answered ${String(answers[0]?.text)}`);
  await checkEffects(scene, change);
};

/** Delays PostgreSQL's answer to the writing statement, kills the API once the effect is committed, and retries. */
const killedBefore = async (scene: Scene, n: number): Promise<void> => {
  const { run, site, stage } = scene;
  const proxy = await startProxy(site.postgres.port);
  const url = new URL(site.postgres.url);
  url.port = String(proxy.port);
  const api = await site.addApi({ DATABASE_URL: url.href });
  const base = site.baseOf(api, stage.env);
  try {
    const change = nextChange(scene, n);
    const key = randomUUID();
    await stage.admin.once('GET', `${base}/me`);
    const sent = proxy.hold([change.mark, key]);
    const first = stage.admin
      .once('POST', `${base}${change.path}`, change.body, { 'idempotency-key': key, 'x-request-id': `chaos-${key}` })
      .catch((error: unknown) => {
        if (error instanceof NoAnswer) return null;
        throw error;
      });
    await sent;
    await until(
      'the effect is committed',
      async () => (await site.sql('select from idempotency_keys where key = $1', [key])).length === 1,
    );
    run.tell({ kind: 'killApi', forMs: 0 });
    await api.kill();
    run.expect((await first) === null, 'the API answered although it never heard of its commit');
    const again = await stage.admin.post(change.path, change.body, { key });
    const more = await stage.admin.post(change.path, change.body, { key });
    run.expect(
      again.headers['idempotent-replayed'] === 'true',
      `${change.path}: the answer after the kill was not a replay: ${again.text}`,
    );
    run.expect(
      again.status < 300 && again.text === more.text && again.status === more.status,
      `${change.path}: ${again.text} and then ${more.text}`,
    );
    await checkEffects(scene, change);
  } finally {
    await api.kill();
    await proxy.close();
  }
};

export const idempotency: Invariant = {
  number: 17,
  title: 'one idempotency key has one effect and one answer',
  site: { short: { apis: 2, workers: 1 }, long: { apis: 2, workers: 1 } },
  run: async (run, site) => {
    const stage = await run.stage(site, 'idempotency');
    const scene: Scene = { run, site, stage, ids: await makeItems(stage.admin, 20) };
    const races = run.size('races', { short: kinds.length, long: 40 });
    for (let n = 0; n < races; n++) await atOnce(scene, n);
    const kills = run.size('kills between commit and answer', { short: 2, long: 12 });
    for (let n = 0; n < kills; n++) await killedBefore(scene, races + n);
  },
};
