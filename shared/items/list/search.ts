/**
 * Finds by terms what a stream has too far apart. Which terms: the one that is rarest in rows read before, and those
 * whose look-up costs less than comparing on the rows themselves.
 */
import type { TextRow } from '../../platform/db/sql.ts';
import { emptyTermFilter, termPieces, type TermFilter } from '../terms.ts';
import { lookupWords } from './filters.ts';
import { cursorValues, gatherItems, queryItemScan, type ItemScan, type ItemScanEdge } from './scan.ts';
import type { ItemCountRequest, ItemFilterName, CursorKeys } from './request.ts';
import { itemGatherStatement, itemGatherDueStatement, itemWalkStatement } from './statements.ts';
import { branchesOf, itemStreams, type ItemStream } from './streams.ts';

/** A term, or several of one filter. */
interface TermCandidate {
  /** The part of the rows that has it, as measured on those just read, or unknown where these hold no others. */
  readonly share: number;
  /** Whether the stream was not narrowed by it already. */
  readonly news: boolean;
  /** Microseconds that looking it up costs for each row in the list, for rows with it and for all. */
  readonly perMatch: number;
  readonly perRow: number;
  readonly asks: Partial<TermFilter>;
}

/** Fetching a row and comparing, in microseconds; with the two rates below measured at 1M items. */
const perCandidate = 1.2;
/** Of all that a word begins, a list is put together first; the other lists are skipped through. */
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
    // Of deadlines and snoozes the terms know only that there are some.
    return {
      share: news && filter !== 'overdue' && filter !== 'snoozed' ? shares[filter] : unknownShare,
      news,
      ...valueCost,
      asks,
    };
  };
  const { states, tags, assignee } = request;
  const words = lookupWords(request).map(({ word, hint }, n) => ({
    share: hint === '' ? shares.words : (hints[n] ?? 0),
    news: true,
    ...wordCost,
    asks: { words: [word] },
  }));
  return [
    ...words,
    ...(tags === null ? [] : [part('tags', { tags })]),
    ...(assignee === null ? [] : [part('assignee', { assignee })]),
    ...(states === null ? [] : [part('states', { states })]),
    ...(request.overdue === true ? [part('overdue', { due: true })] : []),
    ...(request.snoozed === true ? [part('snoozed', { snoozed: true })] : []),
    ...(request.triaged === true ? [part('triaged', { triaged: true })] : []),
  ];
};

/** What to look up. */
interface ChosenTerms {
  /** Of a tsquery (items/terms.ts). */
  readonly pieces: readonly string[];
  /** null when all words are looked up: then they need no comparing. */
  readonly words?: null;
}

/** null: terms can't help. */
export const chooseTerms = (request: ItemCountRequest, stream: ItemStream, edge: ItemScanEdge): ChosenTerms | null => {
  const chosen: TermCandidate[] = [];
  let joint = 1;
  for (const part of termCandidates(request, stream, edge).sort((a, b) => a.share - b.share)) {
    if (chosen.length > 0 && joint * (1 - part.share) * perCandidate < part.share * part.perMatch + part.perRow)
      continue;
    chosen.push(part);
    joint *= part.share;
  }
  // What is true of all rows of the stream would only find them once more.
  if (!chosen.some((part) => part.news)) return null;
  const words = chosen.flatMap((part) => part.asks.words ?? []);
  const wanted = chosen.reduce((all, part) => ({ ...all, ...part.asks }), emptyTermFilter);
  const pieces = termPieces(request.env, { ...wanted, words });
  return words.length === request.words?.length ? { pieces, words: null } : { pieces };
};

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

/** Returns the first rows behind a place, in order of activity. */
export const readRowsByWalking = (
  { db, values, stream, descending }: ItemScan,
  chosen: ChosenTerms,
  { place, limit }: ItemScanWindow,
): Promise<TextRow[]> =>
  queryItemScan({ db, values: { ...values, ...chosen } }, itemWalkStatement(stream, descending), {
    ...cursorValues(place),
    limit,
  });

/** Returns the first rows behind a place in any order; null: more than `most` match. */
export const readRowsByGathering = (
  { db, values, stream, descending }: ItemScan,
  chosen: ChosenTerms,
  { place, limit, most }: ItemScanWindow & { readonly most: number },
): Promise<TextRow[] | null> =>
  gatherItems({ db, values: { ...values, ...chosen } }, itemGatherStatement(stream, descending), {
    ...cursorValues(place),
    limit,
    most,
  });
