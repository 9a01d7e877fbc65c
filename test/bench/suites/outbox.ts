/** Committed changes reach a subscriber: how soon at 1,000 changes a second, and how many a second at most. */
import { inTurn, type Bench, type Suite } from '../bench.ts';
import { median } from '../numbers.ts';
import { atLeast, type Figure } from '../report.ts';
import { changing, itemsToChange } from '../requests.ts';

const perSecond = 1_000;
const backlog = 20_000;

const latencies = async (bench: Bench): Promise<Figure[]> => {
  const { database, options } = bench;
  const [api] = await Promise.all([bench.api(), bench.start('workers')]);
  const { token } = await database.token('admin');
  const found = await inTurn(options.rounds, {
    ours: async () =>
      bench.loadHearing(
        { port: api.port, connections: 64, perSecond, requests: changing(token, await itemsToChange(database)) },
        token,
      ),
  });
  const of = (which: 'answeredP50' | 'answeredP99' | 'sentP50' | 'sentP99'): number =>
    median(found.ours.map((round) => round[which]));
  const missed = found.ours.reduce((sum, round) => sum + round.missed, 0);
  const rate = median(found.ours.map((round) => round.perSecond));
  await bench.clear();
  const note = (share: string, sent: number): string =>
    `at ${String(Math.round(rate))} changes/s; from the request's first byte, so with the change itself: ${share} ${sent.toFixed(1)} ms${missed === 0 ? '' : `; ${String(missed)} NOT HEARD`}`;
  return [
    {
      suite: 'outbox',
      what: 'answer of a change to subscriber, p50',
      unit: 'ms',
      ours: of('answeredP50'),
      goal: '≤ 4 ms',
      met: missed === 0 && of('answeredP50') <= 4,
      note: note('p50', of('sentP50')),
    },
    {
      suite: 'outbox',
      what: 'answer of a change to subscriber, p99',
      unit: 'ms',
      ours: of('answeredP99'),
      goal: '≤ 25 ms',
      met: missed === 0 && of('answeredP99') <= 25,
      note: note('p99', of('sentP99')),
    },
  ];
};

/** Fills the outbox; `inside`: the messages stand in it, as the limit takes them. */
const sample = async ({ database }: Bench, inside: boolean): Promise<void> => {
  const item = {
    id: 'itm_01jd0000000000000000000000',
    inbox: 'support',
    title: 'Invoice charged twice after upgrading',
    state: 'open',
    tags: ['billing'],
    fields: { email: 'ana@example.com', text: 'x'.repeat(300) },
    version: 2,
  };
  const by = { type: 'agent', id: 'agt_01jd0000000000000000000000', name: 'bench' };
  const parts = JSON.stringify([
    { type: 'item', inbox: 'support', change: 'changed', item, by },
    {
      type: 'timeline',
      inbox: 'support',
      change: 'created',
      item: item.id,
      entry: { type: 'state', data: { from: 'open', to: 'waiting' }, actor: by },
    },
  ]);
  await database.sql('truncate outbox');
  await database.sql(
    `insert into outbox (id, env, at, parts, inbox, deltas) select nextval('events_id_seq'), $1, $2, $3, 'support', '{"=open":-1,"=waiting":1}' from generate_series(1, $4)`,
    [database.env, Date.now(), inside ? parts : null, backlog],
  );
  if (!inside)
    await database.sql('insert into stream_parts (id, env, parts) select id, env, $1 from outbox order by id', [parts]);
  await database.sql('analyze outbox, stream_parts');
};

const rates = async (bench: Bench): Promise<Figure> => {
  const relay = await bench.start('relay');
  const found = await inTurn(bench.options.rounds, {
    ours: async () => {
      await sample(bench, false);
      return relay.call<number>('ours', backlog);
    },
    limit: async () => {
      await sample(bench, true);
      return relay.call<number>('limit', backlog);
    },
  });
  return {
    suite: 'outbox',
    what: 'publisher: outbox to stream, counts and Redis',
    unit: 'events/s',
    ...atLeast(median(found.ours), median(found.limit), 0.7),
    note: 'limit: delete … returning of 500 and one PUBLISH',
  };
};

export const outbox: Suite = {
  name: 'outbox',
  run: async (bench) => [...(await latencies(bench)), await rates(bench)],
};
