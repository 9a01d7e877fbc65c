/**
 * The one statement by which items change: changed rows (each only at the version that was decided on), their
 * events, live messages, staged jobs, bulk results and the saved response, all or nothing per item.
 * The same text with arrays of one or five hundred. For perform.ts and create.ts.
 */
import type { Caller } from '../../access/principal.ts';
import type { StagedJob } from '../../catalogue/jobs.ts';
import type { BulkOutcome } from '../../catalogue/states/bulks.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRows, type SqlValue } from '../../platform/db/sql.ts';
import { actorValues, toEventActor } from '../../platform/journal/events.ts';
import { savedResponseValues, type SavedResponse } from '../../platform/journal/idempotency.ts';
import type { Item } from '../model.ts';
import { itemTerms } from '../terms.ts';
import type { DecidedChange, EventBatch } from './eventBatch.ts';
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

interface ItemWriteBatch {
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

const itemsJson = (env: number, changed: readonly DecidedChange[], { create, content }: WriteShape): string => {
  const items = changed.map(({ effect }) => effect.item);
  if (create) return `[${items.map((item) => wholeRowJson(env, item)).join(',')}]`;
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

const jobJson =
  (caller: Caller, at: number) =>
  ({ item, job }: { item: string; job: StagedJob }): object => ({
    id: job.id,
    item,
    name: job.name,
    payload: job.payload,
    subject: job.subject,
    request_id: caller.requestId,
    due_at: job.dueAt,
    created_at: at,
  });

/** Writes a batch and returns the ids of the items that were still at the version that was decided on. */
export const writeItemBatch = async (
  db: Db | Tx,
  caller: Caller,
  batch: ItemWriteBatch,
  at: number,
): Promise<Set<string>> => {
  const { changed, events: told, saved, results, deliveries = [] } = batch;
  const users = changed.flatMap(({ effect }) => (effect.users ?? []).map((who) => ({ item: effect.item.id, who })));
  const occurrences = occurrencesJson(changed);
  const jobs = changed.flatMap(({ effect }) => (effect.jobs ?? []).map((job) => ({ item: effect.item.id, job })));
  const shape: WriteShape = {
    create: changed.some(({ before }) => before === null),
    many: changed.length > 1,
    users: users.length > 0,
    jobs: jobs.length > 0,
    saved: saved !== null,
    results: results !== null,
    deliveries: deliveries.length > 0,
    occurrences: occurrences !== null,
    content: occurrences !== null && changed.some(replacesContent),
  };
  const { env } = caller;
  const values: SqlValue[] = [
    env.id,
    itemsJson(env.id, changed, shape),
    `[${told.rows.join(',')}]`,
    told.liveParts.join(livePartSeparator),
    at,
    batch.verb,
    ...actorValues(toEventActor(caller)),
  ];
  if (shape.users) values.push(JSON.stringify(users));
  if (occurrences !== null) values.push(occurrences);
  if (shape.jobs) values.push(JSON.stringify(jobs.map(jobJson(caller, at))));
  if (results !== null) values.push(results.bulk, JSON.stringify(results.rows));
  if (shape.deliveries) values.push(JSON.stringify(deliveries));
  if (saved !== null) values.push(...savedResponseValues(saved));
  const written = await queryRows<{ id: string }>(db, getWriteStatement(shape), values);
  return new Set(written.map((row) => row.id));
};
