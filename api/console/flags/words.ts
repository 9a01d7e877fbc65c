/** Flags in words: what a flag is for everybody, its ramp, its rules and its changes. Used by the pages of flags. */
import { isObject } from '../content/values.ts';
import { count, inRow } from '../ui/plural.ts';
import { whenTime } from '../ui/time.ts';
import type { Flag, Ramp } from '../wire/types.ts';
import { wordTexts } from './wordTexts.ts';

/** A sentence names so many of a list. */
const namedMost = 8;

/** Returns a list as people say it: the first ones, and how many more there are. */
const listText = (all: readonly string[]): string => {
  const named = inRow(all.slice(0, namedMost));
  return all.length > namedMost ? wordTexts.andMore(named, all.length - namedMost) : named;
};

export const valueText = (value: unknown): string =>
  value === true
    ? wordTexts.on
    : value === false
      ? wordTexts.off
      : typeof value === 'string'
        ? value
        : isObject(value)
          ? membersText(value)
          : Array.isArray(value)
            ? listText(value.map(valueText))
            : JSON.stringify(value);

/** Returns the members of an object in a row, those that are empty in a word. */
const membersText = (value: Readonly<Record<string, unknown>>): string =>
  Object.keys(value).length === 0
    ? wordTexts.none
    : listText(
        Object.entries(value).map(([name, of]) =>
          wordTexts.member(name, of === null || of === '' ? wordTexts.none : valueText(of)),
        ),
      );

const { spans, answer: answerTexts, ramp: rampTexts, condition: conditionTexts, changed } = wordTexts;

/** Comparisons, by the API's names. */
const ops: Readonly<Record<string, string>> = wordTexts.ops;

export const percent = wordTexts.percent;

const units = [
  [86_400_000, spans.days],
  [3_600_000, spans.hours],
  [60_000, spans.minutes],
  [1_000, spans.seconds],
] as const;

/** Returns a span in its largest whole unit. */
export const spanText = (ms: number): string => {
  const [size, text] = units.find(([each]) => ms % each === 0 && ms >= each) ?? [1, spans.ms];
  return text(ms / size);
};

/** Returns whether a ramp has steps to take. */
export const isGoing = ({ status }: Ramp): boolean => status === 'running' || status === 'scheduled';

/** Returns the ramp that goes on; null: none does. */
export const goingRamp = ({ ramp }: Flag): Ramp | null => (ramp !== null && isGoing(ramp) ? ramp : null);

export const rampText = ({ to, from, status, startedAt, over }: Ramp): string => {
  const isRising = to >= from;
  const { willRise, willFall, rises, falls, done, stopped, rolledBack } = rampTexts;
  if (status === 'scheduled') return (isRising ? willRise : willFall)(percent(to), whenTime(startedAt));
  if (status === 'running') return (isRising ? rises : falls)(percent(to), whenTime(startedAt + over));
  if (status === 'done') return done(percent(to));
  return status === 'stopped' ? stopped(percent(to)) : rolledBack(percent(from));
};

/** Returns what a guard watches, and what it does then. */
export const guardText = ({ inbox, tag, above, within, then: end }: NonNullable<Ramp['guard']>): string => {
  const text = end === 'rollback' ? rampTexts.guardRollsBack : rampTexts.guardStops;
  return text(count(above), tag === null ? inbox : rampTexts.tagged(inbox, tag), spanText(within));
};

/** Returns what a ramp will do, with its times. */
export const planText = ({ to, startedAt, over, every, guard }: Ramp): string => {
  const plan = rampTexts.plan(percent(to), whenTime(startedAt), whenTime(startedAt + over), spanText(every));
  return guard === null ? plan : rampTexts.planWithGuard(plan, guardText(guard));
};

/** Returns where a flag stays when its ramp ends now. */
export const stayText = ({ value, rollout }: Pick<Flag, 'value' | 'rollout'>): string =>
  rollout === null ? rampTexts.stays(valueText(value)) : rampTexts.staysAt(percent(rollout));

/** Returns what a flag is for everybody, without its ramp. */
export const baseText = ({ value, rollout, resource }: Flag): string => {
  if (rollout === null)
    return typeof value === 'boolean' ? answerTexts.forEverybody(valueText(value)) : valueText(value);
  if (rollout === 0 || rollout === 100) return answerTexts.forEverybody(valueText(rollout === 100));
  return resource === null
    ? answerTexts.onForPart(percent(rollout))
    : answerTexts.onForPartOf(percent(rollout), resource);
};

/** Returns what a flag is for whom no target and no rule decides. */
export const answerText = (flag: Flag): string => {
  const ramp = goingRamp(flag);
  const targetCount = Object.keys(flag.targets).length;
  const first = [
    ...(targetCount > 0 ? [answerTexts.targets(targetCount)] : []),
    ...(flag.rules.length > 0 ? [answerTexts.rules(flag.rules.length)] : []),
  ];
  const base = baseText(flag);
  const answer = ramp === null ? base : answerTexts.withRamp(base, rampText(ramp));
  return first.length === 0 ? answer : answerTexts.withFirst(answer, first);
};

/** Returns a condition as a sentence. */
export const conditionText = (condition: unknown): string => {
  if (!isObject(condition)) return conditionTexts.always;
  const { all, any, not, field, op, value } = condition;
  const within = (list: readonly unknown[]): readonly string[] =>
    list.map((each) => (isObject(each) && !('field' in each) ? `(${conditionText(each)})` : conditionText(each)));
  if (Array.isArray(all)) return all.length === 0 ? conditionTexts.always : conditionTexts.all(within(all));
  if (Array.isArray(any)) return any.length === 0 ? conditionTexts.never : conditionTexts.any(within(any));
  if (not !== undefined) return conditionTexts.not(conditionText(not));
  const wanted = Array.isArray(value) ? listText(value.map(valueText)) : value === undefined ? '' : valueText(value);
  return conditionTexts.comparison(String(field), ops[String(op)] ?? String(op), wanted);
};

export const ruleText = (rule: Readonly<Record<string, unknown>>): string =>
  'rollout' in rule ? answerTexts.onForPart(percent(Number(rule['rollout']))) : valueText(rule['value']);

const rolloutText = (rollout: unknown): string =>
  rollout === null || rollout === undefined ? wordTexts.none : percent(Number(rollout));

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/** Returns what became of one member of a flag. */
const memberText = (name: string, was: unknown, is: unknown): string => {
  if (name === 'rollout') return changed.rollout(rolloutText(was), rolloutText(is));
  if (name === 'value') return changed.value(valueText(was), valueText(is));
  if (name === 'targets' && isObject(is)) return changed.targets(listText(Object.keys(is)));
  if (name === 'rules') return changed.rules(lengthOf(was), lengthOf(is));
  if (name !== 'ramp') return name;
  if (is === null) return changed.rampEnded;
  return isObject(is) ? changed.rampTo(percent(Number(is['to'])), String(is['status'])) : changed.ramp;
};

/** Returns what a change of a flag did, from the members that it changed. */
export const changeText = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string =>
  Object.keys(after)
    .filter((name) => name !== 'version')
    .map((name) => memberText(name, before[name], after[name]))
    .join(' · ');
