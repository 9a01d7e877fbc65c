/** Everything that can be wrong with a flag's change before it is decided: form, kind, limits. Called by the endpoint and for approvals. */
import type { Detail } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Caller } from '../access/principal.ts';
import { conditionProblems } from '../platform/core/conditionForm.ts';
import { compile, invalidDetails } from '../platform/core/validate.ts';
import type { Static } from '../platform/core/schema.ts';
import type { ManifestFlag } from '../environments/manifest.ts';
import { visibleInbox } from '../access/gates.ts';
import { recordIdProblem } from '../records/given.ts';
import type { FlagChange } from './decide.ts';
import { isOfKind, type FlagKind } from './evaluate.ts';
import { stepsOf, type GivenRamp } from './ramp.ts';
import { changeBody } from './schema.ts';

type Body = Static<typeof changeBody>;
type GivenChange = Body['change'];

export interface CheckedBody {
  readonly change: FlagChange;
  readonly confirmed: boolean;
}

const checkForm = compile(changeBody);

const valueProblem = (kind: FlagKind, value: unknown): string | null => {
  if (!isOfKind(kind, value)) return `must be a ${kind}, like every value of this flag`;
  return Buffer.byteLength(JSON.stringify(value)) > limits.flagValueBytes ? `must be at most ${String(limits.flagValueBytes / 1024)} KiB` : null;
};

/** Three decimals: the thousandths of which there are as many as places (bucket.ts). */
const percentProblem = (kind: FlagKind, percentage: number): string | null => {
  if (kind !== 'boolean') return 'is for on/off flags only';
  return Number(percentage.toFixed(3)) === percentage ? null : 'must have at most three decimals';
};

const at = (path: string, message: string | null): Detail[] => (message === null ? [] : [{ path, message }]);

const targetProblems = (kind: FlagKind, targets: Readonly<Record<string, unknown>>): Detail[] => {
  const details: Detail[] = [];
  for (const [id, value] of Object.entries(targets)) {
    const path = `change.targets.${id.slice(0, limits.recordIdMax).toWellFormed()}`;
    const wrongId = recordIdProblem(id);
    if (wrongId !== null) details.push({ path, message: `is not a record id: it ${wrongId}` });
    else if (value !== null) details.push(...at(path, valueProblem(kind, value)));
    if (details.length >= limits.detailsMax) break;
  }
  return details;
};

const ruleProblems = (kind: FlagKind, rules: NonNullable<GivenChange['rules']>): Detail[] =>
  rules.flatMap((rule, i) => {
    const path = `change.rules.${String(i)}`;
    const wrong = conditionProblems(rule.when, `${path}.when`);
    return 'rollout' in rule ? [...wrong, ...at(`${path}.rollout`, percentProblem(kind, rule.rollout))] : [...wrong, ...at(`${path}.value`, valueProblem(kind, rule.value))];
  });

const rampProblems = (caller: Caller, kind: FlagKind, ramp: GivenRamp, now: number): Detail[] => {
  const { to, over, every, guard } = ramp;
  return [
    ...at('change.ramp', kind === 'boolean' ? null : 'is for on/off flags only'),
    ...(kind === 'boolean' ? at('change.ramp.to', percentProblem(kind, to)) : []),
    ...at('change.ramp.over', over < every ? 'must be at least every' : null),
    ...at('change.ramp.every', stepsOf(ramp) > limits.rampSteps ? `makes more than ${String(limits.rampSteps)} steps` : null),
    ...at('change.ramp.at', ramp.at !== null && ramp.at < now - limits.rampPastMs ? 'must not be more than a day past' : null),
    ...at('change.ramp.at', ramp.at !== null && ramp.at + over + every > limits.timeMax ? 'must be a time at which it can end' : null),
    ...at('change.ramp.guard.inbox', guard !== null && visibleInbox(caller, guard.inbox) === undefined ? 'is not an inbox that you can see' : null),
  ];
};

const rampOf = ({ to, over, every, at: start = null, guard = null }: NonNullable<GivenChange['ramp']>): GivenRamp => ({
  to, over, every, at: start, guard: guard === null ? null : { ...guard, tag: guard.tag ?? null },
});

/** The problems of a change whose form is good, for a flag as it is declared now. */
export const changeProblems = (caller: Caller, { kind }: Pick<ManifestFlag, 'kind'>, change: FlagChange, now: number): Detail[] => [
  ...('value' in change ? at('change.value', valueProblem(kind, change.value)) : []),
  ...(typeof change.rollout === 'number' ? at('change.rollout', percentProblem(kind, change.rollout)) : []),
  ...(change.targets === undefined ? [] : targetProblems(kind, change.targets)),
  ...(change.rules === undefined ? [] : ruleProblems(kind, change.rules as NonNullable<GivenChange['rules']>)),
  ...(change.ramp === undefined || change.ramp === null ? [] : rampProblems(caller, kind, change.ramp, now)),
];

/** The body of `POST /flags/:flag`, or `400 invalid` with every offending path. */
export const checkChange = (caller: Caller, declared: ManifestFlag, body: unknown, now: number): CheckedBody => {
  const { change: given, confirmed = false } = checkForm(body);
  const { ramp, ...rest } = given;
  const change = { ...rest, ...(ramp === undefined ? {} : { ramp: ramp === null ? null : rampOf(ramp) }) } as FlagChange;
  const problems = changeProblems(caller, declared, change, now);
  if (problems.length > 0) throw invalidDetails(problems.slice(0, limits.detailsMax));
  return { change, confirmed };
};

/** What only the change's result can show: throws `400 invalid` when a flag would have too many targets, or too large ones. */
export const checkTargets = (targets: Readonly<Record<string, unknown>>): void => {
  const count = Object.keys(targets).length;
  if (count > limits.flagTargets) throw invalidDetails([{ path: 'change.targets', message: `make ${String(count)} in all; a flag has at most ${String(limits.flagTargets)}` }]);
  if (Buffer.byteLength(JSON.stringify(targets)) > limits.flagTargetsBytes) {
    throw invalidDetails([{ path: 'change.targets', message: `make more than ${String(limits.flagTargetsBytes / 1024)} KiB in all` }]);
  }
};
