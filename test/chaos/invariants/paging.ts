/** 16. While many write, paging shows every item that nobody touches exactly once, by each sort in both directions. */
import type { Random } from '../../support/random.ts';
import type { Client } from '../support/client.ts';
import { changeOnce, makeItems } from '../support/load.ts';
import { each } from '../support/oracle.ts';
import type { Invariant } from '../support/run.ts';

const sorts = ['lastSeen', 'firstSeen', 'occurrences', 'users', 'title', 'due'].flatMap((sort) => [sort, `-${sort}`]);

/** How often each id came over all pages of one sort, with pages of changing size. */
const walk = async (client: Client, sort: string, random: Random): Promise<Map<string, number>> => {
  const seen = new Map<string, number>();
  let cursor: string | null = null;
  do {
    const limit = random.int(20, 200);
    const { status, body, text } = await client.get(
      `/items?sort=${sort}&limit=${String(limit)}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (status !== 200) throw new Error(`A page by ${sort} answered ${String(status)} ${text}`);
    for (const { id } of body.items as { id: string }[]) seen.set(id, (seen.get(id) ?? 0) + 1);
    cursor = body.cursor as string | null;
  } while (cursor !== null);
  return seen;
};

export const paging: Invariant = {
  number: 16,
  title: 'paging while others write shows each item once',
  site: { short: { apis: 1, workers: 1 }, long: { apis: 2, workers: 1 } },
  run: async (run, site) => {
    const { admin } = await run.stage(site, 'paging');
    const count = run.size('items', { short: 1_000, long: 10_000 });
    const ids = run.random.shuffled(await makeItems(admin, count));
    const untouched = ids.slice(0, count / 2);
    const touched = ids.slice(count / 2);
    let walking = true;
    const writers = Promise.all(
      Array.from({ length: run.size('writers', { short: 8, long: 50 }) }, async (_, n) => {
        const random = run.random.fork(`writer ${String(n)}`);
        let writes = 0;
        for (; walking; writes++) {
          // Occurrences move an item in most of the sorts, new items come in between.
          if (random.next() < 0.4) await changeOnce(admin, random.pick(touched), random, String(writes));
          else
            await admin.post('/items', {
              inbox: 'mail',
              title: `Item ${String(random.int(0, count))}`,
              key: `key${String(random.int(0, count))}`,
              user: `user${String(random.int(0, 50))}`,
            });
        }
        return writes;
      }),
    );
    writers.catch(() => undefined);
    const passes = run.size('walks of each sort', { short: 1, long: 2 });
    try {
      await each(Array.from({ length: passes }, () => sorts).flat(), 4, async (sort, n) => {
        const seen = await walk(admin, sort, run.random.fork(`walk ${String(n)}`));
        const missing = untouched.filter((id) => !seen.has(id));
        const repeated = untouched.filter((id) => (seen.get(id) ?? 0) > 1);
        run.expect(
          missing.length === 0,
          `by ${sort} ${String(missing.length)} items were skipped, e.g. ${String(missing[0])}`,
        );
        run.expect(
          repeated.length === 0,
          `by ${sort} ${String(repeated.length)} items came twice, e.g. ${String(repeated[0])}`,
        );
      });
    } finally {
      walking = false;
    }
    run.measure('walks', passes * sorts.length);
    run.measure(
      'writes meanwhile',
      (await writers).reduce((sum, n) => sum + n, 0),
    );
  },
};
