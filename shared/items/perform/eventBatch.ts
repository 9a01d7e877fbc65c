/** The events of changes: audit and timeline rows, live messages, and differences of the counts of their inboxes. */
import { fullAccess } from '../../access/access.ts';
import { toActorRef, type Caller } from '../../access/principal.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import type { Item } from '../model.ts';
import type { ItemEffect } from '../operation.ts';
import { itemJson } from '../present.ts';

/** A decision that is about to be written; `before` null: a new item. */
export interface DecidedChange {
  readonly before: Item | null;
  readonly effect: ItemEffect;
}

/** The members of a change that the audit log shows: all but those that perform sets itself and those that only the service reads. */
const auditedMembers = [
  'id',
  'inbox',
  'title',
  'state',
  'record',
  'tags',
  'assignee',
  'occurrences',
  'users',
  'firstSeen',
  'lastSeen',
  'dueAt',
  'fields',
  'snoozedUntil',
  'triaged',
  'triage',
  'createdAt',
] as const satisfies readonly (keyof Item)[];

const isSameValue = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));

type Members = Record<string, unknown>;

/** Returns the members whose values a change replaced, before and after it. */
const changedMembers = (before: Item | null, after: Item): { before: Members | null; after: Members } => {
  const was: Members = {};
  const is: Members = {};
  for (const member of auditedMembers) {
    if (before !== null && isSameValue(before[member], after[member])) continue;
    is[member] = member === 'fields' ? (JSON.parse(after.fields) as unknown) : after[member];
    if (before !== null) was[member] = member === 'fields' ? (JSON.parse(before.fields) as unknown) : before[member];
  }
  return { before: before === null ? null : was, after: is };
};

/** Returns the differences of the counts of the item's inbox: measure → +1 or −1. */
export const countDeltas = (before: Item | null, after: Item): Record<string, number> => {
  const deltas: Record<string, number> = {};
  const move = (measure: string, was: boolean, is: boolean): void => {
    if (was !== is) deltas[measure] = is ? 1 : -1;
  };
  move('total', before !== null, true);
  if (before !== null) move(`=${before.state}`, true, before.state === after.state);
  move(`=${after.state}`, before?.state === after.state, true);
  move('unassigned', before !== null && before.assignee === null, after.assignee === null);
  move('snoozed', before !== null && before.snoozedUntil !== null, after.snoozedUntil !== null);
  move('triaged', before !== null && before.triaged, after.triaged);
  return deltas;
};

/** Returns the deadline that can become overdue. */
const effectiveDeadline = (item: Item | null): number | null => (item === null || item.closed ? null : item.dueAt);

export interface WrittenEntry {
  readonly id: string;
  readonly item: string;
  readonly type: string;
  readonly at: number;
  readonly actor: ActorRef;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The events and live parts of a batch of changes. */
export interface EventBatch {
  /** Rows for `events` as JSON, less what all of a batch have in common. */
  readonly rows: readonly string[];
  /** Live messages as JSON text, one array a change; the row with that number in `live`, from 1 on, emits them. */
  readonly liveParts: readonly string[];
  /** Adds the events of a change: its first row has the audit entry and the live messages, each further one a timeline entry. */
  readonly add: (decided: DecidedChange) => WrittenEntry[];
}

/** Texts are put together around parts that are JSON already; names and ids hold no sign that JSON would escape. */
export const createEventBatch = (caller: Caller, at: number, newEntryId: () => string): EventBatch => {
  const actor = toActorRef(caller.principal);
  const by = JSON.stringify(actor);
  const decided = caller.approvedBy === undefined ? {} : { approvedBy: caller.approvedBy };
  const rows: string[] = [];
  const live: string[] = [];

  const add = ({ before, effect: { item, entries } }: DecidedChange): WrittenEntry[] => {
    const written = entries.map(({ id, type, data }): WrittenEntry => ({
      id: id ?? newEntryId(),
      item: item.id,
      type,
      at,
      actor,
      data,
    }));
    const texts = written.map(({ data }) => JSON.stringify(data));
    const own = `{"type":"item","inbox":"${item.inbox}","change":"${before === null ? 'created' : 'changed'}","item":${itemJson(item, fullAccess)},"by":${by}}`;
    const told = written.map(
      ({ id, type }, n) =>
        `{"type":"timeline","inbox":"${item.inbox}","change":"created","item":"${item.id}","entry":{"id":"${id}","item":"${item.id}","type":"${type}","at":${String(at)},"actor":${by},"data":${texts[n] ?? '{}'}}}`,
    );
    live.push(`[${[own, ...told].join(',')}]`);

    const changed = changedMembers(before, item);
    const audit = JSON.stringify({
      live: live.length,
      before: changed.before ?? undefined,
      after: { ...changed.after, ...decided },
      deltas: countDeltas(before, item),
      due_from: effectiveDeadline(before),
      due_to: effectiveDeadline(item),
    });
    const timeline = written.map(({ id, type }, n) => `,"entry":"${id}","type":"${type}","data":${texts[n] ?? '{}'}`);
    rows.push(`{"n":0,"item":"${item.id}","inbox":"${item.inbox}"${timeline[0] ?? ''},${audit.slice(1)}`);
    for (let n = 1; n < timeline.length; n++)
      rows.push(`{"n":${String(n)},"item":"${item.id}","inbox":"${item.inbox}"${timeline[n] ?? ''}}`);
    return written;
  };
  return { rows, liveParts: live, add };
};
