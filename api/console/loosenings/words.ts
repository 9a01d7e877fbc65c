/** A loosening in words: which rule, what holds and what is declared. Used by the pages of loosenings. */
import { shown } from '../approvals/shown.ts';
import { toWords } from '../ui/words.ts';
import type { Loosening } from '../wire/types.ts';

const yesNo =
  (yes: string, no: string) =>
  (value: unknown): string =>
    value === true ? yes : no;

const members: Readonly<Record<string, (value: unknown) => string>> = {
  approval: yesNo('a person approves it', 'nobody approves it'),
  danger: (value) =>
    typeof value === 'string' ? `${value} danger, confirmed by whoever does it` : 'no danger, no confirmation',
  freshSignIn: yesNo('needs a fresh sign-in', 'needs no fresh sign-in'),
  reasonRequired: yesNo('needs a reason', 'needs no reason'),
  when: (value) => (value === null ? 'whatever the record is' : `only when ${JSON.stringify(value)}`),
  resource: (value) => (typeof value === 'string' ? `acts on a ${value}` : 'acts on no record'),
  repeatable: yesNo('may be done again when its answer was lost', 'is never done again by itself'),
};

const limits: Readonly<Record<string, (value: unknown) => string>> = {
  maximum: (value) => `at most ${shown(value)}`,
  exclusiveMaximum: (value) => `less than ${shown(value)}`,
  minimum: (value) => `at least ${shown(value)}`,
  exclusiveMinimum: (value) => `more than ${shown(value)}`,
  maxLength: (value) => `at most ${shown(value)} characters`,
  maxItems: (value) => `at most ${shown(value)} entries`,
  pattern: (value) => `of the form ${shown(value)}`,
  const: (value) => `only ${shown(value)}`,
  enum: (value) => `one of ${Array.isArray(value) ? value.map(shown).join(', ') : shown(value)}`,
};

/** Returns the path of an input's limit as people read it, such as `amount`. */
const pathWords = (path: readonly string[]): string =>
  path.filter((part) => !['input', 'properties', 'items'].includes(part)).join('.') || 'its input';

const valueWords = (member: string, value: unknown): string => {
  const known = members[member];
  if (known !== undefined) return known(value);
  const path = member.split('.');
  const limit = limits[path.at(-1) ?? ''];
  const where = pathWords(limit === undefined ? path : path.slice(0, -1));
  if (value === null || value === undefined) return `${where}: without a limit`;
  return `${where}: ${limit === undefined ? shown(value) : limit(value)}`;
};

interface LooseningWords {
  /** Such as "Action refund". */
  readonly what: string;
  readonly from: string;
  readonly to: string;
}

export const looseningWords = ({ on: { type, name, member }, from, to }: Loosening): LooseningWords => ({
  what: `${toWords(type)} ${name}`,
  from:
    member === 'new'
      ? typeof from === 'string'
        ? `resembles ${from}, which was removed`
        : 'unknown so far'
      : valueWords(member, from),
  to: member === 'new' ? 'declared for the first time' : valueWords(member, to),
});
