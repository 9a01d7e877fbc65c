/** Reads the ids of all items that fit a request, in no order. Used by bulks by query. */
import type { Db } from '../../platform/db/knex.ts';
import { type NamedStatement, namedStatement } from '../../platform/db/sql.ts';
import { hiddenFromPlanner } from '../../platform/listing/scanSql.ts';
import { scannedColumns } from '../model.ts';
import { allConditions } from './filters.ts';
import { normalizeRequest, type CursorKeys, type ItemCountRequest } from './request.ts';
import {
  createItemScan,
  cursorValues,
  defaultItemScanLimits,
  queryItemScan,
  readScanEdge,
  streamStart,
  type ItemScan,
} from './scan.ts';
import { chooseSource, chooseTermsWhenSparse } from './search.ts';
import type { CandidateSource } from './sources.ts';
import { itemIdsWalkStatement } from './statements.ts';
import { activityStream } from './streams.ts';
import { itemShapeName, itemStreamSql, sortKeySql, type ItemStreamShape } from './streamSql.ts';

/** Rows of one statement: with more, the array of a statement's ids would be long without saving time. */
const stepRows = 32_000;

/** Selects the ids of those of the next rows of a stream that fit, and the place of the last row, null when the stream ends before. */
const idsStatement = (shape: ItemStreamShape): NamedStatement =>
  namedStatement(
    `items.ids.${itemShapeName(shape)}`,
    () => `
    with s as (select i.id, ${sortKeySql(shape.stream)} as key, ${allConditions} as fits from (${itemStreamSql(shape)}) i)
    select string_agg(id, ',') filter (where fits), (array_agg(key))[${String(shape.rows)}], (array_agg(id))[${String(shape.rows)}] from s`,
  );

const candidateIdsStatement = ({ name, rows }: CandidateSource): NamedStatement =>
  namedStatement(
    `items.candidateIds.${name}`,
    () => `
    select i.id from (${rows(scannedColumns)} offset 0) i where ${hiddenFromPlanner('i.inbox = any ($inboxes::text[])')} and ${allConditions} limit $limit`,
  );

const firstColumn = (rows: readonly (readonly (string | null)[])[]): string[] => rows.flatMap(([id]) => id ?? []);

interface FoundIds {
  readonly ids: readonly string[];
  /** Whether these are all. */
  readonly complete: boolean;
}

const readByStream = async (scan: ItemScan, request: ItemCountRequest, most: number): Promise<FoundIds> => {
  const ids: string[] = [];
  for (let place: CursorKeys | null = streamStart(scan.stream, request, true); place !== null;) {
    const statement = idsStatement({ ...scan, rows: stepRows });
    const [row]: readonly (readonly (string | null)[])[] = await queryItemScan(scan, statement, cursorValues(place));
    const [text = null, key = null, last = null] = row ?? [];
    if (text !== null) ids.push(...text.split(','));
    place = last === null ? null : [key === null ? key : Number(key), last];
    if (ids.length > most) return { ids: ids.slice(0, most), complete: false };
  }
  return { ids, complete: true };
};

const cut = (ids: readonly string[], most: number): FoundIds => ({
  ids: ids.slice(0, most),
  complete: ids.length <= most,
});

/** Returns the ids by looking terms up, where so few rows of the stream fit that reading it takes longer; else null. */
const readByTerms = async (scan: ItemScan, request: ItemCountRequest, most: number): Promise<string[] | null> => {
  const start = streamStart(scan.stream, request, true);
  const edge = await readScanEdge(scan, start, scan.scanLimits.sampleRows);
  const chosen = chooseTermsWhenSparse(request, scan.stream, edge);
  if (chosen === null) return null;
  const { db, values } = scan;
  const found = queryItemScan({ db, values: { ...values, ...chosen.values } }, itemIdsWalkStatement(scan.stream), {
    ...cursorValues(start),
    limit: most + 1,
  });
  return firstColumn(await found);
};

/** Returns the ids of the items that fit, at most so many; those with the newest activity where it is not all. */
export const readItemIds = async (db: Db, given: ItemCountRequest, most: number): Promise<FoundIds> => {
  const request = normalizeRequest(given);
  const scan = createItemScan(db, request, {
    stream: activityStream(request),
    descending: true,
    scanLimits: defaultItemScanLimits,
  });
  if (scan === null) return cut([], most);
  if (scan.open.length === 0) return readByStream(scan, request, most);
  const source = await chooseSource(scan, request, scan.scanLimits.gatherMost);
  if (source !== null)
    return cut(firstColumn(await queryItemScan(scan, candidateIdsStatement(source), { limit: most + 1 })), most);
  const found = await readByTerms(scan, request, most);
  return found === null ? readByStream(scan, request, most) : cut(found, most);
};
