/** The records of a stored resource that a text finds, best match first: the id, the title, titles that begin with it, others. */
import type { Db } from '../db/knex.ts';
import { rows, statement } from '../db/sql.ts';
import { valuesOf } from '../items/list/sql.ts';
import { listStored, type ListRequest } from './list/page.ts';
import { anyOf, probe } from './list/statements.ts';
import type { FullRecord } from './queries.ts';
import { fold } from '../core/text.ts';
import { termQueries, titleKey } from './terms.ts';

/** Longest matches come first by the order of titles itself: what begins with the text follows the text. */
const first = statement('records.bestMatches', `
  select resource, id, title, subtitle, fields, updated_at as "updatedAt" from (
    (select r.*, 0 as rank from records r where r.env = $1 and r.resource = $2 and r.id = $3)
    union all
    (select r.*, case when r.title_key = $4 then 1 else 2 end from records r
      where r.env = $1 and r.resource = $2 and r.title_key >= $4 and r.title_key < $5 order by r.title_key, r.id limit $6)
  ) r order by rank, title_key, id`);

/** Behind every text that begins with another, in the order of code points. */
const beyond = '\u{10ffff}';

/** Frequent words are found among the first by title; of others the index knows where they are, and any will do. */
const frequent = { rows: 256, matches: 3 } as const;

/** What else the text finds. */
const others = async (db: Db, request: Omit<ListRequest, 'text'> & { readonly text: string }): Promise<readonly FullRecord[]> => {
  const { env, resource, text, limit } = request;
  const terms = termQueries(env, resource).matches(text);
  const values = { env, resource, terms, limit, query: terms, path: null };
  const shape = { stream: 'title', descending: false, behind: false } as const;
  const near = probe(shape, frequent.rows);
  const first = await rows<FullRecord & { edge: unknown }>(db, near.prepared, valuesOf(near, values));
  const fitting = first.filter(({ edge }) => edge === null).length;
  if (fitting >= Math.min(limit, frequent.matches)) return (await listStored(db, request)).records;
  const id = fold(text);
  const rank = (record: FullRecord): number => (fold(record.id) === id ? 0 : 1);
  const found = await rows<FullRecord>(db, anyOf.prepared, valuesOf(anyOf, values));
  return found.sort((a, b) => rank(a) - rank(b) || (titleKey(a.title) < titleKey(b.title) ? -1 : 1));
};

export const searchStored = async (db: Db, request: Omit<ListRequest, 'text'> & { readonly text: string }): Promise<FullRecord[]> => {
  const { env, resource, text, limit } = request;
  const key = titleKey(text);
  const best = await rows<FullRecord>(db, first, [env, resource, text, key, key + beyond, limit]);
  const found = new Map(best.map((record) => [record.id, record]));
  if (found.size < limit) for (const record of await others(db, { ...request, limit: limit + found.size })) if (!found.has(record.id)) found.set(record.id, record);
  return [...found.values()].slice(0, limit);
};
