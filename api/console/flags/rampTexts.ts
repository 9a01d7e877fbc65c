/** The texts of a flag's ramp: how far it is, its guard, and the form of a new one. */
import { count } from '../ui/time.ts';

export const rampTexts = {
  title: 'Ramp',
  none: 'None: the rollout stays until somebody changes it.',
  step: (n: number, of: number) => `step ${count(n)} of ${count(of)}`,
  stepAndNext: (n: number, of: number, next: string) => `step ${count(n)} of ${count(of)}, the next at ${next}`,
  guard: (guard: string) => `Guard: ${guard}.`,
  /** `stay`: where the flag stays, such as "stays at 25 %". */
  end: (stay: string) => `End the ramp: ${stay}`,
  ended: (stay: string) => `ramp ended, ${stay}`,
  begin: 'Start a ramp',
  replace: 'Replace the ramp',
  chart: {
    label: (from: string, to: string, now: string) => `Planned from ${from} to ${to}; now ${now}`,
    legend: 'dashed: planned, solid: done',
    at: (when: string, rollout: string) => `${when}: ${rollout}`,
  },
  form: {
    title: 'New ramp',
    to: 'To in %',
    over: 'Over',
    every: 'A step every',
    at: 'Starts at (empty: now)',
    unit: (label: string) => `${label}: unit`,
    units: { seconds: 'seconds', minutes: 'minutes', hours: 'hours', days: 'days' },
    guard: 'Guard',
    noGuard: 'none',
    watches: (inbox: string) => `watches ${inbox}`,
    tag: 'Only tagged (empty: all)',
    above: 'More than',
    within: 'Within',
    consequence: 'Then',
    rollback: 'roll back',
    stop: 'stop',
    isWrong: 'A ramp goes to 0 to 100 %, takes at least one step, and a step at least a second.',
    begin: 'Start the ramp',
    begun: (to: string, over: string) => `ramp to ${to} over ${over}`,
    cancel: 'Cancel',
  },
  /** What the guard of a new ramp would count now. */
  counted: {
    nothing: (span: string) => `Nothing came there in the last ${span}, which counts too.`,
    noTag: (tag: string) => `No item there has the tag “${tag}”: the guard counts nothing until one has.`,
    some: (n: number, span: string) => `At least ${count(n)} came there in the last ${span}, which counts too.`,
    stops: (n: number, span: string) =>
      `At least ${count(n)} came there in the last ${span}, which counts too: the ramp would stop at once.`,
    rollsBack: (n: number, span: string) =>
      `At least ${count(n)} came there in the last ${span}, which counts too: the ramp would be rolled back at once.`,
  },
};
