/**
 * Searches the records of a stored resource for a text, best match first: the id, the title, titles and ids that begin with
 * the text, others. Used by read.ts.
 */
import type { Db } from '../platform/db/knex.ts';
import { namedStatement, queryNamedRows } from '../platform/db/sql.ts';
import { foldCase } from '../platform/words/searchWords.ts';
import { sampleTermShares, selectRareTerms } from './list/gather.ts';
import { probeRecordsById } from './list/scan.ts';
import { anyMatchesStatement, rawRecordColumns } from './list/statements.ts';
import type { RawRecord } from './queries.ts';
import { termQueries, titleKey } from './terms.ts';

const bestMatchesSql = namedStatement(
  'records.bestMatches',
  () => `
  select ${rawRecordColumns} from (
    (select r.*, 0 as rank from records r where r.env = $env and r.resource = $resource and r.id = $text)
    union all
    (select r.*, case when r.title_key = $key then 1 else 2 end from records r
      where r.env = $env and r.resource = $resource and r.title_key >= $key and r.title_key < $beyond_key order by r.title_key, r.id limit $limit)
    union all
    (select r.*, 3 from records r where r.env = $env and r.resource = $resource and r.id > $text and r.id < $beyond_text order by r.id limit $limit)
  ) r order by rank, title_key, id`,
);

/** Sorts behind every text that begins with the text before it, in the order of code points. */
const beyond = '\u{10ffff}';

interface RecordSearchRequest {
  readonly env: number;
  readonly resource: string;
  readonly text: string;
  readonly limit: number;
}

/** Rows that are read before the index is used; with at least `matches` among them, `more` rows are read first. */
const nearScan = { rows: 512, more: 4_096, matches: 10 } as const;
const sampleRows = 512;
/** The index quickly finds so many records; words that more records have are only compared. */
const lookedUpMax = 20_000;

/** Returns further matches by title: of frequent words among the first records by id, of others by the index. */
const findOtherMatches = async (
  db: Db,
  { env, resource, text, limit }: RecordSearchRequest,
): Promise<readonly RawRecord[]> => {
  const queries = termQueries(env, resource);
  const parts = queries.matches(text);
  const all = parts.join(' & ');
  const values = { env, resource, query: all, path: null, limit };
  const anyMatches = (terms: string): Promise<RawRecord[]> =>
    queryNamedRows(db, anyMatchesStatement, { ...values, terms });
  let found = await probeRecordsById(db, values, nearScan.rows);
  if (found.length < limit && found.length >= nearScan.matches)
    found = await probeRecordsById(db, values, nearScan.more);
  if (found.length < limit && parts.length > 1) found = await anyMatches(queries.hasWords(text));
  if (found.length < limit) {
    const terms =
      parts.length === 1
        ? all
        : selectRareTerms(await sampleTermShares(db, values, parts, sampleRows), all, lookedUpMax);
    found = await anyMatches(terms ?? all);
  }
  const id = foldCase(text);
  const key = ({ id: own, title }: RawRecord): string =>
    `${foldCase(own) === id ? '0' : '1'}${titleKey(title)}\0${own}`;
  return [...found].sort((a, b) => (key(a) < key(b) ? -1 : 1));
};

/** Returns the `limit` best matches. */
export const searchStoredRecords = async (db: Db, request: RecordSearchRequest): Promise<RawRecord[]> => {
  const { env, resource, text, limit } = request;
  const key = titleKey(text);
  const ends = { beyond_key: key + beyond, beyond_text: text + beyond };
  const best = await queryNamedRows<RawRecord>(db, bestMatchesSql, { env, resource, text, key, ...ends, limit });
  const found = new Map(best.map((record) => [record.id, record]));
  if (found.size < limit)
    for (const record of await findOtherMatches(db, { ...request, limit: limit + found.size }))
      if (!found.has(record.id)) found.set(record.id, record);
  return [...found.values()].slice(0, limit);
};
