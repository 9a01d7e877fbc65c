/** The problems of a flag's change before it is decided: form, kind, limits. Used by changeFlag.ts and its endpoint. */
import { type Caller, findVisibleInbox } from '../accounts/access/principal.ts';
import type { ManifestFlag } from '../app/manifest/manifest.ts';
import type { FaultDetail } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { ConditionExpression } from '../platform/conditions/conditions.ts';
import { conditionProblems } from '../platform/conditions/conditionSchema.ts';
import type { Static } from '../platform/json/schema.ts';
import { compileCheck, invalidFault } from '../platform/json/validate.ts';
import { unknownNameMessage } from '../platform/words/nearestNames.ts';
import { cleanText } from '../platform/words/texts.ts';
import { recordIdProblem } from '../records/recordProblems.ts';
import type { FlagChange } from './decideFlag.ts';
import { isOfKind, type FlagRule, type FlagValueKind } from './evaluate.ts';
import { countRampSteps, type RampRequest } from './ramp.ts';
import { flagChangeBody } from './schema.ts';

type Body = Static<typeof flagChangeBody>;
type GivenChange = Body['change'];

export interface CheckedBody {
  readonly change: FlagChange;
  readonly confirmed: boolean;
  readonly dryRun: boolean;
}

const checkForm = compileCheck(flagChangeBody);

const valueProblem = (kind: FlagValueKind, value: unknown): string | null => {
  if (!isOfKind(kind, value)) return `must be a ${kind}, like every value of this flag`;
  return Buffer.byteLength(JSON.stringify(value)) > limits.flagValueBytes
    ? `must be at most ${String(limits.flagValueBytes / 1024)} KiB`
    : null;
};

/** Returns the problem of a percentage: its thousandths are the buckets (bucket.ts), so it has at most three decimals. */
const percentProblem = (kind: FlagValueKind, percentage: number): string | null => {
  if (kind !== 'boolean') return 'is for on/off flags only';
  return Number(percentage.toFixed(3)) === percentage ? null : 'must have at most three decimals';
};

const detailsAt = (path: string, message: string | null): FaultDetail[] =>
  message === null ? [] : [{ path, message }];

const targetProblems = (kind: FlagValueKind, targets: Readonly<Record<string, unknown>>): FaultDetail[] => {
  const details: FaultDetail[] = [];
  for (const [id, value] of Object.entries(targets)) {
    const path = `change.targets.${id.slice(0, limits.recordIdMax).toWellFormed()}`;
    const wrongId = recordIdProblem(id);
    if (wrongId !== null) details.push({ path, message: `is not a record id: it ${wrongId}` });
    else if (value !== null) details.push(...detailsAt(path, valueProblem(kind, value)));
    if (details.length >= limits.detailsMax) break;
  }
  return details;
};

/** Returns how many conditions there are, with those inside others. */
const countConditions = (conditions: readonly ConditionExpression[]): number =>
  conditions.reduce(
    (count, condition) =>
      count +
      1 +
      ('all' in condition
        ? countConditions(condition.all)
        : 'any' in condition
          ? countConditions(condition.any)
          : 'not' in condition
            ? countConditions([condition.not])
            : 0),
    0,
  );

const ruleProblems = (kind: FlagValueKind, rules: readonly FlagRule[]): FaultDetail[] => {
  const problems = rules.flatMap((rule, i) => {
    const path = `change.rules.${String(i)}`;
    const wrong = conditionProblems(rule.when, `${path}.when`);
    return 'rollout' in rule
      ? [...wrong, ...detailsAt(`${path}.rollout`, percentProblem(kind, rule.rollout))]
      : [...wrong, ...detailsAt(`${path}.value`, valueProblem(kind, rule.value))];
  });
  // Only of rules whose conditions are known to be such, and not too deep.
  if (problems.length > 0) return problems;
  const count = countConditions(rules.map(({ when }) => when));
  return detailsAt(
    'change.rules',
    count > limits.flagConditions
      ? `have ${String(count)} conditions in all; a flag has at most ${String(limits.flagConditions)}`
      : null,
  );
};

