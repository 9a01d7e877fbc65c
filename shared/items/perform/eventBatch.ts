/** The events of changes: audit and timeline rows, live messages, and differences of the counts of their inboxes. */
import { fullAccess } from '../../accounts/access/access.ts';
import { reasonMember, toActorRef, type Caller } from '../../accounts/access/principal.ts';
import { itemMembers, memberNames } from '../../app/items/members.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import { messagesPerRow } from '../../platform/journal/inserts.ts';
import type { Item } from '../model.ts';
import type { EntryDraft, ItemEffect } from '../operation.ts';
import { itemJson } from '../present.ts';

/** A decision that is about to be written; `before` null: a new item. */
export interface DecidedChange {
  readonly before: Item | null;
  readonly effect: ItemEffect;
}

/** The members of a change that the audit log shows: all but those that perform sets itself and those that only the service reads. */
const auditedMembers = memberNames.filter((name) => itemMembers[name].audited);

const isSameValue = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));

type Members = Record<string, unknown>;

/** Returns the members whose values a change replaced, before and after it. */
const changedMembers = (before: Item | null, after: Item): { before: Members | null; after: Members } => {
  const was: Members = {};
  const is: Members = {};
  for (const member of auditedMembers) {
    if (before !== null && isSameValue(before[member], after[member])) continue;
    if (member === 'links' && before === null && after.links.length === 0) continue;
    is[member] = member === 'fields' ? (JSON.parse(after.fields) as unknown) : after[member];
    if (before !== null) was[member] = member === 'fields' ? (JSON.parse(before.fields) as unknown) : before[member];
  }
  return { before: before === null ? null : was, after: is };
};

/** Returns whether the item is work now: neither closed nor snoozed. */
const isActive = (item: Item | null): boolean => item !== null && !item.closed && item.snoozedUntil === null;

/** Tags are counted in a table of their own, into which the publisher moves measures of this form. */
const tagMeasure = (tag: string): string => `#${tag}`;

/** Returns the differences of the counts of the item's inbox: measure → +1 or −1. */
const countDeltas = (before: Item | null, after: Item): Record<string, number> => {
  const deltas: Record<string, number> = {};
  const move = (measure: string, was: boolean, is: boolean): void => {
    if (was !== is) deltas[measure] = is ? 1 : -1;
  };
  move('total', before !== null, true);
  if (before !== null) move(`=${before.state}`, true, before.state === after.state);
  move(`=${after.state}`, before?.state === after.state, true);
  move('unassigned', before !== null && before.assignee === null, after.assignee === null);
  move('claimed', before !== null && before.claim !== null, after.claim !== null);
  move('snoozed', before !== null && before.snoozedUntil !== null, after.snoozedUntil !== null);
  move('triaged', before !== null && before.triaged, after.triaged);
  const wasActive = isActive(before);
  const nowActive = isActive(after);
  move('active', wasActive, nowActive);
  move('activeUnassigned', wasActive && before?.assignee === null, nowActive && after.assignee === null);
  const formerTags = before?.tags ?? [];
  if (formerTags !== after.tags) {
    for (const tag of formerTags) move(tagMeasure(tag), true, after.tags.includes(tag));
    for (const tag of after.tags) move(tagMeasure(tag), formerTags.includes(tag), true);
  }
  return deltas;
};

/** Returns the deadline that can become overdue. */
const effectiveDeadline = (item: Item | null): number | null => (item === null || item.closed ? null : item.dueAt);
/** Returns the deadline of an item that is work now: neither closed nor snoozed. */
export const activeDeadline = (item: Item | null): number | null => (isActive(item) ? (item?.dueAt ?? null) : null);

