/**
 * Finds by terms what a stream has too far apart. Which terms: the filter that is rarest in the rows read before, and
 * those whose look-up costs less than comparing on the rows themselves.
 */
import type { TextRow } from '../../db/sql.ts';
import { nothing, termPieces, type TermFilter } from '../terms.ts';
import { lookedUp } from './filters.ts';
import { ask, at, readEdge, readingOf, startOf, type Edge, type Reading } from './reading.ts';
import type { CountRequest, Filter, Keys } from './request.ts';
import { gather, gatherDue, walk } from './statements.ts';
import { branchesOf, streams, type Stream } from './streams.ts';

/** A term, or several of one filter. */
interface Part {
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
const wordCost = { perMatch: 0.15, perRow: 0.016 };
const valueCost = { perMatch: 0.02, perRow: 0.01 };
const unknownShare = 0.05;

const partsOf = (request: CountRequest, { narrows }: Stream, { shares, hints }: Edge): Part[] => {
  const part = (filter: Filter, asks: Partial<TermFilter>): Part => {
    const news = !narrows.includes(filter);
    // Of deadlines and snoozes the terms know only that there are some.
    return { share: news && filter !== 'overdue' && filter !== 'snoozed' ? shares[filter] : unknownShare, news, ...valueCost, asks };
  };
  const { states, tags, assignee } = request;
  const words = lookedUp(request).map(({ word, hint }, n) =>
    ({ share: hint === '' ? shares.words : (hints[n] ?? 0), news: true, ...wordCost, asks: { words: [word] } }));
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

/** The tsquery to look up, in pieces; null: terms can't help. */
export const chosenPieces = (request: CountRequest, stream: Stream, edge: Edge): string[] | null => {
  const chosen: Part[] = [];
  let joint = 1;
  for (const part of partsOf(request, stream, edge).sort((a, b) => a.share - b.share)) {
    if (chosen.length > 0 && joint * (1 - part.share) * perCandidate < part.share * part.perMatch + part.perRow) continue;
    chosen.push(part);
    joint *= part.share;
  }
  // What is true of all rows of the stream would only find them once more.
  if (!chosen.some((part) => part.news)) return null;
  const words = chosen.flatMap((part) => part.asks.words ?? []);
  return termPieces(request.env, { ...nothing, ...Object.assign({}, ...chosen.map((part) => part.asks)), words });
};

export interface Wanted {
  readonly place: Keys;
  readonly limit: number;
  /** Whether reading on did not help either: then any number of matches is put in order. */
  readonly again: boolean;
}

const anyNumber = 2_000_000_000;

/** null when there were more rows than `most`: then these are not the first. */
const unlessMore = (rows: readonly TextRow[], most: number): readonly TextRow[] | null => (Number(rows[0]?.at(-2) ?? '0') > most ? null : rows);

/** The overdue from the index of deadlines: for when they are few, or few of the newest are. */
const overdueRows = async (reading: Reading, request: CountRequest, { place, limit }: Wanted): Promise<readonly TextRow[] | null> => {
  const { stream, descending, pace } = reading;
  const values = { ...at(place), ...branchesOf(streams.due, request), most: pace.overdue, limit };
  return unlessMore(await ask(reading, gatherDue(stream, descending, streams.due), values), pace.overdue);
};

/** In another order than that of activity: the matches of all weeks, unless they are too many to be put in order. */
const sortedRows = async (reading: Reading, request: CountRequest, wanted: Wanted): Promise<readonly TextRow[] | null> => {
  const { db, stream, descending, pace } = reading;
  // What the stream's own order has brought together says little about the rest.
  const seen = readingOf(db, request, { stream: streams.seen, descending: true, pace });
  if (seen === null) return null;
  const edge = await readEdge(seen, startOf(seen.stream, true), pace.sample);
  const dense = edge.place !== null && (wanted.limit * pace.sample) / edge.fitting <= pace.nearby[1] * 4;
  const pieces = dense && !wanted.again ? null : chosenPieces(request, seen.stream, edge);
  if (pieces === null) return null;
  const most = wanted.again ? anyNumber : pace.sortable;
  const values = { ...at(wanted.place), pieces, most, limit: wanted.limit };
  return unlessMore(await ask(reading, gather(stream, descending), values), most);
};

/** The first rows behind a place that fit, found by what `edge` shows to be rare. null: they are found by reading on. */
export const lookUp = async (reading: Reading, request: CountRequest, edge: Edge, wanted: Wanted): Promise<readonly TextRow[] | null> => {
  const { stream, descending, open } = reading;
  if (open.includes('overdue') && request.overdue === true && !wanted.again && open.every((filter) => edge.shares.overdue <= edge.shares[filter])) {
    const found = await overdueRows(reading, request, wanted);
    if (found !== null) return found;
  }
  if (stream.key !== 'last_seen') return sortedRows(reading, request, wanted);
  const pieces = chosenPieces(request, stream, edge);
  return pieces === null ? null : ask(reading, walk(stream, descending), { ...at(wanted.place), pieces, limit: wanted.limit });
};
