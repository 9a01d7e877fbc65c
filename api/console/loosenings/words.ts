/** A loosening in words: which rule, what holds and what is declared. Used by the pages of loosenings. */
import { shown } from '../content/values.ts';
import { inRow } from '../ui/plural.ts';
import type { Loosening } from '../wire/types.ts';
import { ruleTexts } from './ruleTexts.ts';

const either =
  (yes: string, no: string) =>
  (value: unknown): string =>
    value === true ? yes : no;

const members: Readonly<Record<string, (value: unknown) => string>> = {
  approval: either(ruleTexts.approval, ruleTexts.noApproval),
  danger: (value) => (typeof value === 'string' ? ruleTexts.danger(value) : ruleTexts.noDanger),
  freshSignIn: either(ruleTexts.freshSignIn, ruleTexts.noFreshSignIn),
  reasonRequired: either(ruleTexts.reason, ruleTexts.noReason),
  when: (value) => (value === null ? ruleTexts.always : ruleTexts.when(JSON.stringify(value))),
  stale: (value) =>
    Array.isArray(value) && value.length > 0 ? ruleTexts.stale(inRow(value.map(shown))) : ruleTexts.neverStale,
  resource: (value) => (typeof value === 'string' ? ruleTexts.resource(value) : ruleTexts.noResource),
  repeatable: either(ruleTexts.repeatable, ruleTexts.notRepeatable),
};

const limits: Readonly<Record<string, (value: string) => string>> = ruleTexts.limits;

/** Returns the path of an input's limit as people read it, such as `amount`. */
const pathWords = (path: readonly string[]): string =>
  path.filter((part) => !['input', 'properties', 'items'].includes(part)).join('.') || ruleTexts.input;

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
  if (value === null || value === undefined) return ruleTexts.unlimited(where);
  return ruleTexts.limit(where, limit === undefined ? shown(value) : limit(limitValue(last, value)));
};

interface LooseningWords {
  /** Such as "Action refund". */
  readonly what: string;
  readonly from: string;
  readonly to: string;
}

export const looseningWords = ({ on: { type, name, member }, from, to }: Loosening): LooseningWords => ({
  what: ruleTexts.of[type](name),
  from:
    member === 'new'
      ? typeof from === 'string'
        ? ruleTexts.resembles(from)
        : ruleTexts.unknown
      : valueWords(member, from),
  to: member === 'new' ? ruleTexts.declaredFirst : valueWords(member, to),
});
