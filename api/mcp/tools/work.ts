/** The rows of the other tools: records, actions and their runs, pages, flags, approvals, and changes. */
import { Type } from '../../../shared/platform/core/schema.ts';
import { getEndpoint } from '../endpoints.ts';
import {
  anyCaller,
  canChangeAnyFlag,
  canRequestApproval,
  canRunAnyAction,
  canSeeAny,
  canSeeApprovals,
  canStartRuns,
} from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

const resource = 'A resource, as list_resources names it.';
const record = { resource, id: 'The record’s id.' };
const run = { id: 'The run’s id, such as run_01jd….' };
const flag = { flag: 'The flag’s key.' };
const approval = { id: 'The approval’s id, such as apr_01jd….' };
const settles = { idempotentHint: true } as const;

export const workTools: readonly Tool[] = [
  createTool({
    name: 'list_resources',
    title: 'List resources',
    endpoint: getEndpoint('resource.list'),
    isListed: canSeeAny('resource'),
    description:
      'Answers the kinds of records that you see (customers, orders …), each with its fields, which of them can be filtered, sorted by and searched, and its relations.',
  }),
  createTool({
    name: 'search_records',
    title: 'Search records',
    endpoint: getEndpoint('record.search'),
    isListed: canSeeAny('resource'),
    params: { resource },
    description:
      'Answers the records of a resource that fit best to some words or the beginning of an id, at most 50, best first. For all that fit, or filters, use list_records.',
  }),
  createTool({
    name: 'list_records',
    title: 'List records',
    endpoint: getEndpoint('record.list'),
    isListed: canSeeAny('resource'),
    params: { resource },
    objects: ['filters'],
    description:
      'Answers records of a resource page by page, filtered and sorted. filters is an object: { field: value }, { field: [any, of] } or { field: { op: value } } with eq, ne, in, nin, lt, lte, gt, gte, contains, startsWith, exists; all have to hold.',
  }),
  createTool({
    name: 'get_record',
    title: 'Get a record',
    endpoint: getEndpoint('record.get'),
    isListed: canSeeAny('resource'),
    params: record,
    description:
      'Answers one record with its blocks, its newest items, what was done to it, and the actions that apply to it.',
  }),
  createTool({
    name: 'get_related_records',
    title: 'Get related records',
    endpoint: getEndpoint('record.related'),
    isListed: canSeeAny('resource'),
    params: { ...record, relation: 'A relation of the resource, as list_resources names it.' },
    description: 'Answers the records that one record is related to, such as the orders of a customer.',
  }),
  createTool({
    name: 'list_actions',
    title: 'List actions',
    endpoint: getEndpoint('action.list'),
    isListed: canRunAnyAction,
    description:
      'Answers the actions that you may run, with all that is declared of each. To run one call its own tool, whose name begins with action_.',
  }),
  createTool({
    name: 'available_actions',
    title: 'Which actions apply',
    endpoint: getEndpoint('action.available'),
    isListed: canRunAnyAction,
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    description:
      'Answers which actions apply to some records right now, with what to begin their input with (defaults), and why not for the others. Changes nothing.',
  }),
  createTool({
    name: 'list_runs',
    title: 'List runs',
    endpoint: getEndpoint('run.list'),
    isListed: canRunAnyAction,
    description: 'Answers runs of actions, newest first: yours, and those of actions that you may run.',
  }),
  createTool({
    name: 'get_run',
    title: 'Get a run',
    endpoint: getEndpoint('run.get'),
    isListed: canRunAnyAction,
    params: run,
    description:
      'Answers how a run of an action stands. pending, queued and running are not final: ask again after a few seconds. succeeded has message and blocks, failed has error; unknown means that it was handed to the app and nobody knows whether it was done.',
  }),
  createTool({
    name: 'cancel_run',
    title: 'Cancel a run',
    endpoint: getEndpoint('run.cancel'),
    isListed: canStartRuns,
    params: run,
    hints: settles,
    description: 'Takes a run back that has not begun (pending or queued).',
  }),
  createTool({
    name: 'retry_run',
    title: 'Retry a run',
    endpoint: getEndpoint('run.retry'),
    isListed: canStartRuns,
    params: run,
    hints: { destructiveHint: true, openWorldHint: true },
    description:
      'Runs an action again under the same run, when it failed, expired or ended unknown. After unknown look first whether it was done. Then ask get_run.',
  }),
  createTool({
    name: 'list_pages',
    title: 'List pages',
    endpoint: getEndpoint('page.list'),
    isListed: canSeeAny('page'),
    description: 'Answers the pages that the app declares, with the parameters that each takes.',
  }),
  createTool({
    name: 'get_page',
    title: 'Get a page',
    endpoint: getEndpoint('page.get'),
    isListed: canSeeAny('page'),
    params: { page: 'The page, as list_pages names it.' },
    objects: ['params'],
    description:
      'Answers the blocks of a page with live data: numbers, tables, items, records. params is an object of texts. A block that fails is an error block.',
  }),
  createTool({
    name: 'list_flags',
    title: 'List feature flags',
    endpoint: getEndpoint('flag.list'),
    isListed: canSeeAny('flag'),
    description:
      'Answers the feature flags that you see: value, rollout, targets, rules, ramp, and whether a change needs approval.',
  }),
  createTool({
    name: 'get_flag',
    title: 'Get a feature flag',
    endpoint: getEndpoint('flag.get'),
    isListed: canSeeAny('flag'),
    params: flag,
    description: 'Answers one feature flag as it is now, with its version.',
  }),
  createTool({
    name: 'get_flag_history',
    title: 'Get a flag’s history',
    endpoint: getEndpoint('flag.history'),
    isListed: canSeeAny('flag'),
    params: flag,
    description:
      'Answers what happened to a feature flag, newest first: changes, steps of ramps, what their guards did.',
  }),
  createTool({
    name: 'change_flag',
    title: 'Change a feature flag',
    endpoint: getEndpoint('flag.change'),
    isListed: canChangeAnyFlag,
    params: flag,
    own: {
      replace: Type.Optional(
        Type.Boolean({ description: 'Must be true for a ramp that replaces the one that is running.' }),
      ),
    },
    hints: { destructiveHint: true, openWorldHint: true },
    description:
      'Changes a feature flag for the app’s users. change is a patch: value; rollout (percentage of an on/off flag); targets (merged; null removes one); rules (replaced); ramp (moves the rollout by itself; null stops it; with replace: true another takes the place of the running one). If it answers pending, a person has to approve it first: ask get_approval.',
  }),
  createTool({
    name: 'list_approvals',
    title: 'List approvals',
    endpoint: getEndpoint('approval.list'),
    isListed: canSeeApprovals,
    description:
      'Answers requests that wait for a person, your own and others that you see; status shows those that were decided. Only people decide them.',
  }),
  createTool({
    name: 'get_approval',
    title: 'Get an approval',
    endpoint: getEndpoint('approval.get'),
    isListed: canSeeApprovals,
    params: approval,
    description:
      'Answers how a request stands: pending, approved, rejected, expired, cancelled or stale, with who decided and what they said.',
  }),
  createTool({
    name: 'cancel_approval',
    title: 'Take a request back',
    endpoint: getEndpoint('approval.cancel'),
    isListed: canRequestApproval,
    params: approval,
    hints: settles,
    description: 'Takes back a request of your own that nobody has decided.',
  }),
  createTool({
    name: 'list_changes',
    title: 'List changes',
    endpoint: getEndpoint('live.changes'),
    isListed: anyCaller,
    description:
      'Answers what has changed since the cursor of the call before: items, timelines, runs, bulks, approvals, flags. Without after it begins now; wait holds the call up to 30,000 ms while there is nothing. reset means: read everything anew.',
  }),
];
