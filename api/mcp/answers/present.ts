/** The form in which a model gets an endpoint's body: compact unless it asks for more, and below a budget of bytes. Used by result.ts. */
import type { Definition } from '../../../shared/environments/definition.ts';
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';
import { withMergedChanges } from './changes.ts';
import { compactMembers, type Compactor } from './compact.ts';
import { withDeclaredTimes } from './declaredTimes.ts';
import type { Members } from './members.ts';
import { withPeopleNames, type PeopleNames } from './people.ts';
import { withoutRepeats } from './repeats.ts';
import { shorten, type Limits } from './shorten.ts';
import { withIsoTimes } from './times.ts';

/** How much of a body a call asks for: the compact form, only certain members of its elements, or all of it. */
export type Detail = 'compact' | 'fields' | 'full';

/** The form that a call asks for. */
export interface Form {
  readonly detail: Detail;
  /** The compact forms of members that the tool shows in a way of its own. */
  readonly kinds: Readonly<Record<string, Compactor>>;
  /** The member that `fields` chooses from, which then stays as it is. */
  readonly projected: string | null;
  /** Knows the fields of records that are times. */
  readonly definition: Pick<Definition, 'resources'>;
  readonly namesOfPeople: PeopleNames;
}

const errorForm: Form = {
  detail: 'compact',
  kinds: {},
  projected: null,
  definition: { resources: new Map() },
  namesOfPeople: () => new Map(),
};

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

const asItIs: Compactor = (value) => value;

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
  const last = kept.at(-1);
  const place = isObject(last) && typeof last['id'] === 'string' ? ` for those after ${last['id']},` : '';
  return cutLists({
    ...value,
    [name]: kept,
    [`${name}Cut`]: before + longest.length - kept.length,
    rest: `The answer is cut: ask again${place} with fields, or with detail: "full".`,
  });
};

/** Returns the body as a model gets it, and the bytes that it has before it is made to fit. */
export const presentBody = (
  given: Members,
  { detail, kinds, projected, definition, namesOfPeople }: Form = errorForm,
): { readonly value: Members; readonly bytes: number } => {
  const isFull = detail === 'full';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- objects stay objects
  const body = withDeclaredTimes(definition, given, isFull) as Members;
  const timed = (value: unknown, limits: Limits): Members =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- objects stay objects
    shorten(withIsoTimes(value, isFull), limits) as Members;
  if (isFull) return { value: timed(body, unlimited), bytes: 0 };
  const chosen = detail === 'fields' ? projected : null;
  const compact = withPeopleNames(
    withoutNull(
      compactMembers(withMergedChanges(withoutRepeats(body)), chosen === null ? kinds : { ...kinds, [chosen]: asItIs }),
    ),
    namesOfPeople,
  );
  const whole = {
    ...timed(compact, usual),
    // What was named is not shortened unless it has to be.
    ...(chosen === null ? {} : timed({ [chosen]: compact[chosen] }, unlimited)),
  };
  const bytes = bytesOf(whole);
  if (bytes <= answerBytesMax) return { value: whole, bytes };
  for (const limits of [usual, ...tighter]) {
    const value = timed(compact, limits);
    if (bytesOf(value) <= answerBytesMax) return { value, bytes };
  }
  return { value: cutLists(timed(compact, usual)), bytes };
};
