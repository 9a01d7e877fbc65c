/** The states of jobs as people see them, and how far a job is as its index has it. Used by the files of this folder. */
import { jobs, type JobName } from '../../catalogue/jobs.ts';
import { jobPhaseSql } from '../../catalogue/states/stagedJobs.ts';
import { dbNowSql } from '../../platform/leases/leaderLease.ts';

export const jobStates = ['due', 'delayed', 'inLine', 'parked', 'queued', 'running', 'stalled', 'failed'] as const;
export type JobState = (typeof jobStates)[number];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the catalogue
export const jobKinds = Object.keys(jobs) as JobName[];

/** Phases of a job, as the index `staged_jobs_list` has them: they depend on neither the time nor the lease. */
export const jobPhases = ['failed', 'parked', 'given', 'scheduled', 'inLine'] as const;
type JobPhase = (typeof jobPhases)[number];

/** Returns the SQL of a job's state. `now`: in epoch ms, by the service's clock, as due times are; leases run by PostgreSQL's. */
export const stateSql = (row: string, now: string): string => `(case ${jobPhaseSql(row)}
    when 'given' then case when ${row}.lease_until is null then 'queued' when ${row}.lease_until > ${dbNowSql} then 'running' else 'stalled' end
    when 'scheduled' then case when ${row}.lease_until is not null then 'stalled' when ${row}.due_at > ${now} then 'delayed' else 'due' end
    else ${jobPhaseSql(row)} end)`;

const phasesByState: Readonly<Record<JobState, readonly JobPhase[]>> = {
  due: ['scheduled'],
  delayed: ['scheduled'],
  inLine: ['inLine'],
  parked: ['parked'],
  queued: ['given'],
  running: ['given'],
  stalled: ['given', 'scheduled'],
  failed: ['failed'],
};

/** Returns the phases that jobs of a state are in; of any state without one. */
export const phasesOf = (state: JobState | undefined): readonly JobPhase[] =>
  state === undefined ? jobPhases : phasesByState[state];

/** Returns whether all jobs of its phase are in that state, so that none has to be passed over. */
export const isWholePhase = (state: JobState): boolean => jobPhases.some((phase) => phase === state);
