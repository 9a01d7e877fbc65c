/**
 * 24. A dispatch, or the end of a run, whose commit the API never saw confirmed is carried on: PostgreSQL has it, the
 * connection broke before it could confirm, and nobody else would call the app or confirm that its answer is stored.
 */
import { until } from '../../support/until.ts';
import type { Client } from '../support/client.ts';
import { Customer } from '../support/customer.ts';
import type { Json } from '../support/oracle.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import type { Invariant, Run } from '../support/run.ts';
import { effectsOf, endedRuns, judgeAudit, judgeOnce } from '../support/runs.ts';
import type { Site } from '../support/site.ts';

/** Far less than the minute after which an answer counts as lost. */
const carriedOnMs = 20_000;

interface Scene {
  readonly run: Run;
  readonly site: Site;
  readonly client: Client;
  readonly customer: Customer;
  readonly proxy: Proxy;
  /** Of the API behind the proxy, which holds the app's socket. */
  readonly base: string;
}

/** The writes whose confirmation is lost: the run of a direct call, the dispatch of another one, the end of either. */
const kinds = ['direct', 'there', 'background', 'end'] as const;
const written: Readonly<Record<(typeof kinds)[number], string>> = {
  direct: 'handed_at is not null',
  there: 'handed_at is not null',
  background: 'handed_at is not null',
  end: "status = 'succeeded'",
};

const ask = async ({ run, client, base }: Scene, kind: (typeof kinds)[number], mark: string): Promise<void> => {
  const body = {
    action: kind === 'background' ? 'job' : 'act',
    input: { mark, ...(kind === 'end' ? { cell: mark.slice(0, -1), gate: 'after' } : {}) },
  };
  const { status, text } =
    kind === 'direct' ? await client.once('POST', `${base}/actions`, body) : await client.post('/actions', body);
  run.expect(status === 200 || status === 202, `${mark}, whose run was there, answered ${String(status)} ${text}`);
};

const unheardOnce = async (scene: Scene, kind: (typeof kinds)[number], n: number): Promise<void> => {
  const { run, site, client, customer, proxy } = scene;
  const cell = `${kind}${String(n)}`;
  const mark = `${cell}:`;
  const find = async (where: string): Promise<boolean> =>
    (await site.sql(`select from runs where input ->> 'mark' = $1 and ${where}`, [mark])).length === 1;
  let sent = kind === 'end' ? Promise.resolve() : proxy.hold([kind === 'direct' ? 'runs.insert' : 'runs.move', mark]);
  const asking = ask(scene, kind, mark);
  asking.catch(() => undefined);
  if (kind === 'end') {
    await customer.reached(cell, 'effect', 1);
    sent = proxy.hold(['runs.move', mark]);
    customer.pass(cell, 'after');
  }
  await sent;
  await until('it is written', () => find(written[kind]), 20_000);
  const since = Date.now();
  proxy.cut();
  try {
    await until('it has succeeded', () => find("status = 'succeeded'"), carriedOnMs);
  } catch {
    const [row] = await site.sql<Json>("select * from runs where input ->> 'mark' = $1", [mark]);
    run.problem(`${mark} was not carried on: ${JSON.stringify(row)}`);
  }
  run.worst(`${kind}: carried on after ms`, Date.now() - since);
  await asking;
  await until(
    'the API is well',
    async () => (await client.once('GET', `${scene.base}/me`).catch(() => null))?.status === 200,
    20_000,
  );
};

export const unheard: Invariant = {
  number: 24,
  title: 'what was written of a run without being heard is carried on',
  site: { short: { apis: 1, workers: 1 }, long: { apis: 1, workers: 1 } },
  run: async (run, site) => {
    const proxy = await startProxy(site.postgres.port);
    const url = new URL(site.postgres.url);
    url.port = String(proxy.port);
    const api = await site.addApi({ DATABASE_URL: url.href });
    const stage = await run.stage(site, 'unheard');
    const customer = await Customer.open(site, stage, { apis: [api] });
    try {
      const scene: Scene = { run, site, client: stage.admin, customer, proxy, base: site.baseOf(api, stage.env) };
      const rounds = run.size('rounds of each kind', { short: 1, long: 5 });
      for (let n = 0; n < rounds; n++) for (const kind of kinds) await unheardOnce(scene, kind, n);
      const runs = await endedRuns(stage.admin, 30_000);
      judgeOnce(run, runs, effectsOf(customer.lines()));
      await judgeAudit(run, stage.admin, runs);
    } finally {
      await customer.close();
      await api.kill();
      await proxy.close();
    }
  },
};
