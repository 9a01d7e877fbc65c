/**
 * Writes changes of items by one statement (writeSql.ts): changed rows (each only at the version that was decided on), their
 * events, live messages, staged jobs, bulk results and the saved response, all or nothing per item.
 * The same text with arrays of one or five hundred, and of one caller or several. For store.ts and create.ts.
 */
import { type Caller, toEventActor } from '../../accounts/access/principal.ts';
import type { StagedJob } from '../../catalogue/jobs.ts';
import type { BulkOutcome } from '../../catalogue/states/bulks.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { actorValues, queryChange, savedValues, type ChangeValues } from '../../platform/journal/changeWriter.ts';
import { actorRow } from '../../platform/journal/events.ts';
import { savedResponseRow, type SavedResponse } from '../../platform/journal/idempotency.ts';
import { itemLexemes, type WordsRow } from '../search/itemWords.ts';
import { eventRowsJson, type DecidedChange, type EventBatch } from './eventBatch.ts';
import {
  columnsCreated,
  columnsUnreplaced,
  columnsUpdated,
  itemChange,
  itemRowsJson,
  itemRowStart,
  livePartSeparator,
} from './writeSql.ts';

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

const callerColumns = ({ caller, at, verb }: ItemWrite): object => ({
  at,
  verb,
  ...actorRow(toEventActor(caller)),
  traceparent: caller.span?.traceparent,
});

const gatheredItemsJson = (env: number, writes: readonly ItemWrite[]): string => {
  const rows = writes.flatMap((write) => {
    const caller = JSON.stringify(callerColumns(write)).slice(1);
    return write.changed.map(
      ({ before, effect }) => `${itemRowStart(env, effect.item, columnsUnreplaced, before?.claim)},${caller}`,
    );
  });
  return `[${rows.join(',')}]`;
};

/** Returns an object as JSON with one member more, whose value is JSON already. */
const withJsonMember = (object: object, name: string, value: string): string =>
  `${JSON.stringify(object).slice(0, -1)},"${name}":${value}}`;

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
  const isGathered = others.length > 0;
  const isNew = changed.some(({ before }) => before === null);
  const replaced = {
    content: occurrences !== null && changed.some(replacesContent),
    links: changed.some(changesLinks),
  };
  const kind = isNew ? 'create' : isGathered ? 'gathered' : changed.length > 1 ? 'many' : 'one';
  const json = (rows: readonly object[]): string => JSON.stringify(rows);
  const values: ChangeValues = {
    env: envId,
    items: isGathered
      ? gatheredItemsJson(envId, writes)
      : itemRowsJson(
          envId,
          changed.map(({ before, effect: { item } }) => ({ item, held: before?.claim })),
          isNew ? columnsCreated : columnsUpdated(replaced),
        ),
    events: eventRowsJson(writes.map(({ events }) => events)),
    live: writes.flatMap(({ events }) => events.liveParts).join(livePartSeparator),
    users: json(users),
    occurrences,
    texts: json(texts),
    jobs: json(jobs),
    bulk: results?.bulk,
    results: json(results?.rows ?? []),
    deliveries: json(deliveries),
    ...(isGathered
      ? { saved: savedOfMany(writes) }
      : {
          at,
          verb,
          trace: caller.span?.traceparent,
          ...actorValues(toEventActor(caller)),
          ...savedValues(first.saved),
        }),
  };
  const has = {
    met: users.length > 0,
    occurred: occurrences !== null,
    indexed: texts.length > 0,
    staged: jobs.length > 0,
    resulted: results !== null,
    delivered: deliveries.length > 0,
    kept: writes.some(({ saved }) => saved !== null),
  };
  const written = await queryChange<{ id: string }>(db, itemChange(kind, replaced), values, { has });
  return new Set(written.map((row) => row.id));
};
