/** Bulks as invariants use them: requested, awaited, and judged by the timelines of their items. */
import { until } from '../../support/until.ts';
import type { Client } from './client.ts';
import { each, timelineOf, type Json } from './oracle.ts';

/** Adds `tag` to each of `ids`; returns the bulk's id. */
export const tagAll = async (client: Client, ids: readonly string[], tag: string): Promise<string> => {
  const { status, body, text } = await client.post('/bulk', { ids, operation: { type: 'tags', add: [tag] } });
  if (status !== 202) throw new Error(`A bulk was answered with ${String(status)} ${text}`);
  return body.bulk.id as string;
};

/** Returns the bulk once it is done. */
export const bulkDone = (client: Client, id: string, ms = 180_000): Promise<Json> =>
  until<Json>(
    `the bulk ${id} is done`,
    async () => {
      const { body } = await client.get(`/bulk/${id}`);
      return body.bulk?.status === 'done' && body.bulk;
    },
    ms,
  );

export interface Tally {
  /** Items that lack an entry that they should have. */
  readonly lost: string[];
  /** Items with the entry more than once. */
  readonly doubled: string[];
}

/** Looks for exactly one timeline entry for each of `tags` on each of `ids`. */
export const tallyTags = async (client: Client, ids: readonly string[], tags: readonly string[]): Promise<Tally> => {
  const tally: Tally = { lost: [], doubled: [] };
  await each(ids, 16, async (id) => {
    const counts = new Map<string, number>();
    for (const entry of await timelineOf(client, id)) {
      if (entry.type === 'tags')
        for (const tag of entry.data.add as string[]) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
    if (tags.some((tag) => !counts.has(tag))) tally.lost.push(id);
    if (tags.some((tag) => (counts.get(tag) ?? 0) > 1)) tally.doubled.push(id);
  });
  return tally;
};
