/**
 * Finds by terms what a stream has too far apart. Which terms: the filter that is rarest in the rows read before, and
 * those that are worth their own look-up; all else is compared on the rows themselves.
 */
import type { TextRow } from '../../db/sql.ts';
import { isTerm, piecesOf } from './filters.ts';
import { ask, at, type Edge, type Reading } from './reading.ts';
import type { CountRequest, Keys } from './request.ts';
import { gather, gatherDue, walk } from './statements.ts';
import { branchesOf, streams, type Group } from './streams.ts';

/** So rare that its rows are few enough to look at each. */
const rare = 0.002;
/** So frequent that comparing is cheaper than reading its list; a word's list is put together from all that it begins. */
const frequent = (group: Group): number => (group === 'words' ? 0.1 : 0.3);
/** What a stream decides is as frequent as this, for all that is known. */
const unknown = 0.05;

/** The filters to look up; none: terms can't help. */
export const chosenGroups = (request: CountRequest, open: readonly Group[], { shares }: Edge): Group[] => {
  const known = (group: Group): boolean => open.includes(group) && group !== 'overdue' && group !== 'snoozed';
  const share = (group: Group): number => (known(group) ? shares[group] : unknown);
  const usable = (Object.keys(shares) as Group[]).filter((group) => isTerm(request, group)).sort((a, b) => share(a) - share(b));
  const [rarest] = usable;
  if (rarest === undefined) return [];
  if (known(rarest) && share(rarest) < rare) return [rarest];
  return usable.filter((group) => group === rarest || share(group) <= frequent(group));
};

/** Rows and last how many there were; null when these were more than `most`. */
const unlessMore = (rows: readonly TextRow[], most: number): TextRow[] | null =>
  Number(rows[0]?.at(-1) ?? '0') > most ? null : rows.map((row) => row.slice(0, -1));

const overdueRows = async (reading: Reading, request: CountRequest, place: Keys, limit: number): Promise<TextRow[] | null> => {
  const statement = gatherDue(reading.stream, reading.descending, streams.due);
  return unlessMore(await ask(reading, statement, { ...at(place), ...branchesOf(streams.due, request), most: reading.pace.sortable, limit }), reading.pace.sortable);
};

/**
 * The first `limit` rows behind `place` that fit. null: there are more than `most` in all, and they can't be had in
 * order; or terms can't help.
 */
export const search = async (
  reading: Reading, request: CountRequest, edge: Edge, { place, limit, most }: { place: Keys; limit: number; most: number },
): Promise<TextRow[] | null> => {
  const { stream, descending, open } = reading;
  const chosen = chosenGroups(request, open, edge);
  if (request.overdue === true && open.includes('overdue') && chosen.every((group) => edge.shares.overdue <= edge.shares[group] || group === 'overdue')) {
    const found = await overdueRows(reading, request, place, limit);
    if (found !== null) return found;
  }
  if (chosen.length === 0) return null;
  const values = { ...at(place), pieces: piecesOf(request, chosen), limit };
  if (stream.key === 'last_seen') return ask(reading, walk(stream, descending), values);
  return unlessMore(await ask(reading, gather(stream, descending), { ...values, most }), most);
};
