/** The rows of the tools for actions, flags, bulks, and approvals, which people decide. */
import { invalidAt } from '../../../shared/catalogue/errors.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { Type } from '../../../shared/platform/json/schema.ts';
import { compactFlagEntry } from '../answers/kinds.ts';
import { resolveRequester } from '../arguments/actors.ts';
import { toBoolean, toList, toObject } from '../arguments/coerce.ts';
import { toReference } from '../arguments/recordRefs.ts';
import { getEndpoint } from '../endpoints.ts';
import { requireNewBulk } from '../repeatedCalls.ts';
import {
  canRequestApproval,
  canSeeApprovals,
  canRunAnyAction,
  canStartRuns,
  canStartBulks,
  canChangeAnyFlag,
  canSeeAny,
} from '../rights.ts';
import { type Tool, createTool } from '../tool.ts';

export const actionTools: readonly Tool[] = [
  createTool({
    name: 'list_actions',
    endpoint: getEndpoint('action.list'),
    isListed: canRunAnyAction,
    description: 'Actions of your role, each by its own tool, action_<name>.',
  }),
  createTool({
    name: 'available_actions',
    endpoint: getEndpoint('action.available'),
    isListed: canRunAnyAction,
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    schemas: { refs: { type: 'array', items: { type: 'object' }, description: '[{ resource, id }]' } },
    description: 'Which actions apply to records now, with inputs, and why others don’t.',
  }),
  createTool({
    name: 'list_runs',
    endpoint: getEndpoint('run.list'),
    isListed: canRunAnyAction,
    say: { action: '', status: '' },
    description: 'Runs of actions, newest first.',
  }),
  createTool({
    name: 'get_run',
    endpoint: getEndpoint('run.get'),
    isListed: canRunAnyAction,
    description: 'How a run stands; unknown: nobody knows whether it was done.',
  }),
  createTool({
    name: 'cancel_run',
    endpoint: getEndpoint('run.cancel'),
    isListed: canStartRuns,
    hints: { idempotentHint: true },
    description: 'Takes a run back that has not begun.',
  }),
  createTool({
    name: 'retry_run',
    endpoint: getEndpoint('run.retry'),
    isListed: canStartRuns,
    hints: { destructiveHint: true, openWorldHint: true },
    description: 'Runs again what failed, expired or ended unknown (look first).',
  }),
];

export const approvalTools: readonly Tool[] = [
  createTool({
    name: 'list_approvals',
    endpoint: getEndpoint('approval.list'),
    isListed: canSeeApprovals,
    say: { status: 'pending unless given.' },
    prepare: resolveRequester,
    description: 'Requests that wait for a person.',
  }),
  createTool({
    name: 'get_approval',
    endpoint: getEndpoint('approval.get'),
    isListed: canSeeApprovals,
    description: 'How a request stands, who decided it and what they said.',
  }),
  createTool({
    name: 'ask_question',
    endpoint: getEndpoint('question.ask'),
    isListed: canRequestApproval,
    description: 'Asks people, who choose one of your options; get_approval has the answer.',
  }),
  createTool({
    name: 'comment_on_approval',
    endpoint: getEndpoint('approval.comment'),
    isListed: canRequestApproval,
    description: 'Asks or answers those who decide, or who ask.',
  }),
  createTool({
    name: 'cancel_approval',
    endpoint: getEndpoint('approval.cancel'),
    isListed: canRequestApproval,
    hints: { idempotentHint: true },
    description: 'Takes back a request of your own that nobody has decided.',
  }),
];

type Given = Readonly<Record<string, unknown>>;

/** Returns the query if it has `where`, for which bulks have another name. */
const queryWithWhere = (given: Given): Given | null => {
  const query = toObject(given['query']);
  return isObject(query) && query['where'] !== undefined && query['fields'] === undefined ? query : null;
};

/** Returns the arguments with `where` of the query by the name that bulks have for it. */
const withFieldFilters = (given: Given): Given => {
  const { where, ...rest } = queryWithWhere(given) ?? {};
  return where === undefined ? given : { ...given, query: { ...rest, fields: toObject(where) } };
};

/** Throws `invalid` for a bulk by query that does not say how many items it means; a dry run is how one learns the number. */
const requireExpect = ({ ids, query, expect, dryRun }: Given): void => {
  if ((query ?? null) === null || (ids ?? null) !== null || (expect ?? null) !== null || toBoolean(dryRun) === true)
    return;
  throw invalidAt(
    'expect',
    'is required with query: the number of items that you mean to change. The same call with dryRun: true says it as matched',
  );
};

