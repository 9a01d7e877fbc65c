/** Schemas of jobs as people see them. For api/routes/settings/jobs.ts and the console. */
import type { JobName } from '../../catalogue/jobs.ts';
import { nullable, responseObject, Type, type Static } from '../../platform/json/schema.ts';
import { jobKinds, jobStates, type JobState } from './states.ts';

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
