/** Jobs as people see them: their states and schemas. For api/routes/settings/jobs.ts, the console and the other files of this folder. */
import { type JobName, jobs } from '../../catalogue/jobs.ts';
import { jobPhaseSql } from '../../catalogue/states/stagedJobs.ts';
import { type Static, nullable, responseObject, Type } from '../../platform/json/schema.ts';
import { dbNowSql } from '../../platform/leases/leaderLease.ts';

const jobStates = ['due', 'delayed', 'inLine', 'parked', 'queued', 'running', 'stalled', 'failed'] as const;
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

export const jobKindSchema = Type.Union(
  jobKinds.map((kind) => Type.Literal(kind)),
  { description: 'Kind.' },
);

export const jobStateSchema = Type.Union(
  jobStates.map((state) => Type.Literal(state)),
  { description: 'inLine: behind others of its record; parked: the app is offline; failed: given up.' },
);

const aboutSchema = responseObject(
  {
    type: Type.String({ description: 'run, bulk, item, flag or erasure.' }),
    id: Type.String({ description: 'Id.' }),
    sentence: Type.String({ description: 'What it does.' }),
  },
  { description: 'null: hidden from you.' },
);

export const jobSchema = responseObject({
  id: Type.String({ description: 'Id.' }),
  kind: jobKindSchema,
  state: jobStateSchema,
  about: nullable(aboutSchema),
  why: Type.String({ description: 'Why.' }),
  attempts: Type.Integer({ minimum: 0, description: 'Failures.' }),
  error: nullable(Type.String({ description: 'Its last one.' })),
  retryable: Type.Boolean({ description: 'Retryable.' }),
  createdAt: Type.Integer({ description: 'createdAt (milliseconds since 1970 UTC)' }),
  dueAt: nullable(Type.Integer({ description: 'dueAt (milliseconds since 1970 UTC)' })),
  enqueuedAt: nullable(Type.Integer({ description: 'When workers got it (milliseconds since 1970 UTC)' })),
});

/** The union of the schema’s literals is more than the compiler infers. */
export type JobView = Omit<Static<typeof jobSchema>, 'kind' | 'state'> & {
  readonly kind: JobName;
  readonly state: JobState;
};
export type JobAbout = Static<typeof aboutSchema>;

export const joblessRunSchema = nullable(Type.String({ description: 'Of a run without a job.' }));

/** By kind and state. */
export const jobCountsSchema = Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer({ minimum: 0 })), {
  description: 'By kind and state, up to 10,000.',
});

export type JobCounts = Static<typeof jobCountsSchema>;

export const retriedJobSchema = responseObject({
  changed: Type.Boolean({ description: 'false: it is due or running already.' }),
});

export const selectedJobsSchema = responseObject({
  changed: Type.Integer({ minimum: 0, description: 'How many.' }),
  left: Type.Boolean({ description: 'More fit.' }),
});

export type RetriedJob = Static<typeof retriedJobSchema>;
