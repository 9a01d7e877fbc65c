/** Settings: the background jobs of this environment, and trying one now. */
import { listCursors } from '../../../shared/access/listCursors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import {
  cursorSchema,
  limitSchema,
  nextCursorSchema,
  responseObject,
  strictObject,
  Type,
} from '../../../shared/platform/core/schema.ts';
import { compileCheck } from '../../../shared/platform/core/validate.ts';
import { countJobs, listJobs } from '../../../shared/views/jobs/list.ts';
import { retryJob } from '../../../shared/views/jobs/retry.ts';
import { whyJobless } from '../../../shared/views/jobs/runWithoutJob.ts';
import {
  jobCountsSchema,
  jobKindSchema,
  jobSchema,
  jobStateSchema,
  joblessRunSchema,
  retriedJobSchema,
} from '../../../shared/views/jobs/schema.ts';
import { readEndpoint, writeEndpoint, type Endpoint } from '../../endpoint.ts';
import { requireManager, settingsTag } from './manage.ts';

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
  handle: async (call) => {
    requireManager(call, { fresh: false });
    const { deps, caller, query } = call;
    const { state, kind, about, sort = 'createdAt' } = query;
    const cursors = listCursors(caller, 'jobs', [state, kind, about, sort]);
    const place = cursors.open(query.cursor);
    const { jobs, next } = await listJobs(deps, caller, {
      state,
      kind,
      about,
      newestFirst: sort === '-createdAt',
      after: place === null ? null : [Number(place[0]), String(place[1])],
      limit: query.limit ?? limits.pageDefault,
    });
    const counts = await countJobs(deps.db, caller.env.id, deps.clock.now());
    // A job of another kind or state, or on another page, may be about the run.
    const isWhole = state === undefined && kind === undefined && place === null;
    const why = about !== undefined && isWhole && jobs.length === 0 ? await whyJobless(deps, caller, about) : null;
    return { status: 200, body: { jobs, cursor: cursors.next(next), counts, why } };
  },
});

const noBody = strictObject({});

const retry = writeEndpoint({
  path: '/settings/jobs/:id/retry',
  name: 'job.retry',
  summary: 'Try a job now that was given up, or waits for its next try',
  tag: settingsTag,
  body: noBody,
  bodyOptional: true,
  responses: { 200: retriedJobSchema },
  example: { params: { id: 'job_01jd0000000000000000000000' }, body: {} },
  audit: { verb: 'job.retry', target: ({ params }) => ({ type: 'job', id: params['id'] ?? null }) },
  check: compileCheck(noBody),
  handle: async (call) => {
    requireManager(call, { fresh: false });
    const { deps, caller, params, save } = call;
    const body = await retryJob(deps, caller, params['id'] ?? '', (text) => save(200, text));
    return { status: 200, body };
  },
});

export const jobSettings: readonly Endpoint[] = [list, retry];
