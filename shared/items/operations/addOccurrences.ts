/** Decides what occurrences add to their item: their rows, their timeline entries, and the item's count, activity and content. For operations/create.ts. */
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { limits } from '../../catalogue/limits.ts';
import type { Item } from '../model.ts';
import { creationId, occurrenceJson } from '../occurrences/occurrences.ts';
import type { DecisionContext, EntryDraft, OccurrenceDraft } from '../operation.ts';

/** What one report of an item brought. */
export interface ReportedOccurrence {
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  readonly title: string;
  /** JSON text. */
  readonly data: string;
  readonly user: string | null;
}

/** Occurrences that become one change, oldest first: one, now, for a request; any number, perhaps in the past, for reports. */
export type OccurrenceBatch = readonly [ReportedOccurrence, ...ReportedOccurrence[]];

interface AddedOccurrences {
  readonly item: Item;
  readonly entries: readonly EntryDraft[];
  readonly occurrences: readonly OccurrenceDraft[];
}

/** Returns an `occurred` entry that counts from `from` to `to` and carries an occurrence. */
const occurredEntry = (from: number, to: number, occurrence: OccurrenceDraft): EntryDraft => {
  const counted = { from, to };
  return {
    type: 'occurred',
    data: { occurrences: counted, occurrence: { id: occurrence.id, at: occurrence.at } },
    shownData: `{"occurrences":${JSON.stringify(counted)},"occurrence":${occurrenceJson(occurrence)}}`,
  };
};

/** Returns an entry for each occurrence but the creation. */
const conversationEntries = (before: number, occurrences: readonly OccurrenceDraft[]): EntryDraft[] =>
  occurrences.flatMap((occurrence, i) => {
    const n = before + i;
    return n === 0 ? [] : [occurredEntry(n, n + 1, occurrence)];
  });

/** Returns the one entry of all occurrences within `limits.occurredEntryMs`, new or updated, and what the item remembers of it. */
const countedEntry = (
  item: Item,
  to: number,
  newest: OccurrenceDraft,
  { at, by, newId }: DecisionContext,
): { readonly entry: EntryDraft; readonly occurredEntry: Item['occurredEntry'] } => {
  const last = item.occurredEntry;
  const open = last?.entry;
  if (last !== null && open !== undefined && at - last.at < limits.occurredEntryMs) {
    const entry = occurredEntry(open.from, to, newest);
    return {
      entry: { ...entry, id: open.id, original: { at: last.at, actor: open.actor } },
      occurredEntry: { at: last.at, to, entry: open },
    };
  }
  const from = last?.to ?? Math.max(item.occurrences, 1);
  const id = newId('ent');
  return {
    entry: { ...occurredEntry(from, to, newest), id },
    occurredEntry: { at, to, entry: { id, from, actor: by } },
  };
};

const isOverflow = (keep: number | null, before: number, to: number): boolean =>
  keep !== null && to > keep && Math.floor(before / keep) < Math.floor(to / keep);

/** Returns the rows of the newest `keep`: the sweep would delete the others. */
const draftOccurrences = (
  item: Item,
  keep: number | null,
  happened: OccurrenceBatch,
  newId: DecisionContext['newId'],
): OccurrenceDraft[] => {
  const to = item.occurrences + happened.length;
  const overflow = isOverflow(keep, item.occurrences, to);
  const kept = keep === null ? happened : happened.slice(-keep);
  return kept.map((reported, i) => ({
    ...reported,
    id: to - kept.length + i === 0 ? creationId(item.id) : newId('occ'),
    overflow: overflow && i === kept.length - 1,
  }));
};

/** Returns the item's title and fields after the occurrences: those of the newest, where the inbox declares so and nothing newer was there. */
const contentAfter = (
  { title, fields, lastSeen }: Item,
  inbox: InboxDefinition,
  newest: OccurrenceDraft,
): Pick<Item, 'title' | 'fields'> =>
  inbox.onOccurrence.update && newest.at >= lastSeen ? { title: newest.title, fields: newest.data } : { title, fields };

/** Returns the item with further occurrences; one without any is being created. */
export const addOccurrences = (
  item: Item,
  inbox: InboxDefinition,
  happened: OccurrenceBatch,
  context: DecisionContext,
): AddedOccurrences => {
  const { keep } = inbox.onOccurrence;
  const before = item.occurrences;
  const to = before + happened.length;
  const occurrences = draftOccurrences(item, keep, happened, context.newId);
  const newest = occurrences.at(-1);
  if (newest === undefined) throw new Error('A change has at least one occurrence.');
  const counted = keep === null || to === 1 ? null : countedEntry(item, to, newest, context);
  return {
    item: {
      ...item,
      ...contentAfter(item, inbox, newest),
      occurrences: to,
      lastSeen: Math.max(item.lastSeen, newest.at),
      occurredEntry: counted?.occurredEntry ?? null,
    },
    entries: counted === null ? conversationEntries(before, occurrences) : [counted.entry],
    occurrences,
  };
};
