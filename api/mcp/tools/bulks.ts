/** The rows of the tools that change many items at once. */
import { isObject } from '../../../shared/platform/core/jsonLimits.ts';
import { toObject } from '../arguments/coerce.ts';
import { getEndpoint } from '../endpoints.ts';
import { requireNewBulk } from '../repeatedCalls.ts';
import { canStartBulks } from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

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

export const bulkTools: readonly Tool[] = [
  createTool({
    name: 'bulk_items',
    endpoint: getEndpoint('bulk.create'),
    isListed: canStartBulks,
    hints: { destructiveHint: true, openWorldHint: true },
    prepare: (_, given) => withFieldFilters(given),
    requireNew: (call, given) => requireNewBulk(call, { ids: given['ids'], operation: toObject(given['operation']) }),
    givenPath: (path, given) =>
      queryWithWhere(given) === null ? path : path.replace(/^query\.fields(?=\.|$)/, 'query.where'),
    schemas: {
      ids: { type: 'array', items: { type: 'string' } },
      query: { type: 'object', description: 'Filters of list_items in place of ids, where too.' },
      expect: { type: 'integer', description: 'How many you saw: refused when off by more than 5 %.' },
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
