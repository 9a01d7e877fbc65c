/**
 * The one statement by which items change: changed rows (each only at the version that was decided on), their
 * events, live messages, staged jobs, bulk results and the saved response, all or nothing per item.
 * The same text with arrays of one or five hundred, and of one caller or several. For store.ts and create.ts.
 */
import type { Caller } from '../../access/principal.ts';
import type { StagedJob } from '../../catalogue/jobs.ts';
import type { BulkOutcome } from '../../catalogue/states/bulks.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRows, type SqlValue } from '../../platform/db/sql.ts';
import { actorRow, actorValues, toEventActor } from '../../platform/journal/events.ts';
import { savedResponseRow, savedResponseValues, type SavedResponse } from '../../platform/journal/idempotency.ts';
import { itemLexemes, type WordsRow } from '../itemWords.ts';
import type { Item } from '../model.ts';
import { itemTerms } from '../terms.ts';
import { eventRowsJson, type DecidedChange, type EventBatch } from './eventBatch.ts';
import { getWriteStatement, itemTermSeparator, livePartSeparator, type WriteShape } from './writeSql.ts';

/** One result of a bulk. `changed` counts only if the item was really written, and gets the audit entry's before and after. */
export interface BulkResultInsert {
  readonly seq: number;
  readonly item: string;
  readonly outcome: BulkOutcome;
  readonly error?: string;
  readonly code?: string;
}

/** The saved response of a report's delivery. */
interface DeliveryRow {
  readonly delivery: string;
  readonly item: string;
  readonly created: boolean;
}

/** What one caller changes at once. */
export interface ItemWrite {
  readonly caller: Caller;
  /** Epoch ms. */
  readonly at: number;
  /** What the audit log calls it. */
  readonly verb: string;
  readonly changed: readonly DecidedChange[];
  readonly events: EventBatch;
  readonly saved: SavedResponse | null;
  readonly results: { readonly bulk: string; readonly rows: readonly BulkResultInsert[] } | null;
  /** Of reports: a delivery that is there already undoes the whole statement. */
  readonly deliveries?: readonly DeliveryRow[];
}

/** Returns the members that any change may change, as the update reads them. */
const changingColumns = (env: number, item: Item): object => ({
  id: item.id,
  version: item.version,
  state: item.state,
  closed: item.closed,
  tags: item.tags.join(','),
  assignee: item.assignee,
  occurrences: item.occurrences,
  users: item.users,
  last_seen: item.lastSeen,
  due_at: item.dueAt,
  snoozed_until: item.snoozedUntil,
  triaged: item.triaged,
  triage: item.triage ?? undefined,
  occurred_entry: item.occurredEntry ?? undefined,
  updated_at: item.updatedAt,
  terms: itemTerms(env, item).join(itemTermSeparator),
});

/** Returns an object as JSON with one member more, whose value is JSON already. */
const withJsonMember = (object: object, name: string, value: string): string =>
  `${JSON.stringify(object).slice(0, -1)},"${name}":${value}}`;

const contentColumns = ({ title }: Item): object => ({ title, title_key: title.toLowerCase() });

/** Returns a whole new item as JSON. */
const wholeRowJson = (env: number, item: Item): string => {
  const rest = {
    ...changingColumns(env, item),
    ...contentColumns(item),
    inbox: item.inbox,
    record_resource: item.record?.resource,
    record_id: item.record?.id,
    record_title: item.record?.title,
    links: item.links,
    first_seen: item.firstSeen,
    key: item.key,
    created_at: item.createdAt,
  };
  return withJsonMember(rest, 'fields', item.fields);
};

const callerColumns = ({ caller, at, verb }: ItemWrite): object => ({
  at,
  verb,
  ...actorRow(toEventActor(caller)),
  traceparent: caller.span?.traceparent,
});

const gatheredItemsJson = (env: number, writes: readonly ItemWrite[]): string =>
  JSON.stringify(
    writes.flatMap((write) => {
      const columns = callerColumns(write);
      return write.changed.map(({ effect }) => ({ ...changingColumns(env, effect.item), ...columns }));
    }),
  );

const itemsJson = (env: number, changed: readonly DecidedChange[], { create, content, links }: WriteShape): string => {
  const items = changed.map(({ effect }) => effect.item);
  if (create) return `[${items.map((item) => wholeRowJson(env, item)).join(',')}]`;
  if (links) return JSON.stringify(items.map((item) => ({ ...changingColumns(env, item), links: item.links })));
  if (!content) return JSON.stringify(items.map((item) => changingColumns(env, item)));
  return `[${items.map((item) => withJsonMember({ ...changingColumns(env, item), ...contentColumns(item) }, 'fields', item.fields)).join(',')}]`;
};

/** Returns rows for `occurrences` as JSON, or null when the batch has none. */
const occurrencesJson = (changed: readonly DecidedChange[]): string | null => {
  const rows = changed.flatMap(({ effect: { item, occurrences = [] } }) =>
    occurrences.map(({ id, at, title, data, user, overflow }) =>
      withJsonMember({ item: item.id, at, id, title, who: user, overflow }, 'data', data),
    ),
  );
  return rows.length === 0 ? null : `[${rows.join(',')}]`;
};

