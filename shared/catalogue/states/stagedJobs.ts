/** The states of a staged job, as predicates over its row. Used by shared/platform/leases, shared/runs and workers/. */
import { defineMachine } from './machine.ts';

/** Returns SQL for whether the job of this row waits for the app. */
export const isParkedJobSql = (row: string): string => `${row}.waits_for_app`;
const leased = (row: string): string => `not ${row}.waits_for_app and ${row}.lease_until is not null`;
/** Returns SQL for whether neither BullMQ nor a worker has the job of this row, nor waits it for the app. */
export const isIdleJobSql = (row: string): string =>
  `not ${row}.waits_for_app and ${row}.lease_until is null and ${row}.enqueued_at is null`;
/** Returns SQL for how far the job of this row is; the text of the index `staged_jobs_list`, so that it depends on neither the time nor the lease. */
export const jobPhaseSql = (row: string): string =>
  `(case when ${row}.waits_for_app then 'parked' when ${row}.enqueued_at is not null then 'given' when ${row}.due_at is not null then 'scheduled'
    when ${row}.last_error is not null then 'failed' else 'inLine' end)`;
/** Returns SQL for whether the job of this row was given up. */
export const isGivenUpJobSql = (row: string): string =>
  `${isIdleJobSql(row)} and ${row}.due_at is null and ${row}.last_error is not null`;

export const stagedJobs = defineMachine({
  name: 'staged jobs',
  table: 'staged_jobs',
  states: {
    scheduled: {
      kind: 'active',
      meaning: 'due at a time, and not yet given to BullMQ',
      where: (row) => `${isIdleJobSql(row)} and ${row}.due_at is not null`,
    },
    inLine: {
      kind: 'waiting',
      meaning: 'its run waits for earlier runs of its record',
      where: (row) => `${isIdleJobSql(row)} and ${row}.due_at is null and ${row}.last_error is null`,
    },
    parked: { kind: 'waiting', meaning: 'it waits for the app to be online', where: isParkedJobSql },
    enqueued: {
      kind: 'active',
      meaning: 'BullMQ has its id',
      where: (row) => `not ${row}.waits_for_app and ${row}.lease_until is null and ${row}.enqueued_at is not null`,
    },
    leased: {
      kind: 'active',
      meaning: 'a worker has it, or had it when the worker was killed',
      where: (row) => `${leased(row)} and ${row}.enqueued_at is not null`,
    },
    orphaned: {
      kind: 'active',
      meaning: 'its lease ran out, and it is due again',
      where: (row) => `${leased(row)} and ${row}.enqueued_at is null`,
    },
    givenUp: {
      kind: 'ended',
      meaning:
        'it failed too often or can not be done; kept with its error for 7 days, that of an erasure until it is done',
      where: isGivenUpJobSql,
    },
  },
  transitions: [
    { from: null, to: 'scheduled', why: 'staged' },
    { from: null, to: 'inLine', why: 'staged behind another run of its record' },
    { from: null, to: 'parked', why: 'staged while the app is offline' },
    { from: 'scheduled', to: 'enqueued', why: 'the enqueuer takes it' },
    { from: 'scheduled', to: 'leased', why: 'a worker with an older message takes it' },
    { from: 'inLine', to: 'scheduled', why: 'its turn has come' },
    { from: 'parked', to: 'scheduled', why: 'the app is online' },
    { from: 'enqueued', to: 'scheduled', why: 'Redis refused it, or no worker took it' },
    { from: 'enqueued', to: 'leased', why: 'a worker takes it' },
    { from: 'leased', to: 'scheduled', why: 'rescheduled, failed or interrupted' },
    { from: 'leased', to: 'parked', why: 'the app is offline' },
    { from: 'leased', to: 'givenUp', why: 'failed for good' },
    { from: 'leased', to: 'orphaned', why: 'the sweep finds its lease run out' },
    { from: 'leased', to: null, why: 'done' },
    { from: 'orphaned', to: 'leased', why: 'enqueued again' },
    { from: 'orphaned', to: 'scheduled', why: 'its slow worker ends after all' },
    { from: 'orphaned', to: 'parked', why: 'its slow worker ends after all' },
    { from: 'orphaned', to: 'givenUp', why: 'its slow worker ends after all' },
    { from: 'orphaned', to: null, why: 'its slow worker ends after all' },
    { from: 'givenUp', to: 'scheduled', why: 'its turn has come, or a person retries it' },
    { from: 'givenUp', to: null, why: 'given up 7 days ago' },
    { from: 'scheduled', to: null, why: 'not needed any more' },
    { from: 'inLine', to: null, why: 'not needed any more' },
    { from: 'parked', to: null, why: 'not needed any more' },
    { from: 'enqueued', to: null, why: 'not needed any more' },
  ],
});
