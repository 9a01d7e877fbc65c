/** The states of a flag's ramp, as predicates over the flag's row. Used by states.ts. */
import { defineMachine } from './machine.ts';

const hasStatus =
  (status: string, more: (row: string) => string = () => '') =>
  (row: string): string =>
    `${row}.ramp is not null and ${row}.ramp ->> 'status' = '${status}'${more(row)}`;

export const ramps = defineMachine({
  name: 'ramps',
  table: 'flags',
  states: {
    none: { kind: 'ended', meaning: 'the flag has no ramp', where: (row) => `${row}.ramp is null` },
    running: { kind: 'active', meaning: 'steps are due, now or later', where: hasStatus('running') },
    watched: {
      kind: 'waiting',
      meaning: 'at its last step, and its guard may still end it',
      where: hasStatus('done', (row) => ` and ${row}.guard_until is not null`),
    },
    done: {
      kind: 'ended',
      meaning: 'at its last step, without a guard',
      where: hasStatus('done', (row) => ` and ${row}.guard_until is null`),
    },
    stopped: { kind: 'ended', meaning: 'ended where it was', where: hasStatus('stopped') },
    rolled_back: {
      kind: 'ended',
      meaning: 'ended, and the rollout is as it was before',
      where: hasStatus('rolled_back'),
    },
  },
  transitions: [
    { from: null, to: 'none', why: 'the flag is changed for the first time' },
    { from: null, to: 'running', why: 'started' },
    { from: 'none', to: 'running', why: 'started' },
    { from: 'running', to: 'none', why: 'ended by a change of the flag' },
    { from: 'running', to: 'watched', why: 'the last step is taken, with a guard' },
    { from: 'running', to: 'done', why: 'the last step is taken' },
    { from: 'running', to: 'stopped', why: 'its guard stops it' },
    { from: 'running', to: 'stopped', why: 'its flag is declared no more' },
    { from: 'running', to: 'rolled_back', why: 'its guard rolls it back' },
    { from: 'watched', to: 'none', why: 'ended by a change of the flag' },
    { from: 'watched', to: 'running', why: 'started' },
    { from: 'watched', to: 'stopped', why: 'its guard stops it' },
    { from: 'watched', to: 'rolled_back', why: 'its guard rolls it back' },
    { from: 'done', to: 'none', why: 'ended by a change of the flag' },
    { from: 'done', to: 'running', why: 'started' },
    { from: 'stopped', to: 'none', why: 'ended by a change of the flag' },
    { from: 'stopped', to: 'running', why: 'started' },
    { from: 'rolled_back', to: 'none', why: 'ended by a change of the flag' },
    { from: 'rolled_back', to: 'running', why: 'started' },
  ],
});
