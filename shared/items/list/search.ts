/**
 * Finds matches by terms where they are too far apart in a stream. It looks up the term that is rarest in the rows read
 * before, and each further term whose look-up costs less than comparing the rows. Used by page.ts and count.ts.
 */
import type { NamedValues, TextRow } from '../../platform/db/sql.ts';
import { emptyTermFilter, termPieces, type TermFilter } from '../search/terms.ts';
import { lookupWords, requestedContents } from './filters.ts';
import type { CursorKeys, ItemCountRequest, ItemFilterName } from './request.ts';
import { cursorValues, gatherItems, queryItemScan, readPartShares, type ItemScan, type ItemScanEdge } from './scan.ts';
import { candidateCountStatement, candidateSources, type CandidateSource } from './sources.ts';
import {
  contentRowsStatement,
  itemGatherCandidatesStatement,
  itemGatherContentsStatement,
  itemGatherDueStatement,
  itemGatherStatement,
  itemWalkStatement,
} from './statements.ts';
import { branchesOf, itemStreams, type ItemStream } from './streams.ts';

/** A term, or several of one filter. */
interface TermCandidate {
  /** The share of rows with the term, measured on the rows just read; `unknownShare` where all of these have it. */
  readonly share: number;
  /** Whether the stream holds rows without the term. */
  readonly news: boolean;
  /** Microseconds that looking the term up costs: for each row with the term, and for each row at all. */
  readonly perMatch: number;
  readonly perRow: number;
  readonly asks: Partial<TermFilter>;
}

/** Microseconds for fetching and comparing a row. This and the two rates below were measured with 1 million items. */
const perCandidate = 1.2;
/** The matches of a word are those of every lexeme that begins with it, so they are merged first. */
const wordCost = { perMatch: 0.3, perRow: 0.01 };
const valueCost = { perMatch: 0.02, perRow: 0.01 };
const unknownShare = 0.05;

const termCandidates = (
  request: ItemCountRequest,
  { narrows }: ItemStream,
  { shares, hints }: ItemScanEdge,
): TermCandidate[] => {
  const part = (filter: ItemFilterName, asks: Partial<TermFilter>): TermCandidate => {
    const news = !narrows.includes(filter);
    // The terms only say whether an item has a deadline or a snooze, not when it ends.
    return {
      share: news && filter !== 'overdue' && filter !== 'snoozed' ? shares[filter] : unknownShare,
      news,
      ...valueCost,
      asks,
    };
  };
  const { states, tags, assignees } = request;
  const words = lookupWords(request).map(({ word, hint }, n) => ({
    share: hint === '' ? shares.words : (hints[n] ?? 0),
    news: true,
    ...wordCost,
    asks: { words: [word] },
  }));
  return [
    ...words,
    ...(tags === null ? [] : [part('tags', { tags })]),
    ...(assignees === null ? [] : [part('assignees', { assignees })]),
    ...(states === null ? [] : [part('states', { states })]),
    ...(request.overdue === true ? [part('overdue', { due: true })] : []),
    ...(request.snoozed === true ? [part('snoozed', { snoozed: true })] : []),
    ...(request.triaged === true ? [part('triaged', { triaged: true })] : []),
  ];
};

/** The terms that are looked up. */
interface ChosenTerms {
  /** Parameters: `pieces` of a tsquery (search/terms.ts); `words` is null when all words are looked up, so that rows need not be compared with them. */
  readonly values: { readonly pieces: readonly string[]; readonly words?: null };
  /** Of one, how many of the rows just read have them all. */
  readonly share: number;
}

/** Returns the terms to look up; null: every row of the stream has them all. */
export const chooseTerms = (request: ItemCountRequest, stream: ItemStream, edge: ItemScanEdge): ChosenTerms | null => {
  const chosen: TermCandidate[] = [];
  let joint = 1;
  for (const part of termCandidates(request, stream, edge).sort((a, b) => a.share - b.share)) {
    if (chosen.length > 0 && joint * (1 - part.share) * perCandidate < part.share * part.perMatch + part.perRow)
      continue;
    chosen.push(part);
    joint *= part.share;
  }
  // Terms that all rows of the stream have would only find the same rows.
  if (!chosen.some((part) => part.news)) return null;
  const words = chosen.flatMap((part) => part.asks.words ?? []);
  const wanted = chosen.reduce((all, part) => ({ ...all, ...part.asks }), emptyTermFilter);
  const pieces = termPieces(request.env, { ...wanted, words });
  return { values: words.length === request.words?.length ? { pieces, words: null } : { pieces }, share: joint };
};

/** Share of fitting rows from which on reading a stream to its end is quicker than looking terms up. */
const denseShare = 1 / 5;

/** Returns the terms to look up instead of reading the stream behind the edge; null where it ends there or is dense. */
export const chooseTermsWhenSparse = (
  request: ItemCountRequest,
  stream: ItemStream,
  edge: ItemScanEdge,
): ChosenTerms | null =>
  edge.place === null || edge.fitting >= edge.rows * denseShare ? null : chooseTerms(request, stream, edge);

/** Of one: with more rows that have the terms, finding these takes longer than a page may. */
const gatheredShare = 1 / 5;

/** Returns whether what the terms find may be few enough to be gathered. */
export const canBeGathered = ({ share }: ChosenTerms): boolean => share < gatheredShare;

export interface ItemScanWindow {
  readonly place: CursorKeys;
  readonly limit: number;
}

