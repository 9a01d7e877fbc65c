/**
 * Finds by terms what a stream has too far apart. Which terms: the filter that is rarest in the rows read before, and
 * those whose look-up costs less than comparing on the rows themselves.
 */
import type { TextRow } from '../../db/sql.ts';
import { nothing, termPieces, type TermFilter } from '../terms.ts';
import { lookedUp } from './filters.ts';
import { ask, at, type Edge, type Reading } from './reading.ts';
import type { CountRequest, Filter, Keys } from './request.ts';
import { gather, gatherDue, walk } from './statements.ts';
import { branchesOf, streams } from './streams.ts';

/** A term, or several of one filter. */
interface Part {
  /** The part of the rows that has it: measured on those just read, or unknown where the stream holds no others. */
  readonly share: number;
  readonly measured: boolean;
  /** Microseconds that looking it up costs for each row in the list, for rows with it and for all. */
  readonly perMatch: number;
  readonly perRow: number;
  readonly asks: Partial<TermFilter>;
}

/** Fetching a row and comparing, in microseconds; with the two rates below measured at 1M items. */
const perCandidate = 1.2;
/** Of all that a word begins, a list is put together first; the other lists are skipped through. */
const wordCost = { perMatch: 0.15, perRow: 0.003 };
const valueCost = { perMatch: 0.02, perRow: 0.006 };
const unknownShare = 0.05;

const partsOf = (request: CountRequest, open: readonly Filter[], { shares, hints }: Edge): Part[] => {
  const part = (filter: Filter, asks: Partial<TermFilter>): Part => {
    // Of deadlines and snoozes the terms know only that there are some.
    const measured = open.includes(filter) && filter !== 'overdue' && filter !== 'snoozed';
    return { share: measured ? shares[filter] : unknownShare, measured, ...valueCost, asks };
  };
  const { states, tags, assignee } = request;
  const words = lookedUp(request).map(({ word, hint }, n) =>
    ({ share: hint === '' ? shares.words : (hints[n] ?? 0), measured: true, ...wordCost, asks: { words: [word] } }));
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
export const chosenPieces = (request: CountRequest, open: readonly Filter[], edge: Edge): string[] | null => {
  const chosen: Part[] = [];
  let joint = 1;
  for (const part of partsOf(request, open, edge).sort((a, b) => a.share - b.share)) {
    if (chosen.length > 0 && joint * (1 - part.share) * perCandidate < part.share * part.perMatch + part.perRow) continue;
    chosen.push(part);
    joint *= part.share;
  }
  // What is only true of all rows of the stream finds them once more.
  if (!chosen.some((part) => part.measured)) return null;
  const words = chosen.flatMap((part) => part.asks.words ?? []);
  return termPieces(request.env, { ...nothing, ...Object.assign({}, ...chosen.map((part) => part.asks)), words });
};

/** Rows and last how many there were; null when these were more than `most`. */
const unlessMore = (rows: readonly TextRow[], most: number): TextRow[] | null =>
  Number(rows[0]?.at(-1) ?? '0') > most ? null : rows.map((row) => row.slice(0, -1));

export interface Wanted {
  readonly place: Keys;
  readonly limit: number;
  /** So many matches are put in order; more are not. */
  readonly most: number;
}

const overdueRows = async (reading: Reading, request: CountRequest, { place, limit, most }: Wanted): Promise<TextRow[] | null> => {
  const statement = gatherDue(reading.stream, reading.descending, streams.due);
  return unlessMore(await ask(reading, statement, { ...at(place), ...branchesOf(streams.due, request), most, limit }), most);
};

/** The first rows behind a place that fit. null: they can't be had so, or there are too many to be put in order. */
export const search = async (reading: Reading, request: CountRequest, edge: Edge, wanted: Wanted): Promise<TextRow[] | null> => {
  const { stream, descending, open, pace } = reading;
  const { shares } = edge;
  if (request.overdue === true && open.includes('overdue') && open.every((filter) => shares.overdue <= shares[filter])) {
    const found = await overdueRows(reading, request, { ...wanted, most: Math.min(wanted.most, pace.sortable) });
    if (found !== null) return found;
  }
  const pieces = chosenPieces(request, open, edge);
  if (pieces === null) return null;
  const values = { ...at(wanted.place), pieces, limit: wanted.limit };
  if (stream.key === 'last_seen') return ask(reading, walk(stream, descending), values);
  return unlessMore(await ask(reading, gather(stream, descending), { ...values, most: wanted.most }), wanted.most);
};
