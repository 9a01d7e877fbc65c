/** The compact forms of what happens: items, entries, records, runs, approvals, flags, bulks. Used by compact.ts. */
import { eachEdited, editedNames } from '../../../shared/app/items/members.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { type Members, objectsIn, omitMembers, pickMembers, withoutEmpty } from './members.ts';

export const nameOf = (actor: unknown): unknown => (isObject(actor) ? actor['name'] : actor);

/** Numbers that are 1 or 0 of most items say nothing. */
const above = (value: unknown, least: number): unknown => (typeof value === 'number' && value > least ? value : null);

export const compactItem = (item: Members): Members =>
  withoutEmpty({
    ...pickMembers(item, ['id', 'inbox', 'title', 'state']),
    ...eachEdited((name, { usual }) => (item[name] === usual ? null : item[name])),
    ...pickMembers(item, ['assignee', 'delegate', 'tags']),
    claim: isObject(item['claim']) ? { ...item['claim'], by: nameOf(item['claim']['by']) } : null,
    record: isObject(item['record']) ? withoutEmpty(item['record']) : null,
    occurrences: above(item['occurrences'], 1),
    users: above(item['users'], 1),
    ...pickMembers(item, ['lastSeen', 'dueAt', 'snoozedUntil']),
    triaged: item['triaged'] === true ? true : null,
    version: item['version'],
  });

/** An item with what was reported. */
export const compactWholeItem = (item: Members): Members =>
  withoutEmpty({
    ...compactItem(item),
    firstSeen: item['firstSeen'] === item['lastSeen'] ? null : item['firstSeen'],
    fields: item['fields'],
  });

/** What a change of an item leaves: enough to know it and to go on with it. */
export const itemReceipt = (item: Members): Members =>
  pickMembers(item, ['id', 'title', 'state', ...editedNames, 'assignee', 'tags', 'snoozedUntil', 'version']);

/** Entries whose later end is looked up by their ids. */
const entriesWithEnds = new Set<unknown>(['reply', 'action', 'approval']);
/** Entries of changes that update_item undoes by their ids. */
const undoableEntries = new Set<unknown>([
  'state',
  'assigned',
  'tags',
  'snoozed',
  'linked',
  'unlinked',
  'edited',
  'delegated',
]);

const entryData = (data: Members): Members => {
  const { occurrence, occurrences, approvedBy, ...rest } = data;
  return {
    ...withoutEmpty(rest),
    ...(isObject(approvedBy) ? { approvedBy: nameOf(approvedBy) } : {}),
    ...(isObject(occurrences) ? { occurrences: occurrences['to'] } : {}),
    ...(isObject(occurrence) ? pickMembers(occurrence, ['title', 'data', 'user']) : {}),
  };
};

const shownEntry = (entry: Members, hasId: boolean): Members => {
  const { id, at, type, actor, data } = entry;
  return withoutEmpty({
    at,
    type,
    by: nameOf(actor),
    ...(isObject(data) ? entryData(data) : {}),
    ...(hasId ? { id } : {}),
  });
};

/** Returns whether an entry is looked up or undone by its id. */
const isNamed = ({ type }: Members): boolean => entriesWithEnds.has(type) || undoableEntries.has(type);

export const compactEntry = (entry: Members): Members => shownEntry(entry, isNamed(entry));

/** Returns an entry that the caller's own change has written, without the members that the caller knows. */
export const entryReceipt = (entry: Members): Members =>
  omitMembers(compactEntry(entry), ['at', 'by', 'reason', 'subject', 'text']);

/** Returns a message of the live stream, with the time of its entry where the two differ. */
export const compactChange = (change: Members): Members => {
  const { entry, entries, at, ...rest } = omitMembers(change, ['offset', 'prev']);
  const isNew = rest['change'] === 'created' && rest['type'] === 'timeline';
  const shown = isNew ? omitMembers(rest, ['change']) : rest;
  const written = objectsIn(entries ?? [entry]);
  const [first] = written;
  if (first === undefined) return { ...rest, at };
  // Each of several items has an entry of its own.
  const show = (one: Members): Members => shownEntry(one, isNamed(one) && rest['items'] === undefined);
  const { at: entryAt, ...happened } = show(first);
  if (!Array.isArray(entries)) return { ...shown, at, entry: entryAt === at ? happened : { at: entryAt, ...happened } };
  // What one request has written has one author and one reason.
  const { by, reason } = happened;
  return {
    ...shown,
    at,
    ...withoutEmpty({ by, reason }),
    entries: written.map((one) => omitMembers(show(one), ['at', 'by', 'reason'])),
  };
};

