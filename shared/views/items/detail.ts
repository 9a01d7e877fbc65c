/** Reads what an item's detail is made of, and builds its parts besides the item: blocks and suggestions of its inbox and of the app, and linked records. For api/routes/items.ts. */
import type { Caller } from '../../accounts/access/principal.ts';
import { renderBlocks } from '../../app/blocks/renderBlocks.ts';
import type { Block } from '../../app/link/protocol.ts';
import { orderRecord } from '../../app/manifest/declaredOrder.ts';
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { itemSql, parseItemRow, type Item, type RecordRef } from '../../items/model.ts';
import { latestOccurrenceSql, presentOccurrence, withoutContent } from '../../items/occurrences/occurrences.ts';
import { canSeeActionReference, presentBlocks } from '../../items/presentBlocks.ts';
import { newestEntriesSql, newestEventSql, type EntryRow } from '../../items/timeline.ts';
import { evaluateCondition, fillTemplate } from '../../platform/conditions/conditions.ts';
import { queryTextRows, statement } from '../../platform/db/sql.ts';
import { idTime, isId } from '../../platform/ids.ts';
import { firstEventId } from '../../platform/journal/pastEvents.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { createTurns } from '../../platform/turns/turns.ts';
import { inReferenceOrder, recordsOfItemSql, type FullRecord } from '../../records/queries.ts';
import type { ViewDeps } from '../deps.ts';
import { fetchItemDetail, fetchLinkedRecords, type AppSuggestion } from './appDetail.ts';

/** One statement, as each further one costs as much as what it reads. */
const detailSql = statement(
  'items.detail',
  itemSql(latestOccurrenceSql, recordsOfItemSql, newestEntriesSql, newestEventSql),
);

interface StoredDetail {
  readonly item: Item;
  readonly latestOccurrence: Readonly<Record<string, unknown>>;
  /** Those that it refers to, also those that the role doesn't see. */
  readonly records: readonly FullRecord[];
  /** Those of the first page of its timeline, and one more. */
  readonly entries: readonly EntryRow[];
  /** The newest event of its timeline. */
  readonly newestEvent: number;
}

/** Returns an item with what is stored beside it; null: there is none. */
export const readStoredDetail = async (
  { db, directory }: ViewDeps,
  envId: number,
  id: string,
): Promise<StoredDetail | null> => {
  if (!isId(id, 'itm')) return null;
  const [row] = await queryTextRows(db, detailSql, [envId, id, firstEventId(directory.past(), idTime(id))]);
  if (row === undefined) return null;
  const item = parseItemRow(row);
  const [occurrence, records, entries, newestEvent] = row.slice(-4).map((text): unknown => JSON.parse(text ?? 'null'));
  const latestOccurrence = occurrence ?? presentOccurrence(withoutContent(item));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the columns of the statement are
  return {
    item,
    latestOccurrence,
    records: records ?? [],
    entries: entries ?? [],
    newestEvent: newestEvent ?? 0,
  } as StoredDetail;
};

interface SuggestedAction {
  readonly action: string;
  readonly label: string;
  readonly record: string | null;
  readonly input: unknown;
  readonly reason: string | null;
}

interface ItemPageDetail {
  readonly blocks: readonly Block[];
  readonly linked: readonly FullRecord[];
  readonly suggestedActions: readonly SuggestedAction[];
  /** Whether a part is missing because the app is offline. */
  readonly appOffline: boolean;
}

/** The values that templates and conditions of an inbox read: the item as its reader sees it, and its record if that is seen. */
interface Subject {
  readonly item: Readonly<Record<string, unknown>>;
  readonly record: FullRecord | null;
}

/** Returns the item's record and links, each once, without those that the role doesn't see. */
const linkedRefs = (
  { principal: { access } }: Caller,
  { record, links }: Item,
): (RecordRef & { readonly title?: string | null })[] =>
  [...(record === null ? [] : [record]), ...links].filter(
    (ref, i, all) =>
      access.sees('resource', ref.resource) &&
      all.findIndex((other) => other.resource === ref.resource && other.id === ref.id) === i,
  );

/** Returns the suggestions of the inbox whose condition holds. */
const declaredSuggestions = async ({ suggest }: InboxDefinition, subject: Subject): Promise<AppSuggestion[]> => {
  const inTurn = createTurns(null);
  const found: AppSuggestion[] = [];
  for (const { when, action, input, reason } of suggest)
    await inTurn(() => {
      if (when !== undefined && !evaluateCondition(when, subject)) return;
      const filled = fillTemplate(input ?? {}, subject);
      found.push({ action, input: isObject(filled) ? filled : {}, reason: reason ?? null });
    });
  return found;
};

/** Returns a suggestion as the response has it, or none for an action that the role can't run on the record. */
const toSuggestedActions = (
  { env: { definition }, principal: { access } }: Caller,
  given: AppSuggestion,
  own: FullRecord | null,
): SuggestedAction[] => {
  const action = definition.actions.get(given.action);
  if (action === undefined) return [];
  const record =
    action.resource === null ? null : (given.record ?? (own?.resource === action.resource ? own.id : null));
  if (!canSeeActionReference(definition, access, { action: action.name, record })) return [];
  return [{ action: action.name, label: action.label, record, input: given.input ?? {}, reason: given.reason ?? null }];
};

const sameSuggestion = (a: SuggestedAction, b: SuggestedAction): boolean =>
  a.action === b.action && a.record === b.record && JSON.stringify(a.input) === JSON.stringify(b.input);

/** Returns the detail of an item; `seen` is the item as the response has it. */
export const readItemDetail = async (
  deps: ViewDeps,
  caller: Caller,
  { item, latestOccurrence, records }: StoredDetail,
  seen: Readonly<Record<string, unknown>>,
): Promise<ItemPageDetail> => {
  const inbox = caller.env.definition.inboxes.get(item.inbox);
  const refs = linkedRefs(caller, item);
  const [served, app] = await Promise.all([
    fetchLinkedRecords(deps, caller, refs),
    fetchItemDetail(deps, caller, item, latestOccurrence),
  ]);
  const linked = inReferenceOrder(refs, [...records, ...served.records]).map((record) =>
    orderRecord(caller.env.definition, record),
  );
  const own = linked.find(({ resource, id }) => resource === item.record?.resource && id === item.record.id) ?? null;
  const subject: Subject = { item: seen, record: own };
  const declared = inbox === undefined ? [] : await declaredSuggestions(inbox, subject);
  const suggestions = [...declared, ...app.suggestions].flatMap((given) => toSuggestedActions(caller, given, own));
  return {
    blocks: [
      ...(inbox === undefined ? [] : await presentBlocks(deps.db, caller, renderBlocks(inbox.blocks, subject))),
      ...app.blocks,
    ],
    linked,
    suggestedActions: suggestions.filter(
      (one, i) => suggestions.findIndex((other) => sameSuggestion(one, other)) === i,
    ),
    appOffline: app.offline || served.offline,
  };
};
