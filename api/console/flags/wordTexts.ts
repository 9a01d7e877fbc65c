/** Texts that tell a flag in words: its value, its ramp, its conditions and its changes. Used by the pages of flags, by home and by approvals. */
import { count, inRow, listed, counted } from '../ui/plural.ts';

export const wordTexts = {
  on: 'on',
  off: 'off',
  none: 'none',
  member: (name: string, value: string) => `${name}: ${value}`,
  /** Of a long list, whose first ones are named. */
  andMore: (named: string, more: number) => `${named} and ${count(more)} more`,
  percent: (n: number) => `${count(n)} %`,
  spans: {
    days: (n: number) => `${count(n)} d`,
    hours: (n: number) => `${count(n)} h`,
    minutes: (n: number) => `${count(n)} min`,
    seconds: (n: number) => `${count(n)} s`,
    ms: (n: number) => `${count(n)} ms`,
  },
  /** What a flag is for whom no target and no rule decides. */
  answer: {
    forEverybody: (value: string) => `${value} for everybody`,
    onForPart: (percent: string) => `on for ${percent}`,
    onForPartOf: (percent: string, resource: string) => `on for ${percent} of all ${resource} records`,
    withRamp: (answer: string, ramp: string) => `${answer}, ${ramp}`,
    targets: (n: number) => counted(n, 'target', 'targets'),
    rules: (n: number) => counted(n, 'rule', 'rules'),
    /** `first`: one or both of those above. */
    withFirst: (answer: string, first: readonly string[]) => `${answer}; ${listed(first)} first`,
  },
  ramp: {
    willRise: (to: string, from: string) => `rising to ${to} from ${from} on`,
    willFall: (to: string, from: string) => `falling to ${to} from ${from} on`,
    rises: (to: string, by: string) => `rising to ${to} by ${by}`,
    falls: (to: string, by: string) => `falling to ${to} by ${by}`,
    stays: (value: string) => `stays ${value}`,
    staysAt: (percent: string) => `stays at ${percent}`,
    done: (to: string) => `arrived at ${to}`,
    stopped: (to: string) => `stopped on its way to ${to}`,
    rolledBack: (to: string) => `rolled back to ${to} by its guard`,
    tagged: (inbox: string, tag: string) => `${inbox} tagged ${tag}`,
    guardRollsBack: (above: string, inbox: string, within: string) =>
      `more than ${above} in ${inbox} within ${within}, and it is rolled back`,
    guardStops: (above: string, inbox: string, within: string) =>
      `more than ${above} in ${inbox} within ${within}, and it stops`,
    plan: (to: string, from: string, until: string, every: string) =>
      `to ${to} from ${from} to ${until}, a step every ${every}`,
    planWithGuard: (plan: string, guard: string) => `${plan}; guard: ${guard}`,
  },
  condition: {
    always: 'always',
    never: 'never',
    all: (conditions: readonly string[]) => conditions.join(' and '),
    any: (conditions: readonly string[]) => conditions.join(' or '),
    not: (condition: string) => `not (${condition})`,
    /** `op`: one of `ops`. */
    comparison: (field: string, op: string, value: string) => `${field} ${op} ${value}`.trim(),
  },
  /** Comparisons, by the API's names. */
  ops: {
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
  },
  /** What a change did, member by member. */
  changed: {
    rollout: (was: string, is: string) => `rollout ${was} → ${is}`,
    value: (was: string, is: string) => `value ${was} → ${is}`,
    targets: (ids: string) => `targets ${ids}`,
    rules: (was: number, is: number) => `rules ${count(was)} → ${count(is)}`,
    rampEnded: 'ramp ended',
    /** `status`: the API's. */
    rampTo: (to: string, status: string) => `ramp to ${to}, ${status}`,
    ramp: 'ramp',
  },
  /** The texts of a change of a flag: what it would do, and what came of it. */
  change: {
    title: (flag: string, change: string) => `${flag}: ${change}`,
    pends: 'This flag wants a person’s approval: the change waits until somebody decides.',
    isSoAlready: 'It is so already: nothing would change.',
    happensAtOnce: 'This happens at once, for everybody whom the flag decides for.',
    ask: 'Ask for it',
    change: 'Change the flag',
    reasonOptional: 'Reason (optional)',
    typeToConfirm: (flag: string) => `Type ${flag} to confirm`,
    wasSo: (flag: string) => `${flag} was so already.`,
    asked: (change: string) => `Asked for: ${change}. It waits under Approvals.`,
    undone: (change: string) => `taken back: ${change}`,
    conflict: (flag: string) => `Somebody else changed ${flag} a moment ago. Look at it again; what you typed is kept.`,
    /** Stands in the dialog of a change that is still wanted. */
    conflictToConfirm: (flag: string) =>
      `Somebody else changed ${flag} a moment ago. What the change would do now stands above: confirm it again.`,
    /** Of a change of the rules, or an undo, that is not possible any more. */
    changedMeanwhile: (flag: string) => `${flag} has been changed meanwhile: look at it again. Nothing was done.`,
    /** Changes that are told together. */
    together: (changes: readonly string[]) => inRow(changes),
  },
};
