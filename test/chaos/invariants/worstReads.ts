/** 28. Two hundred of the worst reads at once, of one principal, leave another's latency within three times; nothing answers 5xx. */
import { pathToFileURL } from 'node:url';
import manifest from '../../../shared/tools/demo/manifest.json' with { type: 'json' };
import { program } from '../../../shared/tools/services/compile.mjs';
import { startProgram } from '../../bench/ipc.ts';
import { loadItems } from '../../bench/load.ts';
import type { Client } from '../support/client.ts';
import type { GreedyAnswers, GreedyReads } from '../support/greedyReader.ts';
import { pause } from '../support/pause.ts';
import type { Invariant, Run } from '../support/run.ts';
import type { Site } from '../support/site.ts';

/** What the other one does; each tenth time it changes an item too. */
const ordinary: readonly string[] = ['/items?limit=50', '/items?inbox=support&limit=50', '/inboxes', '/audit?limit=20'];

/** ms between two requests of the other one. */
const everyMs = 25;
/** Below it a difference is the machine's, not the service's; in ms. */
const calmMs = 30;
const eventsAtOnce = 500_000;

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const indexesSql = `
  select indexrelid::regclass::text as name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') as definition
  from pg_index where indrelid = 'events'::regclass and not indisunique`;

/** Fills the environment's audit log with changes of its items by many principals, over two years. Its indexes are made afterwards. */
const fillEvents = async (site: Site, env: number, count: number): Promise<void> => {
  const indexes = await site.sql<{ name: string; definition: string }>(indexesSql);
  await site.sql(`drop index ${indexes.map(({ name }) => name).join(', ')}`);
  for (let from = 0; from < count; from += eventsAtOnce)
    await site.sql(
      `insert into events (env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type, data)
       select $1, (extract(epoch from now()) * 1000)::bigint - ($3::bigint - n) * 6000, 'agent', 'agt_' || lpad((n % 50)::text, 26, '0'), 'Agent', 'admin',
         case n % 5 when 0 then 'item.state' when 1 then 'item.tags' else 'item.note' end, 'item', 'itm_' || lpad((n % 100000)::text, 26, '0'),
         'support', 'itm_' || lpad((n % 100000)::text, 26, '0'), 'ent_' || lpad(n::text, 26, '0'), 'note', '{"text":"Noted."}'
       from generate_series($2::bigint, least($2::bigint + ${String(eventsAtOnce)}, $3::bigint) - 1) n`,
      [env, from, count],
    );
  for (const { definition } of indexes) await site.sql(definition);
};

/** Leaves tables as two years would have: PostgreSQL would vacuum what came in one minute while the latencies are taken. */
const settle = async (site: Site): Promise<void> => {
  await site.sql('vacuum (analyze)');
  await site.sql('checkpoint');
};

/** Works for `ms` as one who has nothing to do with the flood; returns the latencies in ms. */
const work = async (run: Run, client: Client, item: string, ms: number): Promise<number[]> => {
  const [base = ''] = client.bases();
  const latencies: number[] = [];
  const under: Promise<void>[] = [];
  const one = async (n: number): Promise<void> => {
    const since = performance.now();
    const { status, text } = await (n % 10 === 9
      ? client.once('POST', `${base}/items/${item}/notes`, { text: `Note ${String(n)}` })
      : client.once('GET', `${base}${ordinary[n % ordinary.length] ?? ''}`));
    latencies.push(performance.now() - since);
    run.expect(status < 300, `the other one was answered ${String(status)} ${text.slice(0, 200)}`);
  };
  const until = performance.now() + ms;
  for (let n = 0; performance.now() < until; n++) {
    under.push(one(n));
    await pause(everyMs);
  }
  await Promise.all(under);
  return latencies;
};

export const worstReads: Invariant = {
  number: 28,
  title: 'the worst reads of one leave another’s latency alone',
  site: { short: { apis: 1, workers: 1 }, long: { apis: 1, workers: 1 } },
  run: async (run, site) => {
    // Filled behind the service's back, so that its audit log has no requests to be compared with.
    const stage = await site.stage('worstReads');
    await stage.declare(manifest);
    const [row] = await site.sql<{ id: number }>('select id from environments where name = $1', [stage.env]);
    const rows = run.size('items', { short: 20_000, long: 1_000_000 });
    await loadItems(site.postgres.ownerUrl, { env: row?.id ?? 0, rows, now: Date.now() });
    for (const worker of site.workers) await worker.terminate();
    await fillEvents(site, row?.id ?? 0, run.size('events', { short: 100_000, long: 10_000_000 }));
    await settle(site);
    for (const worker of site.workers) await worker.start();
    const greedy = await stage.agent('admin');
    const [base = ''] = greedy.bases();
    const [, file = ''] = (await program('test/chaos/support/greedyReader.ts')).filter(
      (word) => !word.startsWith('--'),
    );
    const flood = await startProgram(pathToFileURL(file), {});
    const other = await stage.agent('admin');
    const [first] = (await other.get('/items?limit=1')).body.items as { id: string }[];
    const ms = run.size('ms of each round', { short: 4_000, long: 15_000 });
    const before: number[] = [];
    const during: number[] = [];
    const counts: string[] = [];
    await work(run, other, first?.id ?? '', ms);
    try {
      for (let round = run.size('rounds', { short: 1, long: 5 }); round > 0; round--) {
        before.push(p99(await work(run, other, first?.id ?? '', ms)));
        await flood.call('begin', { base, token: greedy.token } satisfies GreedyReads);
        during.push(p99(await work(run, other, first?.id ?? '', ms)));
        const { byStatus, unexpected } = await flood.call<GreedyAnswers>('end');
        counts.push(
          Object.entries(byStatus)
            .map(([status, n]) => `${status}: ${String(n)}`)
            .join(', '),
        );
        for (const answer of unexpected) run.expect(false, answer);
      }
    } finally {
      await flood.stop();
    }
    run.measure('p99 alone ms', before.map((value) => value.toFixed(0)).join(' '));
    run.measure('p99 beside the flood ms', during.map((value) => value.toFixed(0)).join(' '));
    run.measure('answers to the flood', counts.join(' | '));
    run.expect(
      median(during) <= 3 * Math.max(median(before), calmMs),
      `the other one's p99 went from ${median(before).toFixed(0)} to ${median(during).toFixed(0)} ms`,
    );
  },
};
