/** What a change says of itself: audit and timeline rows, live messages, and what it does to its inbox's counts. */
import { fullAccess } from '../agents/access.ts';
import { byOf, type Caller } from '../agents/principal.ts';
import type { By } from '../catalogue/events.ts';
import type { Item } from '../items/model.ts';
import { itemJson } from '../items/present.ts';
import type { Effect } from './operation.ts';

/** A decision that is about to be written; `before` null: a new item. */
export interface Decided {
  readonly before: Item | null;
  readonly effect: Effect;
}

/** A row for `events`, less what all of a batch have in common; the first of its change says what subscribers are told. */
export interface Told {
  readonly n: number;
  readonly item: string;
  readonly inbox: string;
  readonly entry?: string;
  readonly type?: string;
  readonly data?: object;
  readonly before?: object;
  readonly after?: object;
  /** Live messages as JSON text. */
  readonly parts?: string;
  readonly deltas?: object;
  readonly due_from?: number | null;
  readonly due_to?: number | null;
}

/** Members that perform sets itself, or that only the service reads. */
const silent = new Set<keyof Item>(['version', 'updatedAt', 'closed', 'occurredEntry', 'key', 'links']);

const same = (a: unknown, b: unknown): boolean => a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));

/** The members that a change gave another value, as they were and as they are. */
export const difference = (before: Item | null, after: Item): { before: Record<string, unknown> | null; after: Record<string, unknown> } => {
  const members = (Object.keys(after) as (keyof Item)[]).filter((member) => !silent.has(member) && (before === null || !same(before[member], after[member])));
  const pick = (item: Item): Record<string, unknown> =>
    Object.fromEntries(members.map((member) => [member, member === 'fields' ? (JSON.parse(item.fields) as unknown) : item[member]]));
  return { before: before === null ? null : pick(before), after: pick(after) };
};

const measures = (item: Item): string[] => [
  'total',
  `=${item.state}`,
  ...(item.assignee === null ? ['unassigned'] : []),
  ...(item.snoozedUntil === null ? [] : ['snoozed']),
  ...(item.triaged ? ['triaged'] : []),
];

/** How the counts of the item's inbox move: measure → +1 or −1. */
export const countDeltas = (before: Item | null, after: Item): Record<string, number> => {
  const deltas = new Map<string, number>();
  for (const measure of measures(after)) deltas.set(measure, 1);
  if (before !== null) for (const measure of measures(before)) deltas.set(measure, (deltas.get(measure) ?? 0) - 1);
  return Object.fromEntries([...deltas].filter(([, by]) => by !== 0));
};

/** The deadline that can become overdue. */
const deadline = (item: Item | null): number | null => (item === null || item.closed ? null : item.dueAt);

export interface WrittenEntry {
  readonly id: string;
  readonly item: string;
  readonly type: string;
  readonly at: number;
  readonly actor: By;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Telling {
  readonly told: Told[];
  readonly entries: WrittenEntry[];
}

/** The live messages of a change as JSON text; parts of it are JSON already. */
const partsOf = ({ before, effect: { item } }: Decided, entries: readonly WrittenEntry[], by: string): string => {
  const own = `{"type":"item","inbox":"${item.inbox}","change":"${before === null ? 'created' : 'changed'}","item":${itemJson(item, fullAccess)},"by":${by}}`;
  const told = entries.map((entry) => `{"type":"timeline","inbox":"${item.inbox}","change":"created","item":"${item.id}","entry":${JSON.stringify(entry)}}`);
  return `[${[own, ...told].join(',')}]`;
};

/** The events of one change: the first carries audit entry and live messages, each further one a timeline entry. */
export const tell = (caller: Caller, decided: Decided, at: number, newEntryId: () => string): Telling => {
  const actor = byOf(caller.principal);
  const { before, effect } = decided;
  const { item } = effect;
  const entries = effect.entries.map((entry): WrittenEntry => ({ id: entry.id ?? newEntryId(), item: item.id, type: entry.type, at, actor, data: entry.data }));
  const rowOf = (entry: WrittenEntry | undefined, n: number): Told => ({ n, item: item.id, inbox: item.inbox, entry: entry?.id, type: entry?.type, data: entry?.data });
  const { before: was, after: is } = difference(before, item);
  const first: Told = {
    ...rowOf(entries[0], 0),
    before: was ?? undefined,
    after: is,
    parts: partsOf(decided, entries, JSON.stringify(actor)),
    deltas: countDeltas(before, item),
    due_from: deadline(before),
    due_to: deadline(item),
  };
  return { entries, told: [first, ...entries.slice(1).map((entry, i) => rowOf(entry, i + 1))] };
};
