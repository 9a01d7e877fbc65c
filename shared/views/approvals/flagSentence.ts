/** What the sentence of an approval says of a change of a flag, its rules and its ramp. Used by sentence.ts. */
import type { Access } from '../../accounts/access/access.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { listed, quote, quoteDuration, quoteId, quoteName, quoteTime, sortedEntries, valuesMax } from './quote.ts';

/** Stands for everything that the reader doesn't see. */
export const unseen = "a record you can't see";

type Json = Readonly<Record<string, unknown>>;

const comparisons: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  nin: 'is none of',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is more than',
  gte: 'is at least',
  contains: 'contains',
  startsWith: 'begins with',
  endsWith: 'ends with',
  matchesSemver: 'is a version of',
};

const comparison = ({ field, op, value, path }: Json): string => {
  const name = quoteName(String(field));
  if (op === 'exists') return `${name} is ${value === false ? 'missing' : 'there'}`;
  const other = typeof path === 'string' ? `the value of ${quoteName(path)}` : quote(value);
  return `${name} ${comparisons[String(op)] ?? quote(op)} ${other}`;
};

/** Returns what rules do, in their order; of more than `valuesMax` comparisons in all the rest are `…`. */
const rulesText = (rules: readonly unknown[]): string => {
  let left = valuesMax;
  const condition = (when: unknown, isInner = false): string => {
    if (left === 0) return '…';
    const { all, any, not, ...own } = isObject(when) ? when : {};
    if (not !== undefined) return `not (${condition(not)})`;
    const inner = all ?? any;
    if (!Array.isArray(inner)) {
      left -= 1;
      return comparison(own);
    }
    if (inner.length === 0) return any === undefined ? 'always' : 'never';
    const parts: string[] = [];
    for (const one of inner) {
      parts.push(condition(one, true));
      if (left === 0) break;
    }
    if (parts.length < inner.length) parts.push('…');
    const text = parts.join(any === undefined ? ' and ' : ' or ');
    return isInner && inner.length > 1 ? `(${text})` : text;
  };
  const texts = rules.filter(isObject).map((rule) => {
    const effect = 'value' in rule ? quote(rule['value']) : `${quote(rule['rollout'])} percent`;
    return `${effect} if ${condition(rule['when'])}`;
  });
  return texts.length === 0 ? 'no rules' : `first its rules: ${listed(texts)}`;
};

interface ChangeOfFlag {
  readonly change: Json;
  /** The flag at the request. */
  readonly before: Json;
  /** Whether the guard counted nothing at the request. */
  readonly warned: boolean;
}

const guardText = (access: Access, value: unknown, warned: boolean): string => {
  const { inbox, tag, above, within, then: end } = isObject(value) ? value : {};
  if (typeof inbox !== 'string') return '';
  if (!access.sees('inbox', inbox)) return `, guarded by ${unseen}`;
  const tagged = typeof tag === 'string' ? ` of items with the tag ${quote(tag)}` : '';
  const nothing = warned ? ', which no item had at the request' : '';
  return `, ${end === 'rollback' ? 'rolled back' : 'stopped'} by more than ${quote(above)} occurrences${tagged} in ${quoteName(inbox)} within ${quoteDuration(within)}${nothing}`;
};

const rampText = (access: Access, value: unknown, warned: boolean): string => {
  if (!isObject(value)) return 'stop its ramp';
  const { to, over, every, at, guard } = value;
  const start = at === undefined || at === null ? '' : ` from ${quoteTime(at)}`;
  return `a ramp${start} to ${quote(to)} percent over ${quoteDuration(over)} in steps of ${quoteDuration(every)}${guardText(access, guard, warned)}`;
};

const targetsText = (access: Access, targets: unknown, resource: unknown): string => {
  if (typeof resource === 'string' && !access.sees('resource', resource)) return `the value for ${unseen}`;
  return listed(
    sortedEntries(isObject(targets) ? targets : {}).map(([id, value]) =>
      value === null ? `no own value for ${quoteId(id)}` : `the value ${quote(value)} for ${quoteId(id)}`,
    ),
  );
};

/** Returns what changes; rules that stay come before a new value, and are said with it. */
export const flagChanges = (access: Access, { change, before, warned }: ChangeOfFlag): string => {
  const { value, rollout, targets, rules, ramp } = change;
  const sets = ['value', 'rollout', 'ramp'].some((member) => member in change);
  const kept = Array.isArray(before['rules']) && before['rules'].length > 0 && sets ? before['rules'] : undefined;
  const given = Array.isArray(rules) ? rules : kept;
  return [
    ...('value' in change ? [`value ${quote(value)}`] : []),
    ...('rollout' in change ? [rollout === null ? 'no rollout' : `rollout ${quote(rollout)} percent`] : []),
    ...('targets' in change ? [targetsText(access, targets, before['resource'])] : []),
    ...(given === undefined ? [] : [rulesText(given)]),
    ...('ramp' in change ? [rampText(access, ramp, warned)] : []),
  ]
    .filter((part) => part !== '')
    .join(', ');
};