/** Returns a group of a summary without the members that say nothing; the key null is that of what has none. */
export const compactGroup = (group: Members): Members => ({
  key: group['key'],
  ...withoutEmpty({
    ...group,
    label: group['label'] === group['key'] ? null : group['label'],
    unassigned: above(group['unassigned'], 0),
    overdue: above(group['overdue'], 0),
  }),
});

export const compactRecord = (record: Members): Members => omitMembers(record, ['updatedAt']);

/** Returns a search result with the members by which it is chosen. */
export const compactResult = (result: Members): Members => {
  const { record, matched, ...rest } = result;
  if (!isObject(record)) return withoutEmpty(result);
  return withoutEmpty({
    ...rest,
    record: omitMembers(record, ['fields', 'updatedAt']),
    matched: matched === record['title'] ? null : matched,
  });
};

export const compactRun = (run: Members): Members =>
  withoutEmpty({
    ...pickMembers(run, [
      'id',
      'action',
      'status',
      'resource',
      'record',
      'item',
      'input',
      'progress',
      'message',
      'error',
      'code',
    ]),
    by: nameOf(run['by']),
    ...pickMembers(run, ['approval', 'bulk', 'requestedAt', 'finishedAt', 'expiresAt', 'blocks']),
  });

const compactRamp = (ramp: Members): Members =>
  pickMembers(ramp, ['status', 'from', 'to', 'over', 'every', 'step', 'steps', 'startedAt', 'nextAt', 'guard']);

export const compactFlag = (flag: Members): Members => {
  const { targets, rules, ramp } = flag;
  return withoutEmpty({
    ...pickMembers(flag, ['flag', 'kind', 'value', 'rollout']),
    targets: isObject(targets) ? Object.keys(targets).length || null : null,
    rules: Array.isArray(rules) ? rules.length || null : null,
    ramp: isObject(ramp) ? compactRamp(ramp) : null,
    approval: flag['approval'] === true ? true : null,
    ...pickMembers(flag, ['danger', 'description', 'version']),
  });
};

/** Returns a change of a flag: who made what of it, and why. */
export const compactFlagEntry = (entry: Members): Members =>
  withoutEmpty({ ...omitMembers(entry, ['id', 'by']), by: nameOf(entry['by']) });

export const compactBulk = (bulk: Members): Members => ({
  ...pickMembers(bulk, ['id', 'status', 'operation', 'total', 'done', 'changed', 'unchanged', 'failed']),
  by: nameOf(bulk['by']),
  ...pickMembers(bulk, ['undoOf', 'finishedAt']),
});

/** Rows of one block, the first ones, and points of a series, the newest ones, with how many there are. */
const blockRows = 10;

const someOf = (name: string, value: unknown, part: 'first' | 'last' = 'first'): Members => {
  if (!Array.isArray(value) || value.length <= blockRows) return { [name]: value };
  return {
    [name]: part === 'first' ? value.slice(0, blockRows) : value.slice(-blockRows),
    [`${name}Of`]: value.length,
  };
};

export const compactBlock = (block: Members): Members => {
  const { type, title, fields, columns, rows, series, items, ...rest } = block;
  return withoutEmpty({
    type,
    title,
    ...rest,
    ...(Array.isArray(fields)
      ? { fields: Object.fromEntries(objectsIn(fields).map(({ label, value }) => [String(label), value])) }
      : {}),
    ...(Array.isArray(columns) ? { columns: objectsIn(columns).map(({ name }) => name) } : {}),
    ...someOf('rows', rows),
    ...(Array.isArray(series)
      ? { series: objectsIn(series).map(({ name, points }) => ({ name, ...someOf('points', points, 'last') })) }
      : {}),
    ...(Array.isArray(items) ? someOf('items', objectsIn(items).map(compactItem)) : {}),
  });
};

/** The counts of one inbox that are not 0; its states stand in the full form. */
export const compactCounts = (counts: Members): Members =>
  Object.fromEntries(
    Object.entries(counts)
      .filter(([name, value]) => value !== 0 && name !== 'byState')
      .map(([name, value]) => [name, isObject(value) ? compactCounts(value) : value]),
  );
