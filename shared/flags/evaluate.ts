/**
 * Evaluates a flag for a record id and attributes: target → rules in order → rollout → value. Pure, and the same code in
 * the service (OFREP) and in the SDK. A flag is compiled into closures once per version, and each evaluation that it can
 * return is made then, so that evaluating allocates nothing.
 */
import { compareValues, compileComparison, type ConditionExpression } from '../platform/conditions/conditions.ts';
import { createBucketer } from './bucket.ts';

export type FlagValueKind = 'boolean' | 'string' | 'number' | 'json';

export type FlagRule =
  | { readonly when: ConditionExpression; readonly value: unknown }
  | { readonly when: ConditionExpression; readonly rollout: number };

/** The members of a flag, as `GET /flags/:flag` returns it, that an evaluation depends on. */
export interface FlagState {
  readonly flag: string;
  readonly kind: FlagValueKind;
  readonly value: unknown;
  /** A percentage with at most three decimals; null: none. */
  readonly rollout: number | null;
  /** Values by record id. */
  readonly targets: Readonly<Record<string, unknown>>;
  readonly rules: readonly FlagRule[];
}

/** `targetingKey` is the record id, everything else the attributes; the paths of conditions start here. */
export type EvaluationContext = Readonly<Record<string, unknown>>;

/** Why a value was returned, in OpenFeature's words. */
type Reason = 'TARGETING_MATCH' | 'SPLIT' | 'STATIC' | 'ERROR';

/** The decider of an evaluation: `rule` is the index of the flag's rule that matched, from 0. */
interface Decider {
  readonly decidedBy: 'target' | 'rule' | 'rollout' | 'value';
  readonly rule: number | null;
}

export interface FlagEvaluation extends Decider {
  readonly value: unknown;
  readonly reason: Reason;
  /** `on` or `off`; null for flags that aren't on/off flags. */
  readonly variant: 'on' | 'off' | null;
  /** Whether a percentage had to be decided and there was no record id; `value` is null then. */
  readonly keyMissing: boolean;
}

export type Evaluate = (context: EvaluationContext) => FlagEvaluation;

type Test = (context: EvaluationContext) => boolean;

const byTarget: Decider = { decidedBy: 'target', rule: null };
const byRollout: Decider = { decidedBy: 'rollout', rule: null };
const byValue: Decider = { decidedBy: 'value', rule: null };

const createEvaluation = (value: unknown, reason: Reason, decider: Decider): FlagEvaluation =>
  Object.freeze({
    ...decider,
    value,
    reason,
    variant: typeof value === 'boolean' ? (value ? 'on' : 'off') : null,
    keyMissing: false,
  });
const missingKeyEvaluation: FlagEvaluation = Object.freeze({
  ...byRollout,
  value: null,
  reason: 'ERROR',
  variant: null,
  keyMissing: true,
});

const ownMember = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object that has the name; a copy would cost each evaluation
      (value as Record<string, unknown>)[name]
    : undefined;

const readerOf = (path: string): ((context: EvaluationContext) => unknown) => {
  const [first = '', ...rest] = path.split('.');
  // A name that Object.prototype lacks is never inherited: no check of ownership is needed.
  if (rest.length === 0 && !(first in Object.prototype)) return (context) => context[first];
  if (rest.length === 0) return (context) => ownMember(context, first);
  return (context) => rest.reduce(ownMember, ownMember(context, first));
};

const yes: Test = () => true;
const no: Test = () => false;
const both = (rest: Test, test: Test): Test => (rest === yes ? test : (context) => test(context) && rest(context));
const either = (rest: Test, test: Test): Test => (rest === no ? test : (context) => test(context) || rest(context));

/** Returns the test of a condition: the same as `evaluateCondition` of shared/platform/conditions/conditions.ts, compiled. */
export const compileCondition = (condition: ConditionExpression): Test => {
  if ('all' in condition) return condition.all.map(compileCondition).reduceRight(both, yes);
  if ('any' in condition) return condition.any.map(compileCondition).reduceRight(either, no);
  if ('not' in condition) {
    const test = compileCondition(condition.not);
    return (context) => !test(context);
  }
  const { field, op } = condition;
  const read = readerOf(field);
  if ('path' in condition) {
    const other = readerOf(condition.path);
    return (context) => compareValues(op, read(context), other(context));
  }
  const { value } = condition;
  // Null is left to `compare`, as a path that leads nowhere has that value too.
  if (op === 'eq' && value !== null) return (context) => read(context) === value;
  if (op === 'in' && Array.isArray(value) && !value.includes(null)) {
    const wanted = new Set<unknown>(value);
    return (context) => wanted.has(read(context));
  }
  const test = compileComparison(op, value);
  return (context) => test(read(context));
};

/** Returns the evaluation of a rollout, in percent; for 0 and 100 it needs no record id. */
const compileSplit = (flag: string, rollout: number, decider: Decider): Evaluate => {
  const [on, off] = [createEvaluation(true, 'SPLIT', decider), createEvaluation(false, 'SPLIT', decider)];
  const below = Math.round(rollout * 1000);
  if (below <= 0) return () => off;
  if (below >= 100_000) return () => on;
  const bucketOf = createBucketer(flag);
  return ({ targetingKey }) => {
    if (typeof targetingKey !== 'string' || targetingKey === '') return missingKeyEvaluation;
    return bucketOf(targetingKey) < below ? on : off;
  };
};

const always =
  (evaluation: FlagEvaluation): Evaluate =>
  () =>
    evaluation;

/** Returns the evaluation of a rule, and of `rest` where the rule does not match. */
const compileRule = (flag: string, rule: FlagRule, place: number, rest: Evaluate): Evaluate => {
  const test = compileCondition(rule.when);
  const decider: Decider = { decidedBy: 'rule', rule: place };
  const then =
    'rollout' in rule
      ? compileSplit(flag, rule.rollout, decider)
      : always(createEvaluation(rule.value, 'TARGETING_MATCH', decider));
  return (context) => (test(context) ? then(context) : rest(context));
};

const compileTargets = (targets: FlagState['targets'], rest: Evaluate): Evaluate => {
  const known = new Map(
    Object.entries(targets).map(([id, value]) => [id, createEvaluation(value, 'TARGETING_MATCH', byTarget)]),
  );
  if (known.size === 0) return rest;
  return (context) => {
    const { targetingKey } = context;
    return (typeof targetingKey === 'string' ? known.get(targetingKey) : undefined) ?? rest(context);
  };
};

/** Returns the function that evaluates a flag, whose rules have passed `conditionProblems`. */
export const compileFlag = ({ flag, value, rollout, targets, rules }: FlagState): Evaluate => {
  const last =
    rollout === null ? always(createEvaluation(value, 'STATIC', byValue)) : compileSplit(flag, rollout, byRollout);
  return compileTargets(
    targets,
    rules.reduceRight((rest, rule, place) => compileRule(flag, rule, place, rest), last),
  );
};

/** Returns whether a flag of this kind may have the value. */
export const isOfKind = (kind: FlagValueKind, value: unknown): boolean =>
  kind === 'json'
    ? value !== undefined
    : kind === 'number'
      ? typeof value === 'number' && Number.isFinite(value)
      : typeof value === kind;
