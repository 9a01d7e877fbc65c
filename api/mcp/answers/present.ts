/** The form in which a model gets an endpoint's body: compact unless it asks for more, and below a budget of bytes. Used by result.ts. */
import { withMergedChanges } from './changes.ts';
import { compactMembers, type Compactor } from './compact.ts';
import type { Members } from './members.ts';
import { withoutRepeats } from './repeats.ts';
import { shorten, type Limits } from './shorten.ts';
import { withIsoTimes } from './times.ts';

/** How much of a body a call asks for: the compact form, only certain members of its elements, or all of it. */
export type Detail = 'compact' | 'fields' | 'full';

/** Bytes of an answer that is not asked for in full: what a model reads at a glance. */
export const answerBytesMax = 20_000;

const unlimited: Limits = { text: Infinity, list: Infinity, members: Infinity };
const usual: Limits = { text: 300, list: 20, members: 50 };
/** Tried in this order until the answer fits. */
const tighter: readonly Limits[] = [
  { text: 120, list: 10, members: 30 },
  { text: 60, list: 5, members: 15 },
  { text: 30, list: 2, members: 5 },
];

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Returns the body without members that are null: a cursor that there is not, an entry that was not written. */
const withoutNull = (body: Members): Members =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));

/** Cuts lists of the first level until the value fits; the last resort for what has no pages. */
const cutLists = (value: Members): Members => {
  const lists = Object.entries(value).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const [name, longest] = lists.sort(([, a], [, b]) => bytesOf(b) - bytesOf(a))[0] ?? [];
  if (name === undefined || longest === undefined || longest.length < 2 || bytesOf(value) <= answerBytesMax)
    return value;
  const kept = longest.slice(0, Math.floor(longest.length / 2));
  const before = Number(value[`${name}Cut`] ?? 0);
  return cutLists({ ...value, [name]: kept, [`${name}Cut`]: before + longest.length - kept.length });
};

/** Returns the body as a model gets it, and the bytes that it has before it is made to fit. */
export const presentBody = (
  body: Members,
  detail: Detail,
  kinds: Readonly<Record<string, Compactor>> = {},
): { readonly value: Members; readonly bytes: number } => {
  const timed = (value: unknown, limits: Limits): Members =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- objects stay objects
    shorten(withIsoTimes(value, detail === 'full'), limits) as Members;
  if (detail === 'full') return { value: timed(body, unlimited), bytes: 0 };
  const compact =
    detail === 'fields' ? body : withoutNull(compactMembers(withMergedChanges(withoutRepeats(body)), kinds));
  const whole = timed(compact, detail === 'fields' ? unlimited : usual);
  const bytes = bytesOf(whole);
  if (bytes <= answerBytesMax) return { value: whole, bytes };
  for (const limits of [usual, ...tighter]) {
    const value = timed(compact, limits);
    if (bytesOf(value) <= answerBytesMax) return { value, bytes };
  }
  return { value: cutLists(timed(compact, usual)), bytes };
};
