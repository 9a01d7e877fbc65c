/** Bulks of 100,000 by query against the same by ids, until they are accepted; and a bulk of 10 beside four of them. */
import { sleep } from '../../../shared/platform/time/clock.ts';
import { newApiClient, type ApiClient } from '../apiClient.ts';
import { inTurn, type Bench, type Suite } from '../bench.ts';
import { environment } from '../database.ts';
import { median } from '../numbers.ts';
import { atMost } from '../report.ts';

/** The most that one bulk takes; without `--quick` there are more items. */
const size = 100_000;
const largeBulks = 4;

interface Seen {
  readonly bulk: { readonly id: string; readonly status: string; readonly total: number; readonly done: number };
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
};

/** Waits until nothing is published or done any more. */
const settled = async ({ database }: Bench): Promise<void> => {
  const left = 'select from outbox union all select from bulks where finished_at is null limit 1';
  while ((await database.sql(left)).length > 0) await sleep(20);
};

const tag = (name: string) => ({ type: 'tags', add: [name], remove: [] });

/** Seconds until the bulk is accepted; it is cancelled then. */
const accept = async (bench: Bench, call: ApiClient, items: object): Promise<number> => {
  await settled(bench);
  let id = '';
  const took = await seconds(async () => {
    const { bulk } = await call<Seen>('/bulk', { ...items, operation: tag('large') });
    if (bulk.total > size || bulk.total < 0.9 * size) throw new Error(`The bulk has ${String(bulk.total)} items.`);
    ({ id } = bulk);
  });
  await call(`/bulk/${id}/cancel`, {}).catch(() => undefined);
  return took;
};

/** Seconds from the request to the end of a bulk of 10, while others of another principal are under way. */
const smallBulk = (other: ApiClient, ids: readonly string[]) => async (): Promise<number> =>
  seconds(async () => {
    let { bulk } = await other<Seen>('/bulk', { ids, operation: tag(`small-${String(performance.now())}`) });
    while (bulk.status !== 'done') {
      await sleep(5);
      ({ bulk } = await other<Seen>(`/bulk/${bulk.id}`));
    }
  });

export const bulkQuery: Suite = {
  name: 'bulkQuery',
  run: async (bench) => {
    const { database, options } = bench;
    const [api] = await Promise.all([bench.api(), bench.start('workers'), bench.start('workers')]);
    const base = `http://127.0.0.1:${String(api.port)}/api/env/${environment}`;
    const [one, other] = await Promise.all(
      ['admin', 'admin'].map(async (role) => newApiClient(base, (await database.token(role)).token)),
    );
    if (one === undefined || other === undefined) throw new Error('There is no token.');
    const ids = await database.sql<{ id: string; at: string }>(
      'select id, created_at::text as at from items where env = $1 order by created_at limit $2',
      [database.env, size + 1],
    );
    const named = ids.slice(0, size).map(({ id }) => id);
    const end = ids[size]?.at;
    const query = end === undefined ? {} : { createdBefore: Number(end) };
    const found = await inTurn(options.rounds, {
      query: () => accept(bench, one, { query, expect: size }),
      ids: () => accept(bench, one, { ids: named }),
    });
    await settled(bench);
    const large = await Promise.all(
      Array.from({ length: largeBulks }, () => one<Seen>('/bulk', { ids: named, operation: tag('large') })),
    );
    const small = await inTurn(5, { beside: smallBulk(other, named.slice(0, 10)) });
    const after = await Promise.all(large.map(({ bulk: { id } }) => one<Seen>(`/bulk/${id}`)));
    const left = after.reduce((sum, { bulk: { total, done } }) => sum + total - done, 0);
    await Promise.all(large.map(({ bulk: { id } }) => one(`/bulk/${id}/cancel`, {})));
    await settled(bench);
    const beside = `a bulk of 10 beside ${String(largeBulks)} of 100,000 of another, longest`;
    return [
      {
        suite: 'bulkQuery',
        what: 'bulk by query over 100,000 items, until it is accepted',
        unit: 's',
        ...atMost(median(found.query), 2, 's'),
        limit: median(found.ids),
        note: 'limit: the same by ids',
      },
      {
        suite: 'bulkQuery',
        what: beside,
        unit: 's',
        ...atMost(Math.max(...small.beside), 2, 's'),
        note: `median ${median(small.beside).toFixed(2)} s; ${left.toLocaleString('en-US')} items still waited`,
      },
    ];
  },
};
