/**
 * Finds by terms what a stream has too far apart. Which terms: the one that is rarest in rows read before, and those
 * whose look-up costs less than comparing on the rows themselves.
 */
import type { TextRow } from '../../platform/db/sql.ts';
import { nothing, termPieces, type TermFilter } from '../terms.ts';
import { lookedUp } from './filters.ts';
import { ask, at, type Edge, type Reading } from './reading.ts';
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
const wordCost = { perMatch: 0.3, perRow: 0.01 };
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

/** What to look up. */
export interface Chosen {
  /** Of a tsquery (items/terms.ts). */
  readonly pieces: readonly string[];
  /** null when all words are looked up: then they need no comparing. */
  readonly words?: null;
}

/** null: terms can't help. */
export const chooseTerms = (request: CountRequest, stream: Stream, edge: Edge): Chosen | null => {
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
  const pieces = termPieces(request.env, { ...nothing, ...Object.assign({}, ...chosen.map((part) => part.asks)), words });
  return words.length === request.words?.length ? { pieces, words: null } : { pieces };
};

export interface Wanted {
  readonly place: Keys;
  readonly limit: number;
}

/** null when more were found than `most`: then these rows are not the first. */
const unlessMore = (rows: readonly TextRow[], most: number): TextRow[] | null =>
  Number(rows[0]?.at(-2) ?? '0') > most ? null : rows.filter((row) => row[0] !== null);

/** The overdue from the index of deadlines, for when they are few; else null. */
export const overdueRows = async (reading: Reading, request: CountRequest, { place, limit }: Wanted): Promise<TextRow[] | null> => {
  const { stream, descending, pace } = reading;
  const values = { ...at(place), ...branchesOf(streams.due, request), most: pace.overdue, limit };
  return unlessMore(await ask(reading, gatherDue(stream, descending, streams.due), values), pace.overdue);
};

/** The first rows behind a place, in order of activity. */
export const walkRows = ({ db, values, stream, descending }: Reading, chosen: Chosen, { place, limit }: Wanted): Promise<TextRow[]> =>
  ask({ db, values: { ...values, ...chosen } }, walk(stream, descending), { ...at(place), limit });

/** The first rows behind a place in any order, if `most` match at most; else null. */
export const gatherRows = async (
  { db, values, stream, descending }: Reading, chosen: Chosen, { place, limit, most }: Wanted & { readonly most: number },
): Promise<TextRow[] | null> => unlessMore(await ask({ db, values: { ...values, ...chosen } }, gather(stream, descending), { ...at(place), limit, most }), most);
