/** Setting the state of items, 64 and 16 callers: with everything on over HTTP, against one prepared statement, knex and objection. */
import { freePort } from '../../../shared/tools/services/ports.mjs';
import { inTurn, type Bench, type Costed, type Suite } from '../bench.ts';
import { costOf } from '../cost.ts';
import type { Database } from '../database.ts';
import { costs, p99, rate, times } from '../measured.ts';
import type { Measured } from '../plan.ts';
import { atLeast, atMost, type Figure } from '../report.ts';
import { changing, changingLimit, closedStates, itemsToChange } from '../requests.ts';

const callers = 64;
const fewCallers = 16;
/** API processes among which the few callers are divided. */
const severalProcesses = 4;
/** As many as an API process has by itself. */
const poolSize = 6;

/** Bytes of the write-ahead log since it began. */
const walPosition = async ({ sql }: Database): Promise<number> =>
  Number((await sql<{ at: string }>("select pg_current_wal_insert_lsn() - '0/0' as at"))[0]?.at);

const measure = async (bench: Bench) => {
  const { database, options } = bench;
  const { token } = await database.token('admin');
  const [api, limit, port] = await Promise.all([bench.api(), bench.start('changeLimit'), freePort()]);
  await limit.call('start', { port, env: database.env, poolSize, closedStates });
  const ms = options.seconds * 1000;
  /** With fresh items, and nothing waiting to be published. */
  const ours =
    (keys: boolean, connections = callers) =>
    async () => {
      await database.sql('truncate outbox, stream_parts');
      const requests = changing(token, await itemsToChange(database), keys);
      return bench.loadCosting(api, { port: api.port, connections, requests });
    };
  const least =
    (keys: boolean, connections = callers) =>
    async () => {
      await database.sql('truncate outbox, stream_parts');
      const requests = changingLimit(await itemsToChange(database), keys);
      return bench.loadCosting(limit, { port, connections, requests });
    };
  const inProcess = (how: string) => async () => {
    await database.sql('truncate outbox, stream_parts');
    return limit.call<Measured>('run', { how, callers, ms, warmupMs: ms / 4, items: await itemsToChange(database) });
  };
  const overHttp = await inTurn(options.rounds, {
    ours: ours(false),
    limit: least(false),
    oursKeyed: ours(true),
    limitKeyed: least(true),
    oursFew: ours(false, fewCallers),
    limitFew: least(false, fewCallers),
  });
  // Changes meet in a process: of the same callers at several processes fewer do.
  const parts = await Promise.all(
    Array.from({ length: severalProcesses }, async () => ({ at: await bench.api(), load: await bench.start('load') })),
  );
  const several = async (): Promise<Costed> => {
    await database.sql('truncate outbox');
    const items = await itemsToChange(database);
    const share = Math.floor(items.length / parts.length);
    const { result, cost } = await costOf(
      database,
      parts.map(({ at }) => at.pid),
      () =>
        Promise.all(
          parts.map(({ at, load }, n) =>
            load.call<Measured>('run', {
              port: at.port,
              connections: fewCallers / parts.length,
              requests: changing(token, items.slice(n * share, (n + 1) * share), false),
              ms,
              warmupMs: ms / 4,
            }),
          ),
        ),
    );
    const [first] = result;
    if (first === undefined) throw new Error('There is a process.');
    const sum = (of: 'count' | 'perSecond'): number => result.reduce((all, each) => all + each[of], 0);
    const count = sum('count');
    return {
      ...first,
      count,
      perSecond: sum('perSecond'),
      cost: { process: cost.process / count, postgres: cost.postgres / count },
    };
  };
  const apart = await inTurn(options.rounds, { oursApart: several });
  const walBefore = await walPosition(database);
  const logged = await ours(false)();
  const wal = ((await walPosition(database)) - walBefore) / logged.count;
  // The peers are far from any goal: one round is enough.
  const peers = await inTurn(1, {
    inProcess: inProcess('limit'),
    knex: inProcess('knex'),
    objection: inProcess('objection'),
  });
  return { ...overHttp, ...apart, ...peers, wal };
};

export const change: Suite = {
  name: 'change',
  run: async (bench) => {
    const found = await measure(bench);
    const row = (what: string, own: readonly Costed[], limit: readonly Costed[], goal: number): Figure => ({
      suite: 'change',
      what,
      unit: '/s',
      ...atLeast(rate(own), rate(limit), goal),
      note: `p50/p99 ms: ours ${times(own)}, limit ${times(limit)}; CPU: ours ${costs(own)}, limit ${costs(limit)}`,
    });
    return [
      {
        ...row('change one item, 64 callers', found.ours, found.limit, 1.2),
        peers: [{ name: 'knex', value: rate(found.knex) }],
      },
      {
        ...row('the same, with an idempotency key', found.oursKeyed, found.limitKeyed, 1.2),
        peers: [{ name: 'objection', value: rate(found.objection) }],
      },
      row('change one item, 16 callers', found.oursFew, found.limitFew, 0.9),
      {
        suite: 'change',
        what: `the same callers at ${String(severalProcesses)} API processes`,
        unit: '/s',
        ours: rate(found.oursApart),
        note: `CPU: ours ${costs(found.oursApart)}`,
      },
      {
        suite: 'change',
        what: 'change one item, 64 callers, against the statement called in-process',
        unit: '/s',
        ours: rate(found.ours),
        limit: rate(found.inProcess),
        note: `limit p50/p99 ms: ${times(found.inProcess)}`,
      },
      {
        suite: 'change',
        what: 'change one item, p99',
        unit: 'ms',
        ...atMost(p99(found.ours), 50, 'ms'),
        limit: p99(found.limit),
      },
      { suite: 'change', what: 'write-ahead log of a change', unit: 'KB', ...atMost(found.wal / 1000, 6, 'KB') },
    ];
  },
};