export const bulkTools: readonly Tool[] = [
  createTool({
    name: 'bulk_items',
    endpoint: getEndpoint('bulk.create'),
    isListed: canStartBulks,
    hints: { destructiveHint: true, openWorldHint: true },
    prepare: (_, given) => {
      requireExpect(given);
      return withFieldFilters(given);
    },
    requireNew: (call, { ids, refs, operation }) => {
      const records =
        (refs ?? null) === null ? null : toList(refs).flatMap((ref) => toReference(toObject(ref))?.id ?? []);
      return requireNewBulk(call, { ids, records, operation: toObject(operation) });
    },
    givenPath: (path, given) =>
      queryWithWhere(given) === null ? path : path.replace(/^query\.fields(?=\.|$)/, 'query.where'),
    schemas: {
      ids: { type: 'array', items: { type: 'string' } },
      refs: { type: 'array', items: { type: 'object' }, description: 'Records of an action in place of items.' },
      query: { type: 'object', description: 'Filters of list_items in place of ids, where too.' },
      expect: {
        type: 'integer',
        description: 'Required with query: how many you saw (matched of dryRun); 5 % off is refused.',
      },
      operation: {
        type: 'object',
        description:
          '{type: state, state} | {type: assign, assignee} | {type: tags, add, remove} | {type: snooze, until} | {type: update, state, assignee, tags, snooze} | {type: action, action, input, confirmed}',
      },
    },
    description: 'Does one thing to many items, named by ids or query, in the background; try dryRun first.',
  }),
  createTool({
    name: 'list_bulks',
    endpoint: getEndpoint('bulk.list'),
    isListed: canStartBulks,
    say: { status: '' },
    description: 'Bulks, newest first.',
  }),
  createTool({
    name: 'get_bulk',
    endpoint: getEndpoint('bulk.get'),
    isListed: canStartBulks,
    description: 'How far a bulk is; done and cancelled are final.',
  }),
  createTool({
    name: 'get_bulk_results',
    endpoint: getEndpoint('bulk.results'),
    isListed: canStartBulks,
    say: { outcome: '' },
    description: 'What became of each item of a bulk.',
  }),
  createTool({
    name: 'cancel_bulk',
    endpoint: getEndpoint('bulk.cancel'),
    isListed: canStartBulks,
    hints: { idempotentHint: true },
    description: 'Stops what a bulk has not begun.',
  }),
  createTool({
    name: 'undo_bulk',
    endpoint: getEndpoint('bulk.undo'),
    isListed: canStartBulks,
    description: 'Undoes a bulk by a new one; what changed since stays.',
  }),
];

const ramp = {
  type: ['object', 'null'],
  description:
    '{to, over: 1d, every: 1h, at: start, guard: {inbox, tag, above, within, then: stop|rollback}}: moves the rollout by itself; more than above occurrences within a time end it; null stops it.',
};

export const flagTools: readonly Tool[] = [
  createTool({
    name: 'list_flags',
    endpoint: getEndpoint('flag.list'),
    isListed: canSeeAny('flag'),
    description: 'Feature flags: value, rollout, ramp, numbers of targets and rules.',
  }),
  createTool({
    name: 'get_flag',
    endpoint: getEndpoint('flag.get'),
    isListed: canSeeAny('flag'),
    description: 'One feature flag as it is now.',
  }),
  createTool({
    name: 'get_flag_history',
    endpoint: getEndpoint('flag.history'),
    kinds: { entries: compactFlagEntry },
    isListed: canSeeAny('flag'),
    description: 'What changed a flag, newest first, by whom and why.',
  }),
  createTool({
    name: 'change_flag',
    endpoint: getEndpoint('flag.change'),
    isListed: canChangeAnyFlag,
    own: {
      replace: Type.Optional(Type.Boolean({ description: 'True for what ends the running ramp.' })),
    },
    say: { replace: 'true: ends a running ramp.' },
    schemas: {
      change: {
        type: 'object',
        properties: {
          value: {},
          rollout: { type: ['number', 'null'], description: 'Percent.' },
          targets: { type: 'object', description: 'Values by record id, merged; null removes.' },
          rules: { type: 'array', description: 'All: {when: {field, op, value}, value | rollout}' },
          ramp,
        },
      },
    },
    hints: { destructiveHint: true, openWorldHint: true },
    description: 'Changes a feature flag for the app’s users; what change leaves out stays.',
  }),
];