const replacesContent = ({ before, effect: { item } }: DecidedChange): boolean =>
  before !== null && (before.title !== item.title || before.fields !== item.fields);

const changesLinks = ({ before, effect: { item } }: DecidedChange): boolean =>
  before !== null && before.links !== item.links;

/** Returns the rows of item_words: of new items, and of those whose content is replaced. A sweep adds the words of further texts. */
const wordsRows = ({ env }: Caller, changed: readonly DecidedChange[]): WordsRow[] =>
  changed
    .filter((change) => change.before === null || replacesContent(change))
    .map(({ effect: { item } }) => ({
      item: item.id,
      source: '',
      words: itemLexemes(env.id, item.inbox, item.title, item.fields),
    }));

const jobRow = (caller: Caller, at: number, { item, job }: { item: string; job: StagedJob }): object => ({
  id: job.id,
  item,
  name: job.name,
  payload: job.payload,
  subject: job.subject,
  request_id: caller.requestId,
  traceparent: caller.span?.traceparent,
  due_at: job.dueAt,
  created_at: at,
});

const isTraced = ({ span = null }: Caller): boolean => span !== null;

const savedOfMany = (writes: readonly ItemWrite[]): string =>
  JSON.stringify(
    writes.flatMap(({ at, changed: [change], saved }) =>
      saved === null || change === undefined ? [] : [{ item: change.effect.item.id, at, ...savedResponseRow(saved) }],
    ),
  );

/** Returns whether a write may share its statement with those of other callers: a change of one item, without what only few have. */
export const canBeGathered = ({ changed, results, deliveries = [] }: ItemWrite): boolean =>
  results === null &&
  deliveries.length === 0 &&
  changed.length === 1 &&
  changed.every(
    (change) =>
      change.before !== null &&
      !changesLinks(change) &&
      (change.effect.users ?? []).length === 0 &&
      (change.effect.occurrences ?? []).length === 0,
  );

/** Returns the rows of all writes, each with what it has from its caller. */
const rowsOf = (writes: readonly ItemWrite[]) => {
  const changed = writes.flatMap((write) => write.changed);
  return {
    changed,
    users: changed.flatMap(({ effect }) => (effect.users ?? []).map((who) => ({ item: effect.item.id, who }))),
    occurrences: occurrencesJson(changed),
    texts: writes.flatMap((write) => wordsRows(write.caller, write.changed)),
    jobs: writes.flatMap(({ caller, at, changed: own }) =>
      own.flatMap(({ effect }) => (effect.jobs ?? []).map((job) => jobRow(caller, at, { item: effect.item.id, job }))),
    ),
    deliveries: writes.flatMap(({ deliveries = [] }) => deliveries),
  };
};

/**
 * Writes the changes of one caller, or of several of one environment, who have one each (`canBeGathered`). Returns the ids
 * of the items that were still at the version that was decided on, and of several callers were not locked by another.
 */
export const writeItems = async (
  db: Db | Tx,
  first: ItemWrite,
  others: readonly ItemWrite[] = [],
): Promise<Set<string>> => {
  const writes = [first, ...others];
  const { caller, at, verb, results } = first;
  const envId = caller.env.id;
  const { changed, users, occurrences, texts, jobs, deliveries } = rowsOf(writes);
  const shape: WriteShape = {
    gathered: others.length > 0,
    create: changed.some(({ before }) => before === null),
    many: changed.length > 1,
    users: users.length > 0,
    jobs: jobs.length > 0,
    saved: writes.some(({ saved }) => saved !== null),
    results: results !== null,
    deliveries: deliveries.length > 0,
    occurrences: occurrences !== null,
    content: occurrences !== null && changed.some(replacesContent),
    links: changed.some(changesLinks),
    texts: texts.length > 0,
    traced: writes.some((write) => isTraced(write.caller)),
  };
  const values: SqlValue[] = [
    envId,
    shape.gathered ? gatheredItemsJson(envId, writes) : itemsJson(envId, changed, shape),
    eventRowsJson(writes.map(({ events }) => events)),
    writes.flatMap(({ events }) => events.liveParts).join(livePartSeparator),
  ];
  if (!shape.gathered) values.push(at, verb, ...actorValues(toEventActor(caller)));
  if (shape.traced && !shape.gathered) values.push(caller.span?.traceparent ?? null);
  if (shape.users) values.push(JSON.stringify(users));
  if (occurrences !== null) values.push(occurrences);
  if (shape.texts) values.push(JSON.stringify(texts));
  if (shape.jobs) values.push(JSON.stringify(jobs));
  if (results !== null) values.push(results.bulk, JSON.stringify(results.rows));
  if (shape.deliveries) values.push(JSON.stringify(deliveries));
  if (shape.saved && shape.gathered) values.push(savedOfMany(writes));
  else if (first.saved !== null) values.push(...savedResponseValues(first.saved));
  const written = await queryRows<{ id: string }>(db, getWriteStatement(shape), values);
  return new Set(written.map((row) => row.id));
};
