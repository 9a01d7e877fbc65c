/** Flags in words: what a flag is for everybody, its ramp, its rules and its changes. Used by the pages of flags. */
import { count, whenTime } from '../ui/time.ts';
import type { Flag, Ramp } from '../wire/types.ts';

export const valueText = (value: unknown): string =>
  value === true ? 'on' : value === false ? 'off' : typeof value === 'string' ? value : JSON.stringify(value);

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Returns a span in its largest whole unit. */
export const spanText = (ms: number): string => {
  const [size, unit] = units.find(([each]) => ms % each === 0 && ms >= each) ?? [1, 'ms'];
  return `${count(ms / size)} ${unit}`;
};

export const percent = (value: number): string => `${count(value)} %`;

const isGoing = (ramp: Ramp | null): ramp is Ramp => ramp?.status === 'running' || ramp?.status === 'scheduled';

/** Returns the ramp that goes on; null: none does. */
export const goingRamp = ({ ramp }: Flag): Ramp | null => (isGoing(ramp) ? ramp : null);

export const rampText = ({ to, from, status, startedAt, over }: Ramp): string => {
  const way = to >= from ? 'rising' : 'falling';
  if (status === 'scheduled') return `${way} to ${percent(to)} from ${whenTime(startedAt)} on`;
  if (status === 'running') return `${way} to ${percent(to)} by ${whenTime(startedAt + over)}`;
  if (status === 'done') return `arrived at ${percent(to)}`;
  return status === 'stopped' ? `stopped on its way to ${percent(to)}` : `rolled back to ${percent(from)} by its guard`;
};

/** Returns what a guard watches, and what it does then. */
export const guardText = ({ inbox, tag, above, within, then: end }: NonNullable<Ramp['guard']>): string =>
  `more than ${count(above)} in ${inbox}${tag === null ? '' : ` tagged ${tag}`} within ${spanText(within)}, and it ${end === 'rollback' ? 'is rolled back' : 'stops'}`;

/** Returns what a ramp will do, with its times. */
export const planText = ({ to, startedAt, over, every, guard }: Ramp): string =>
  `to ${percent(to)} from ${whenTime(startedAt)} to ${whenTime(startedAt + over)}, a step every ${spanText(every)}${guard === null ? '' : `; guard: ${guardText(guard)}`}`;

/** Returns what a flag is for whom no target and no rule decides. */
export const answerText = (flag: Flag): string => {
  const { value, rollout, rules, targets, resource } = flag;
  const ramp = goingRamp(flag);
  const whom = resource === null ? '' : ` of all ${resource} records`;
  const base =
    rollout === null
      ? typeof value === 'boolean'
        ? `${valueText(value)} for everybody`
        : valueText(value)
      : rollout === 0
        ? 'off for everybody'
        : rollout === 100
          ? 'on for everybody'
          : `on for ${percent(rollout)}${whom}`;
  const targetCount = Object.keys(targets).length;
  const first = [
    ...(targetCount > 0 ? [`${count(targetCount)} ${targetCount === 1 ? 'target' : 'targets'}`] : []),
    ...(rules.length > 0 ? [`${count(rules.length)} ${rules.length === 1 ? 'rule' : 'rules'}`] : []),
  ].join(' and ');
  return `${base}${ramp === null ? '' : `, ${rampText(ramp)}`}${first === '' ? '' : `; ${first} first`}`;
};

const ops: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  in: 'is one of',
  nin: 'is none of',
  lt: 'is below',
  lte: 'is at most',
  gt: 'is above',
  gte: 'is at least',
  contains: 'contains',
  startsWith: 'begins with',
  endsWith: 'ends with',
  exists: 'exists:',
  matchesSemver: 'is a version of',
};

export const opTexts: readonly (readonly [string, string])[] = Object.entries(ops);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A sentence names so many of a list. */
const namedMost = 8;

/** Returns a list as people say it: the first ones, and how many more there are. */
const listText = (all: readonly string[]): string =>
  [
    all.slice(0, namedMost).join(', '),
    ...(all.length > namedMost ? [`and ${count(all.length - namedMost)} more`] : []),
  ].join(' ');

/** Returns a condition as a sentence. */
export const conditionText = (condition: unknown): string => {
  if (!isObject(condition)) return 'always';
  const { all, any, not, field, op, value } = condition;
  const joined = (list: readonly unknown[], word: string): string =>
    list
      .map((each) => (isObject(each) && !('field' in each) ? `(${conditionText(each)})` : conditionText(each)))
      .join(word);
  if (Array.isArray(all)) return all.length === 0 ? 'always' : joined(all, ' and ');
  if (Array.isArray(any)) return any.length === 0 ? 'never' : joined(any, ' or ');
  if (not !== undefined) return `not (${conditionText(not)})`;
  const wanted = Array.isArray(value) ? listText(value.map(valueText)) : value === undefined ? '' : valueText(value);
  return `${String(field)} ${ops[String(op)] ?? String(op)} ${wanted}`.trim();
};

export const ruleText = (rule: Readonly<Record<string, unknown>>): string =>
  'rollout' in rule ? `on for ${percent(Number(rule['rollout']))}` : valueText(rule['value']);

/** Returns what a change of a flag did, from the members that it changed. */
export const changeText = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string =>
  Object.keys(after)
    .filter((name) => name !== 'version')
    .map((name) => {
      const [was, is] = [before[name], after[name]];
      if (name === 'rollout')
        return `rollout ${was === null || was === undefined ? 'none' : percent(Number(was))} → ${is === null ? 'none' : percent(Number(is))}`;
      if (name === 'value') return `value ${valueText(was)} → ${valueText(is)}`;
      if (name === 'targets' && isObject(is)) return `targets ${listText(Object.keys(is))}`;
      if (name === 'rules')
        return `rules ${Array.isArray(was) ? String(was.length) : '0'} → ${Array.isArray(is) ? String(is.length) : '0'}`;
      if (name === 'ramp')
        return is === null
          ? 'ramp ended'
          : isObject(is)
            ? `ramp to ${percent(Number(is['to']))}, ${String(is['status'])}`
            : 'ramp';
      return name;
    })
    .join(' · ');
