/** Setting the state of items, 64 callers: with everything on over HTTP, against one prepared statement, knex and objection. */
import { freePort, inTurn, type Bench, type Costed, type Suite } from '../bench.ts';
import { environment, type Database } from '../database.ts';
import { median } from '../numbers.ts';
import type { Changed, Measured, Requests } from '../plan.ts';
import { atLeast, atMost, type Figure } from '../report.ts';
import { costs, rate } from './bare.ts';

const callers = 64;
/** As many as an API process has by itself. */
const poolSize = 6;
const itemCount = 20_000;

/** Inboxes in which any state follows any other, and the states that the items go through. */
const cycles: Readonly<Record<string, readonly string[]>> = {
  support: ['open', 'waiting', 'closed'],
  errors: ['open', 'awaiting_release', 'resolved'],
  signups: ['review', 'contacted', 'accepted'],
};
export const closedStates = ['closed', 'resolved', 'accepted'];

/** Random items with the states that come after the one that each is in. */
export const itemsToChange = async ({ sql, env, share }: Database, count = itemCount): Promise<Changed[]> => {
  const found = await sql<{ id: string; inbox: string; state: string }>(
    `select id, inbox, state from items tablesample system (${share(count * 4)}) where env = $1 and inbox = any ($2) order by random() limit $3`, [env, Object.keys(cycles), count]);
  return found.map(({ id, inbox, state }) => {
    const cycle = cycles[inbox] ?? [];
    const at = cycle.indexOf(state) + 1;
    return { id, states: [...cycle.slice(at), ...cycle.slice(0, at)] };
  });
};

export const changing = (token: string, items: readonly Changed[], keys = false): Requests => ({
  kind: 'states',
  before: `POST /api/env/${environment}/items/`,
  after: `/state HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`,
  items,
  keys,
});

const viaLimit = (items: readonly Changed[], keys: boolean): Requests => ({
  kind: 'states', before: 'POST /items/', after: '/state HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n', items, keys,
});

const times = (rounds: readonly Measured[]): string => `${median(rounds.map(({ p50 }) => p50)).toFixed(1)}/${median(rounds.map(({ p99 }) => p99)).toFixed(0)}`;
const p99 = (rounds: readonly Measured[]): number => median(rounds.map((round) => round.p99));

const measure = async (bench: Bench) => {
  const { database, options } = bench;
  const { token } = await database.token('admin');
  const [api, limit, port] = await Promise.all([bench.api(), bench.start('changeLimit'), freePort()]);
  await limit.call('start', { port, env: database.env, poolSize, closedStates });
  const ms = options.seconds * 1000;
  /** With fresh items, and nothing waiting to be published. */
  const ours = (keys: boolean) => async () => {
    await database.sql('truncate outbox');
    return bench.loadCosting(api, { port: api.port, connections: callers, requests: changing(token, await itemsToChange(database), keys) });
  };
  const least = (keys: boolean) => async () => {
    await database.sql('truncate outbox');
    return bench.loadCosting(limit, { port, connections: callers, requests: viaLimit(await itemsToChange(database), keys) });
  };
  const inProcess = (how: string) => async () => {
    await database.sql('truncate outbox');
    return limit.call<Measured>('run', { how, callers, ms, warmupMs: ms / 4, items: await itemsToChange(database) });
  };
  const overHttp = await inTurn(options.rounds, { ours: ours(false), limit: least(false), oursKeyed: ours(true), limitKeyed: least(true) });
  // The peers are far from any goal: one round says enough.
  const peers = await inTurn(1, { inProcess: inProcess('limit'), knex: inProcess('knex'), objection: inProcess('objection') });
  return { ...overHttp, ...peers };
};

export const change: Suite = {
  name: 'change',
  run: async (bench) => {
    const found = await measure(bench);
    const row = (what: string, own: readonly Costed[], limit: readonly Costed[]): Figure => ({
      suite: 'change', what, unit: '/s', ...atLeast(rate(own), rate(limit), 0.5), note: `p50/p99 ms: ours ${times(own)}, limit ${times(limit)}; CPU: ours ${costs(own)}, limit ${costs(limit)}`,
    });
    return [
      { ...row('change one item, 64 callers', found.ours, found.limit), peer: { name: 'knex', value: rate(found.knex) } },
      { ...row('the same, with an idempotency key', found.oursKeyed, found.limitKeyed), peer: { name: 'objection', value: rate(found.objection) } },
      { suite: 'change', what: 'the same, against the statement called in-process', unit: '/s', ours: rate(found.ours), limit: rate(found.inProcess), note: `limit p50/p99 ms: ${times(found.inProcess)}` },
      { suite: 'change', what: 'change one item, p99', unit: 'ms', ...atMost(p99(found.ours), 50, 'ms'), limit: p99(found.limit) },
    ];
  },
};
