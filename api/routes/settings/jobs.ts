/** Settings: the background jobs of this environment, trying one now, and retrying or discarding those that were given up. */
import { listCursors } from '../../../shared/accounts/access/listCursors.ts';
import { toEventActor } from '../../../shared/accounts/access/principal.ts';
import { invalidAt } from '../../../shared/catalogue/errors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { insertSavedResponse } from '../../../shared/platform/journal/changeWriter.ts';
import {
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  responseObject,
  strictObject,
  Type,
} from '../../../shared/platform/json/schema.ts';
import { compileCheck } from '../../../shared/platform/json/validate.ts';
import { aboutOf } from '../../../shared/views/jobs/about.ts';
import { countJobs, listJobs } from '../../../shared/views/jobs/list.ts';
import { retryJob } from '../../../shared/views/jobs/retry.ts';
import type { JobRow } from '../../../shared/views/jobs/rows.ts';
import {
  jobCountsSchema,
  jobKindSchema,
  jobSchema,
  jobStateSchema,
  joblessRunSchema,
  retriedJobSchema,
  selectedJobsSchema,
} from '../../../shared/views/jobs/schema.ts';
import {
  changeSelectedJobs,
  countSelectedJobs,
  discardableKinds,
  isDiscardable,
  type JobSelection,
  type SelectedChange,
} from '../../../shared/views/jobs/selected.ts';
import { whyJobless } from '../../../shared/views/jobs/why.ts';
import { readEndpoint, type Endpoint } from '../../endpoint.ts';
import { requireManager, settingsTag, settingsWriteEndpoint } from './manage.ts';

const errorMax = 200;

const selectionFields = {
  error: Type.Optional(Type.String({ minLength: 1, maxLength: errorMax, description: 'In their error.' })),
  since: Type.Optional(Type.Integer({ minimum: 0, description: 'Given up since (milliseconds since 1970 UTC)' })),
  until: Type.Optional(Type.Integer({ minimum: 0, description: 'Given up before (milliseconds since 1970 UTC)' })),
};

/** As long as the longest id that something has. */
const aboutMax = 200;

const list = readEndpoint({
  path: '/settings/jobs',
  name: 'settings.jobs',
  summary: 'Background jobs, oldest first, with why each waits',
  tag: settingsTag,
  query: strictObject({
    state: Type.Optional({ ...jobStateSchema, description: 'Only these.' }),
    kind: Type.Optional({ ...jobKindSchema, description: 'Only these.' }),
    about: Type.Optional(
      Type.String({ minLength: 1, maxLength: aboutMax, description: 'Their id, or of what they are about.' }),
    ),
    ...selectionFields,
    sort: Type.Optional(
      Type.Union([Type.Literal('createdAt'), Type.Literal('-createdAt')], { description: '-createdAt: newest first.' }),
    ),
    cursor: Type.Optional(cursorSchema),
    limit: Type.Optional(limitSchema),
  }),
  responses: {
    200: responseObject({
      jobs: Type.Array(jobSchema),
      cursor: nextCursorSchema,
      counts: jobCountsSchema,
      why: joblessRunSchema,
    }),
  },
  example: { query: { state: 'failed' } },
  authorize: requireManager,
  handle: async (call) => {
    const { deps, caller, query } = call;
    const { sort = 'createdAt', cursor, limit = limits.pageDefault, ...filters } = query;
    const { state, kind, about, error, since, until } = filters;
    const cursors = listCursors(caller, 'jobs', [state, kind, about, error, since, until, sort]);
    const place = cursors.open(cursor);
    const { jobs, next } = await listJobs(deps, caller, {
      ...filters,
      state,
      about,
      newestFirst: sort === '-createdAt',
      after: place === null ? null : [Number(place[0]), String(place[1])],
      limit,
    });
    const counts = await countJobs(deps.db, caller.env.id, deps.clock.now());
    // A job of another kind or state, or on another page, may be about the run.
    const isWhole = place === null && [state, kind, error, since, until].every((filter) => filter === undefined);
    const why = about !== undefined && isWhole && jobs.length === 0 ? await whyJobless(deps, caller, about) : null;
    return { status: 200, body: { jobs, cursor: cursors.next(next), counts, why } };
  },
});

const noBody = strictObject({});

const retry = settingsWriteEndpoint({
  path: '/settings/jobs/:id/retry',
  name: 'job.retry',
  summary: 'Try a job now that was given up, or waits for its next try',
  fresh: 'never',
  body: noBody,
  bodyOptional: true,
  responses: { 200: retriedJobSchema },
  example: { params: { id: 'job_01jd0000000000000000000000' }, body: {} },
  audit: { verb: 'job.retry', target: ({ params }) => ({ type: 'job', id: params['id'] ?? null }) },
  check: compileCheck(noBody),
  handle: async (call) => {
    const { deps, caller, params, save } = call;
    const body = await retryJob(deps, caller, params['id'] ?? '', (text) => save(200, text));
    return { status: 200, body };
  },
});

const selectionBody = strictObject({
  change: Type.Union([Type.Literal('retry'), Type.Literal('discard')], {
    description: 'discard: replies and triages.',
  }),
  kind: Type.Optional({ ...jobKindSchema, description: 'Only these.' }),
  ...selectionFields,
  dryRun: Type.Optional(Type.Boolean({ description: 'Only count.' })),
});

interface JobChange extends JobSelection {
  readonly change: SelectedChange;
  readonly dryRun?: boolean;
}

const changeMany = settingsWriteEndpoint({
  path: '/settings/jobs',
  name: 'jobs.change',
  summary: 'Retry or discard jobs that were given up',
  fresh: 'never',
  body: selectionBody,
  responses: { 200: selectedJobsSchema },
  example: { body: { change: 'retry', kind: 'triageItem', error: 'out of credit' } },
  audit: { verb: 'job.change', target: () => ({ type: 'job', id: null }) },
  check: compileCheck(selectionBody),
  handle: async (call) => {
    const { deps, caller, save } = call;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked, with kinds that the compiler can't infer
    const { change, dryRun = false, ...selection } = call.body as JobChange;
    if (change === 'discard' && !isDiscardable(selection.kind))
      throw invalidAt('kind', `must be one of ${discardableKinds.join(', ')}; of others cancel the run or the bulk`);
    const sees = (job: JobRow): boolean => aboutOf(caller, job) !== null;
    const wanted = { envId: caller.env.id, selection, change, sees, reason: caller.reason };
    const at = deps.clock.now();
    const result = dryRun
      ? await countSelectedJobs(deps.db, wanted)
      : await changeSelectedJobs({ db: deps.db, bus: deps.bus, actor: toEventActor(caller), at }, wanted);
    const saved = save(200, JSON.stringify(result));
    if (saved !== null) await insertSavedResponse(deps.db, saved, at);
    return { status: 200, body: result };
  },
});

export const jobSettings: readonly Endpoint[] = [list, retry, changeMany];