/** Returns the first overdue rows behind a place, from the index of deadlines; null: more are overdue than `scanLimits.overdue`. */
export const readOverdueRows = (
  scan: ItemScan,
  request: ItemCountRequest,
  { place, limit }: ItemScanWindow,
): Promise<TextRow[] | null> =>
  gatherItems(scan, itemGatherDueStatement(scan.stream, scan.descending, itemStreams.due), {
    ...cursorValues(place),
    ...branchesOf(itemStreams.due, request),
    most: scan.scanLimits.overdue,
    limit,
  });

/** Returns the source with the fewest candidates, where these are at most `most`; else null. */
export const chooseSource = async (
  scan: Pick<ItemScan, 'db' | 'values' | 'stream'>,
  request: ItemCountRequest,
  most: number,
): Promise<CandidateSource | null> => {
  let fewest = most + 1;
  let chosen: CandidateSource | null = null;
  for (const source of candidateSources(request)) {
    if (source.name === 'seen' && scan.stream.key === 'last_seen') continue;
    const [found] = await queryItemScan(scan, candidateCountStatement(source), { most: fewest - 1 });
    const count = Number(found?.[0]);
    if (count < fewest) [fewest, chosen] = [count, source];
  }
  return chosen;
};

/** Returns the first rows behind a place, from the source with the fewest candidates; null: there is none with few enough. */
export const readCandidateRows = async (
  scan: ItemScan,
  request: ItemCountRequest,
  { place, limit }: ItemScanWindow,
): Promise<TextRow[] | null> => {
  const most = scan.scanLimits.gatherMost;
  const source = await chooseSource(scan, request, most);
  if (source === null) return null;
  const statement = itemGatherCandidatesStatement(scan.stream, scan.descending, source);
  return gatherItems(scan, statement, { ...cursorValues(place), limit, most });
};

/** Returns how many rows of item_words `$looked` finds; `most` + 1 stands for any larger number. */
export const countContentRows = async (scan: Pick<ItemScan, 'db' | 'values'>, most: number): Promise<number> =>
  Number((await queryItemScan(scan, contentRowsStatement, { most }))[0]?.[0]);

/** Of one: above this share another filter is rarer, or reading on is quicker than looking contents up. */
const rareContentShare = 0.015;

/** Returns whether contents are worth looking up. */
export const isRareContent = ({ open }: ItemScan, { shares }: ItemScanEdge): boolean =>
  open.includes('contents') && shares.contents <= rareContentShare;

/** Of one: where more rows have all parts, a page is full before a look-up pays. */
const readOnShare = 0.006;
/** So many of the rarest parts at most are looked up together. */
const togetherMax = 3;

/** Returns which parts to look up together, and which to try when these find too many rows. `order`: all parts, the rarest first. */
const partSets = (order: readonly number[], each: readonly number[]): (readonly number[])[] => {
  const unseen = each.filter((share) => share === 0).length;
  const size = unseen === 0 ? 2 : Math.min(unseen, togetherMax);
  return [size, size + 1].filter((n) => n <= Math.min(togetherMax, order.length)).map((n) => order.slice(0, n));
};

/**
 * Returns the parameters of looking contents up behind a place, and those to try when too many rows of item_words are found by them; none
 * where so many rows have all parts that reading on is quicker, or where that takes more than `mostMs`. Of several parts the rarest are
 * looked up. What one part finds needs no comparing.
 */
export const contentLookups = async (
  scan: ItemScan,
  request: ItemCountRequest,
  place: CursorKeys,
  mostMs = scan.scanLimits.contentsMs,
): Promise<NamedValues[]> => {
  const contents = requestedContents(request);
  if (contents === null) return [];
  if (contents.partCount === 1) return [{ ...scan.values, same: null }];
  const { all, each, items } = await readPartShares(scan, place);
  if (all > readOnShare) return [];
  /** Every row that has one of the parts is found before it is known which have all. */
  const lookupMs = (parts: readonly number[]): number =>
    parts.reduce((sum, n) => sum + (each[n] ?? 0) * items * wordCost.perMatch, 0) / 1_000;
  const order = each.map((_, n) => n).sort((a, b) => (each[a] ?? 0) - (each[b] ?? 0) || a - b);
  const sets = partSets(order, each).filter((parts) => lookupMs(parts) <= mostMs);
  return sets.map((parts) => ({
    ...scan.values,
    ...contents.compared(order),
    looked: contents.lookup(parts),
  }));
};

/** Returns the first rows behind a place, found by their contents; null: more than `scanLimits.contents` rows of item_words match. */
export const readRowsByContents = async (
  scan: ItemScan,
  request: ItemCountRequest,
  { place, limit }: ItemScanWindow,
): Promise<TextRow[] | null> => {
  const most = scan.scanLimits.contents;
  const statement = itemGatherContentsStatement(scan.stream, scan.descending);
  for (const values of await contentLookups(scan, request, place)) {
    const rows = await gatherItems({ db: scan.db, values }, statement, { ...cursorValues(place), most, limit });
    if (rows !== null) return rows;
  }
  return null;
};

/** Returns the first rows behind a place, in order of activity. */
export const readRowsByWalking = (
  { db, values, stream, descending }: ItemScan,
  chosen: ChosenTerms,
  { place, limit }: ItemScanWindow,
): Promise<TextRow[]> =>
  queryItemScan({ db, values: { ...values, ...chosen.values } }, itemWalkStatement(stream, descending), {
    ...cursorValues(place),
    limit,
  });

/** Returns the first rows behind a place in any order; null: the terms find more than `most` rows. */
export const readRowsByGathering = (
  { db, values, stream, descending }: ItemScan,
  chosen: ChosenTerms,
  { place, limit, most }: ItemScanWindow & { readonly most: number },
): Promise<TextRow[] | null> =>
  gatherItems({ db, values: { ...values, ...chosen.values } }, itemGatherStatement(stream, descending), {
    ...cursorValues(place),
    limit,
    most,
  });
