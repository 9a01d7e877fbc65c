/** Finds names in the pages and the blocks of a manifest that lead nowhere. For unknownNames.ts. */
import type { FaultDetail } from '../../../catalogue/errors.ts';
import { isObject } from '../../../platform/json/jsonLimits.ts';
import { didYouMean } from '../../../platform/words/nearestNames.ts';
import { hasTemplates } from '../../blocks/manifestBlocks.ts';
import { inboxNames, inboxStates } from '../inboxProblems.ts';
import type { Manifest, ManifestInbox, ManifestPage, ManifestResource } from '../manifest.ts';
import { splitLists, type BlockQuery } from '../pages/query.ts';
import { tableMeasures } from '../pages/schema.ts';
import { unknownMembers, recordMembers, schemaShape } from './shapes.ts';

/** Returns a problem unless `name` is among those that are known. One with a template is known at the request. */
const unknownName = (kind: string, name: unknown, known: readonly string[], path: string): FaultDetail[] =>
  typeof name !== 'string' || hasTemplates(name) || known.includes(name)
    ? []
    : [{ path, message: `names the ${kind} ${name.slice(0, 100)}, which is not declared${didYouMean(name, known)}` }];

const declaredProperties = ({ fields = {} }: ManifestInbox): string[] => {
  const { properties } = fields as { readonly properties?: unknown };
  return isObject(properties) ? Object.keys(properties) : [];
};

/** Returns the names in filters of items that lead nowhere: of resources and of fields. `fields` may be filtered by only where an inbox names them. */
export const unknownInItemFilters = (
  { inbox, record, fields }: { readonly inbox?: unknown; readonly record?: unknown; readonly fields?: unknown },
  path: string,
  { resources = [], inboxes = [] }: Manifest,
): FaultDetail[] => {
  const [resource] = typeof record === 'string' && !hasTemplates(record) ? record.split(':') : [];
  const named = inboxes.filter(({ name }) => name === inbox);
  const known = (named.length === 0 ? inboxes : named).flatMap(declaredProperties);
  return [
    ...unknownName(
      'resource',
      resource,
      resources.map(({ name }) => name),
      `${path}.record`,
    ),
    ...(isObject(fields) ? Object.keys(fields) : []).flatMap((name) =>
      unknownName('field', name, known, `${path}.fields.${name.slice(0, 100)}`),
    ),
  ];
};

/** Returns the names in filters of items or counts that no inbox declares which they mean. */
const unknownOfInboxes = (query: BlockQuery, path: string, { inboxes = [] }: Manifest): FaultDetail[] => {
  const named = inboxes.filter(({ name }) => name === query['inbox']);
  const split = splitLists('items', query);
  return [...inboxNames].flatMap(([filter, namesOf]) => {
    const known = (named.length === 0 ? inboxes : named).flatMap(namesOf);
    const given = split[filter];
    return (Array.isArray(given) ? given : []).flatMap((name: unknown) =>
      unknownName(filter, name, known, `${path}.${filter}`),
    );
  });
};

const fieldNames = ({ fields = [] }: ManifestResource, can: 'filter' | 'sort' | null): string[] =>
  fields.filter((field) => can === null || field[can] === true).map(({ name }) => name);

/** Returns the fields of a table of records that lead nowhere: those to filter and to sort by have to be declared so. */
const unknownInRecords = (block: BlockQuery, query: BlockQuery, path: string, manifest: Manifest): FaultDetail[] => {
  const resource = (manifest.resources ?? []).find(({ name }) => name === query['resource']);
  if (resource === undefined || block['type'] !== 'table') return [];
  const { filters, sort } = query;
  return [
    ...(isObject(filters) ? Object.keys(filters) : []).flatMap((name) =>
      unknownName('filter', name, fieldNames(resource, 'filter'), `${path}.query.filters.${name.slice(0, 100)}`),
    ),
    ...unknownName(
      'order',
      typeof sort === 'string' ? sort.replace(/^-/, '') : undefined,
      [...recordMembers.filter((name) => name !== 'subtitle'), ...fieldNames(resource, 'sort')],
      `${path}.query.sort`,
    ),
  ];
};

/** Returns what the columns of a block may be; null: anything, as the resource declares no fields. */
const knownColumns = (
  source: unknown,
  query: BlockQuery,
  { resources = [], inboxes = [] }: Manifest,
): string[] | null => {
  if (source === 'counts')
    return [
      'name',
      'label',
      ...tableMeasures,
      ...inboxes.flatMap((inbox) => inboxStates(inbox).map(({ name }) => name)),
    ];
  if (source !== 'records') return null;
  const resource = resources.find(({ name }) => name === query['resource']);
  const fields = resource === undefined ? [] : fieldNames(resource, null);
  return fields.length === 0 ? null : [...recordMembers, ...fields];
};

const unknownColumns = (block: BlockQuery, known: readonly string[] | null, path: string): FaultDetail[] => {
  const columns: readonly unknown[] = Array.isArray(block['columns']) ? block['columns'] : [];
  return known === null
    ? []
    : columns.flatMap((column, i) =>
        unknownName(
          'column',
          isObject(column) ? column['name'] : undefined,
          known,
          `${path}.columns.${String(i)}.name`,
        ),
      );
};

/** Returns the names of actions in a block that are not declared, and members that their inputs don't have. */
export const unknownActions = (block: BlockQuery, path: string, { actions = [] }: Manifest): FaultDetail[] => {
  const references: readonly unknown[] =
    block['type'] === 'actions' && Array.isArray(block['actions']) ? block['actions'] : [];
  return references.flatMap((reference, i) => {
    if (!isObject(reference)) return [];
    const at = `${path}.actions.${String(i)}`;
    const action = actions.find(({ name }) => name === reference['action']);
    return [
      ...unknownName(
        'action',
        reference['action'],
        actions.map(({ name }) => name),
        `${at}.action`,
      ),
      ...(action === undefined ? [] : unknownMembers(schemaShape(action.input), reference['input'], `${at}.input`)),
    ];
  });
};

/** Returns the names in a page's blocks that lead nowhere, besides those that the service refuses. */
export const unknownInPage = ({ blocks }: ManifestPage, path: string, manifest: Manifest): FaultDetail[] =>
  blocks.flatMap((block: BlockQuery, i) => {
    const at = `${path}.blocks.${String(i)}`;
    const { source } = block;
    const query = isObject(block['query']) ? block['query'] : {};
    if (source === 'app') return [];
    return [
      ...unknownActions(block, at, manifest),
      ...(source === 'items' || source === 'counts' ? unknownOfInboxes(query, `${at}.query`, manifest) : []),
      ...(source === 'items' ? unknownInItemFilters(query, `${at}.query`, manifest) : []),
      ...(source === 'records' ? unknownInRecords(block, query, at, manifest) : []),
      ...unknownColumns(block, knownColumns(source, query, manifest), at),
    ];
  });
