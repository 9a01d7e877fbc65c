/** The bulks of a soak: each tags half of the items, and is expected to change all of them once. Used by soak.ts. */
import { bulkDone, tagAll, tallyTags } from '../chaos/support/bulks.ts';
import type { Client } from '../chaos/support/client.ts';
import { each } from '../chaos/support/oracle.ts';
import type { Run } from '../chaos/support/run.ts';
import { atTimes } from './times.ts';

export interface SoakBulk {
  readonly tag: string;
  readonly ids: readonly string[];
}

/** Requests a bulk at each of `times`, of the first and of the second half of `ids` in turn. */
export const playBulks = async (
  run: Run,
  client: Client,
  ids: readonly string[],
  times: readonly number[],
): Promise<SoakBulk[]> => {
  const half = Math.floor(ids.length / 2);
  const bulks: SoakBulk[] = [];
  await atTimes(times, async (n) => {
    const bulk = { tag: `bulk${String(n)}`, ids: n % 2 === 0 ? ids.slice(0, half) : ids.slice(half, 2 * half) };
    bulks.push(bulk);
    const since = performance.now();
    const { changed } = await bulkDone(client, await tagAll(client, bulk.ids, bulk.tag), 300_000);
    run.worst('longest bulk s', (performance.now() - since) / 1000);
    run.expect(
      changed === bulk.ids.length,
      `${bulk.tag} changed ${String(changed)} of ${String(bulk.ids.length)} items`,
    );
  });
  return bulks;
};

/** Looks for the one entry of each bulk on each of its items. */
export const judgeBulks = async (run: Run, client: Client, bulks: readonly SoakBulk[]): Promise<void> => {
  const wanted = new Map<string, string[]>();
  for (const { ids, tag } of bulks) for (const id of ids) wanted.set(id, [...(wanted.get(id) ?? []), tag]);
  await each([...wanted], 16, async ([id, tags]) => {
    const { lost, doubled } = await tallyTags(client, [id], tags);
    run.expect(lost.length === 0, `${id} lacks the entry of a bulk`);
    run.expect(doubled.length === 0, `${id} has the entry of a bulk twice`);
  });
};
