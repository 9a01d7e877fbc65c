/** A loosening in words: which rule, what holds and what is declared. Used by the pages of loosenings. */
import { shown } from '../content/values.ts';
import { inRow } from '../ui/plural.ts';
import type { Loosening } from '../wire/types.ts';
import { looseningTexts } from './texts.tsx';

const either =
  (yes: string, no: string) =>
  (value: unknown): string =>
    value === true ? yes : no;

const members: Readonly<Record<string, (value: unknown) => string>> = {
  approval: either(looseningTexts.rules.approval, looseningTexts.rules.noApproval),
  danger: (value) => (typeof value === 'string' ? looseningTexts.rules.danger(value) : looseningTexts.rules.noDanger),
  freshSignIn: either(looseningTexts.rules.freshSignIn, looseningTexts.rules.noFreshSignIn),
  reasonRequired: either(looseningTexts.rules.reason, looseningTexts.rules.noReason),
  when: (value) => (value === null ? looseningTexts.rules.always : looseningTexts.rules.when(JSON.stringify(value))),
  stale: (value) =>
    Array.isArray(value) && value.length > 0
      ? looseningTexts.rules.stale(inRow(value.map(shown)))
      : looseningTexts.rules.neverStale,
  resource: (value) =>
    typeof value === 'string' ? looseningTexts.rules.resource(value) : looseningTexts.rules.noResource,
  repeatable: either(looseningTexts.rules.repeatable, looseningTexts.rules.notRepeatable),
};

const limits: Readonly<Record<string, (value: string) => string>> = looseningTexts.rules.limits;

/** Returns the path of an input's limit as people read it, such as `amount`. */
const pathWords = (path: readonly string[]): string =>
  path.filter((part) => !['input', 'properties', 'items'].includes(part)).join('.') || looseningTexts.rules.input;

/** Returns the value of a limit: of an enumeration the values that it allows. */
const limitValue = (limit: string, value: unknown): string =>
  limit === 'enum' && Array.isArray(value) ? inRow(value.map(shown)) : shown(value);

const valueWords = (member: string, value: unknown): string => {
  const known = members[member];
  if (known !== undefined) return known(value);
  const path = member.split('.');
  const last = path.at(-1) ?? '';
  const limit = limits[last];
  const where = pathWords(limit === undefined ? path : path.slice(0, -1));
  if (value === null || value === undefined) return looseningTexts.rules.unlimited(where);
  return looseningTexts.rules.limit(where, limit === undefined ? shown(value) : limit(limitValue(last, value)));
};

interface LooseningWords {
  /** Such as "Action refund". */
  readonly what: string;
  readonly from: string;
  readonly to: string;
}

export const looseningWords = ({ on: { type, name, member }, from, to }: Loosening): LooseningWords => ({
  what: looseningTexts.rules.of[type](name),
  from:
    member === 'new'
      ? typeof from === 'string'
        ? looseningTexts.rules.resembles(from)
        : looseningTexts.rules.unknown
      : valueWords(member, from),
  to: member === 'new' ? looseningTexts.rules.declaredFirst : valueWords(member, to),
});