export interface WrittenEntry {
  readonly id: string;
  readonly item: string;
  readonly type: string;
  readonly at: number;
  readonly actor: ActorRef;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A row for `events`, less what all of a batch have in common. */
interface EventRow {
  /** A JSON object without its closing brace. */
  readonly json: string;
  /** The live messages that it emits, by their number from 1 on; null: none. */
  readonly live: number | null;
}

/** The events and live parts of a batch of changes. */
export interface EventBatch {
  readonly rows: readonly EventRow[];
  /** Live messages as JSON text, arrays of them, which rows emit. */
  readonly liveParts: readonly string[];
  /** Returns whether a row updates an entry that exists. */
  readonly hasUpdates: () => boolean;
  /** Adds the events of a change: its first row has the audit entry and the live messages, each further one a timeline entry. */
  readonly add: (decided: DecidedChange) => WrittenEntry[];
}

/** Returns the rows of some batches as JSON; the numbers of their live messages count over all batches. */
export const eventRowsJson = (batches: readonly EventBatch[]): string => {
  let before = 0;
  const rows: string[] = [];
  for (const { rows: own, liveParts } of batches) {
    for (const { json, live } of own)
      rows.push(live === null ? `${json}}` : `${json},"live":${String(before + live)}}`);
    before += liveParts.length;
  }
  return `[${rows.join(',')}]`;
};

/** An entry of a change as it is written: who reads it gets `shown`. Both are JSON text. */
interface EntryText {
  readonly entry: WrittenEntry;
  readonly isUpdate: boolean;
  readonly stored: string;
  readonly shown: string;
}

const entryMessage = (
  { entry: { id, item, type, at }, isUpdate, shown }: EntryText,
  inbox: string,
  by: string,
): string =>
  `{"type":"timeline","inbox":"${inbox}","change":"${isUpdate ? 'changed' : 'created'}","item":"${item}","entry":{"id":"${id}","item":"${item}","type":"${type}","at":${String(at)},"actor":${by},"data":${shown}}}`;

/** Returns the live message of an item's claim. */
export const claimMessage = ({ id, inbox, claim }: Pick<Item, 'id' | 'inbox' | 'claim'>): string =>
  `{"type":"claim","inbox":"${inbox}","item":"${id}","claim":${JSON.stringify(claim)}}`;

const entryColumns = (text: EntryText | undefined): string =>
  text === undefined
    ? ''
    : `,"entry":"${text.entry.id}","type":"${text.entry.type}","data":${text.stored}${text.isUpdate ? ',"is_update":true' : ''}`;

/** Texts are put together around parts that are JSON already; names and ids hold no sign that JSON would escape. */
export const createEventBatch = (
  caller: Caller,
  at: number,
  newEntryId: () => string,
  knew: object | null = null,
): EventBatch => {
  const actor = toActorRef(caller.principal);
  const by = JSON.stringify(actor);
  const decided = {
    ...(caller.approvedBy === undefined ? {} : { approvedBy: caller.approvedBy }),
    ...reasonMember(caller),
    ...(knew === null ? {} : { knew }),
  };
  const isPlain = Object.keys(decided).length === 0;
  const decidedText = JSON.stringify(decided).slice(1, -1);
  const rows: EventRow[] = [];
  const live: string[] = [];
  let updates = false;

  const toText = (item: string, { id, original, type, data: given, shownData }: EntryDraft): EntryText => {
    const data = isPlain ? given : { ...given, ...decided };
    const stored = JSON.stringify(data);
    const shown = shownData === undefined || isPlain ? shownData : `${shownData.slice(0, -1)},${decidedText}}`;
    updates ||= original !== undefined;
    return {
      entry: {
        id: id ?? newEntryId(),
        item,
        type,
        at: original?.at ?? at,
        actor: original?.actor ?? actor,
        data,
      },
      isUpdate: original !== undefined,
      stored,
      shown: shown ?? stored,
    };
  };

  const add = ({ before, effect: { item, entries } }: DecidedChange): WrittenEntry[] => {
    const written = entries.map((draft) => toText(item.id, draft));
    const told = written.map((text) =>
      entryMessage(text, item.inbox, text.isUpdate ? JSON.stringify(text.entry.actor) : by),
    );
    const own = `{"type":"item","inbox":"${item.inbox}","change":"${before === null ? 'created' : 'changed'}","item":${itemJson(item, fullAccess)},"by":${by}}`;
    const released = before !== null && before.claim !== null && item.claim === null ? [claimMessage(item)] : [];
    live.push(`[${[own, ...released, ...told.slice(0, messagesPerRow)].join(',')}]`);

    const changed = changedMembers(before, item);
    const audit = JSON.stringify({
      before: changed.before ?? undefined,
      after: { ...changed.after, ...decided },
      deltas: countDeltas(before, item),
      due_from: effectiveDeadline(before),
      due_to: effectiveDeadline(item),
      awake_from: activeDeadline(before),
      awake_to: activeDeadline(item),
    });
    rows.push({
      json: `{"n":0,"item":"${item.id}","inbox":"${item.inbox}"${entryColumns(written[0])},${audit.slice(1, -1)}`,
      live: live.length,
    });
    for (let n = 1; n < written.length; n++) {
      const emits = n % messagesPerRow === 0;
      if (emits) live.push(`[${told.slice(n, n + messagesPerRow).join(',')}]`);
      rows.push({
        json: `{"n":${String(n)},"item":"${item.id}","inbox":"${item.inbox}"${entryColumns(written[n])}`,
        live: emits ? live.length : null,
      });
    }
    return written.map(({ entry }) => entry);
  };
  return {
    rows,
    liveParts: live,
    hasUpdates: () => updates,
    add,
  };
};
