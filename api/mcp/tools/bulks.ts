/** The rows of the tools that change many items at once. */
import { invalidAt } from '../../../shared/catalogue/errors.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { toBoolean, toList, toObject } from '../arguments/coerce.ts';
import { toReference } from '../arguments/recordRefs.ts';
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