const visibleInboxNames = ({ env, principal }: Caller): string[] =>
  [...env.definition.inboxes.keys()].filter((name) => principal.access.sees('inbox', name));

const rampProblems = (caller: Caller, kind: FlagValueKind, ramp: RampRequest, now: number): FaultDetail[] => {
  const { to, over, every, guard } = ramp;
  return [
    ...detailsAt('change.ramp', kind === 'boolean' ? null : 'is for on/off flags only'),
    ...(kind === 'boolean' ? detailsAt('change.ramp.to', percentProblem(kind, to)) : []),
    ...detailsAt('change.ramp.over', over < every ? 'must be at least every' : null),
    ...detailsAt(
      'change.ramp.every',
      countRampSteps(ramp) > limits.rampSteps ? `makes more than ${String(limits.rampSteps)} steps` : null,
    ),
    ...detailsAt(
      'change.ramp.at',
      ramp.at !== null && ramp.at < now - limits.rampPastMs ? 'must not be more than a day past' : null,
    ),
    ...detailsAt(
      'change.ramp.at',
      ramp.at !== null && ramp.at + over + every > limits.timeMax ? 'must be a time at which it can end' : null,
    ),
    ...detailsAt(
      'change.ramp.guard.inbox',
      guard !== null && findVisibleInbox(caller, guard.inbox) === undefined
        ? unknownNameMessage(guard.inbox, visibleInboxNames(caller))
        : null,
    ),
  ];
};

const toRampRequest = ({
  to,
  over,
  every,
  at: start = null,
  guard = null,
}: NonNullable<GivenChange['ramp']>): RampRequest => ({
  to,
  over,
  every,
  at: start,
  guard: guard === null ? null : { ...guard, tag: typeof guard.tag === 'string' ? cleanText(guard.tag) : null },
});

/** Returns the problems of a change that fits the schema, for a flag as it is declared now. */
export const flagChangeProblems = (
  caller: Caller,
  { kind }: Pick<ManifestFlag, 'kind'>,
  change: FlagChange,
  now: number,
): FaultDetail[] => [
  ...('value' in change ? detailsAt('change.value', valueProblem(kind, change.value)) : []),
  ...(typeof change.rollout === 'number' ? detailsAt('change.rollout', percentProblem(kind, change.rollout)) : []),
  ...(change.targets === undefined ? [] : targetProblems(kind, change.targets)),
  ...(change.rules === undefined ? [] : ruleProblems(kind, change.rules)),
  ...(change.ramp === undefined || change.ramp === null ? [] : rampProblems(caller, kind, change.ramp, now)),
];

/** Returns the body of `POST /flags/:flag`. Throws `invalid` with every offending path. */
export const parseFlagChange = (caller: Caller, declared: ManifestFlag, body: unknown, now: number): CheckedBody => {
  const { change: given, confirmed = false, dryRun = false } = checkForm(body);
  const { ramp, ...rest } = given;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the problems below cover what the schema's types leave open: the rules' conditions
  const change = {
    ...rest,
    ...(ramp === undefined ? {} : { ramp: ramp === null ? null : toRampRequest(ramp) }),
  } as FlagChange;
  const problems = flagChangeProblems(caller, declared, change, now);
  if (problems.length > 0) throw invalidFault(problems.slice(0, limits.detailsMax));
  return { change, confirmed, dryRun };
};

/** Throws `invalid` when the merged targets are too many or too large, which only the result of a change shows. */
export const requireTargetLimits = (targets: Readonly<Record<string, unknown>>): void => {
  const count = Object.keys(targets).length;
  if (count > limits.flagTargets)
    throw invalidFault([
      {
        path: 'change.targets',
        message: `make ${String(count)} in all; a flag has at most ${String(limits.flagTargets)}`,
      },
    ]);
  if (Buffer.byteLength(JSON.stringify(targets)) > limits.flagTargetsBytes) {
    throw invalidFault([
      { path: 'change.targets', message: `make more than ${String(limits.flagTargetsBytes / 1024)} KiB in all` },
    ]);
  }
};
