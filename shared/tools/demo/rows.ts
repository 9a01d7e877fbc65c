/** Turns the demo's items into rows: ids instead of indexes, and the events that the API would write; used by content.ts. */
import type { ActorRef } from '../../catalogue/events.ts';
import type { InboxDefinition } from '../../environments/definition.ts';
import type { Item } from '../../items/model.ts';
import { creationId } from '../../items/occurrences.ts';
import { itemTerms } from '../../items/terms.ts';
import { rowId } from '../../platform/core/ids.ts';
import type { DemoActor, DemoEvent, DemoItem } from './types.ts';

/** The actors that a history may have, with the name of their role. */
export interface Cast {
  readonly people: readonly DemoEventActor[];
  readonly agents: readonly DemoEventActor[];
  readonly app: DemoEventActor;
  readonly system: DemoEventActor;
}

export interface DemoEventActor {
  readonly by: ActorRef;
  readonly role: string | null;
}

const actorOf = (cast: Cast, { type, index }: DemoActor): DemoEventActor => {
  const actor = index === null ? cast[type] : type === 'person' ? cast.people[index] : cast.agents[index];
  if (actor === undefined) throw new Error(`The demo has no ${type} ${String(index)}.`);
  return actor;
};

const personId = (cast: Cast, index: number | null): string | null =>
  index === null ? null : actorOf(cast, { type: 'person', index }).by.id;

/**
 * Returns the number in the id of item `n`. The id is of the item's time of creation, which `newId` can't make after
 * later ones; the environment is part of the number, so that no two items of a database have the same id.
 */
const numberOf = (env: number, n: number): number => env * 2 ** 28 + n;

/** Returns null where each occurrence has an entry of its own. */
const lastOccurred = (history: readonly DemoEvent[], { onOccurrence }: InboxDefinition): Item['occurredEntry'] => {
  if (onOccurrence.keep === null) return null;
  const last = history.findLast((event) => event.type === 'occurred');
  return last === undefined ? null : { at: last.at, to: last.data.occurrences.to };
};

export const itemOfDemo = (
  item: DemoItem,
  n: number,
  { env, cast, inbox }: { env: number; cast: Cast; inbox: InboxDefinition },
): Item => {
  const { history, triage, assignee, fields, said: _, ...same } = item;
  return {
    ...same,
    id: rowId('itm', item.createdAt, numberOf(env, n)),
    closed: inbox.isClosed(item.state),
    assignee: personId(cast, assignee),
    fields: JSON.stringify(fields),
    triage:
      triage === null
        ? null
        : {
            closed: triage.closed,
            answers: triage.answers.map((given) => ({ ...given, by: actorOf(cast, given.by).by })),
          },
    occurredEntry: lastOccurred(history, inbox),
  };
};

/** Returns a row for `items`, by the names of its columns. */
export const itemRow = (env: number, item: Item): object => ({
  id: item.id,
  version: item.version,
  inbox: item.inbox,
  title: item.title,
  title_key: item.title.toLowerCase(),
  state: item.state,
  closed: item.closed,
  record_resource: item.record?.resource,
  record_id: item.record?.id,
  record_title: item.record?.title,
  links: item.links,
  tags: item.tags,
  assignee: item.assignee,
  occurrences: item.occurrences,
  users: item.users,
  first_seen: item.firstSeen,
  last_seen: item.lastSeen,
  due_at: item.dueAt,
  fields: JSON.parse(item.fields) as unknown,
  snoozed_until: item.snoozedUntil,
  triaged: item.triaged,
  triage: item.triage ?? undefined,
  key: item.key,
  occurred_entry: item.occurredEntry ?? undefined,
  created_at: item.createdAt,
  updated_at: item.updatedAt,
  terms: itemTerms(env, item),
});

/** Where the rows of item `n` belong: `item` is its id. */
interface Place {
  readonly env: number;
  readonly n: number;
  readonly item: string;
}

/** Returns the id of occurrence `i`: the item's for its creation, else one of its time. */
const occurrenceId = ({ createdAt, said }: DemoItem, i: number, { env, n, item }: Place): string => {
  const at = said[i]?.at ?? 0;
  return at === createdAt ? creationId(item) : rowId('occ', at, numberOf(env, n * 128 + i));
};

/** A row for `occurrences`, by the names of its columns. */
export interface OccurrenceRow {
  readonly item: string;
  readonly id: string;
  readonly at: number;
  readonly title: string;
  readonly data: unknown;
}

/** Returns an item's rows, oldest first. */
export const occurrenceRows = (demo: DemoItem, place: Place): OccurrenceRow[] =>
  demo.said.map(({ at, title, data }, i) => ({ item: place.item, id: occurrenceId(demo, i, place), at, title, data }));

/** Returns what an `occurred` entry refers to: the newest occurrence of its time. */
const saidAt = (demo: DemoItem, at: number, place: Place): object | null => {
  const i = demo.said.findLastIndex((occurrence) => occurrence.at === at);
  return i < 0 ? null : { id: occurrenceId(demo, i, place), at };
};

const verbs: Readonly<Record<DemoEvent['type'], string>> = {
  created: 'item.create',
  occurred: 'item.occur',
  state: 'item.state',
  assigned: 'item.assign',
  tags: 'item.tags',
  note: 'item.note',
  snoozed: 'item.snooze',
  woken: 'item.wake',
  reply: 'item.reply',
  triage: 'item.triage',
};
/** Entries of one change belong to these; any other entry is a change of its own. */
const joining = ['occurred', 'triage'] as const;

const sameMoment = (a: DemoEvent, b: DemoEvent | undefined): boolean =>
  b !== undefined &&
  a.at === b.at &&
  a.actor.type === b.actor.type &&
  a.actor.index === b.actor.index &&
  a.type !== 'created' &&
  b.type !== 'created';

/** Returns the verb of each event that begins a change; null for those that belong to the one before. */
const verbsOf = (history: readonly DemoEvent[]): (string | null)[] =>
  history.map((event, i) => {
    let first = i;
    while (first > 0 && sameMoment(event, history[first - 1])) first -= 1;
    const moment = history.slice(first).filter((other, k) => k === 0 || sameMoment(event, other));
    const whole = joining.find((type) => moment.some((other) => other.type === type));
    if (whole === undefined) return verbs[event.type];
    return i === first ? verbs[whole] : null;
  });

/** The member that a change of this type sets, as the audit log names it. */
const members: Readonly<Partial<Record<DemoEvent['type'], string>>> = {
  state: 'state',
  assigned: 'assignee',
  snoozed: 'snoozedUntil',
};

const dataOf = (cast: Cast, event: DemoEvent, demo: DemoItem, place: Place): Readonly<Record<string, unknown>> => {
  if (event.type === 'assigned') return { from: personId(cast, event.data.from), to: personId(cast, event.data.to) };
  return event.type === 'occurred' ? { ...event.data, occurrence: saidAt(demo, event.at, place) } : event.data;
};

/** A row for `events`, by the names of its columns. Rows of one time are in order of their `n`. */
export interface EventRow {
  readonly n: number;
  readonly at: number;
  readonly entry: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly [column: string]: unknown;
}

/** Returns an item's rows, oldest first; the first of each change has the columns of the audit log. */
export const eventRows = (demo: DemoItem, cast: Cast, place: Place): EventRow[] => {
  const { inbox, history } = demo;
  const { env, n, item } = place;
  const changes = verbsOf(history);
  return history.map((event, i) => {
    const { by, role } = actorOf(cast, event.actor);
    const data = dataOf(cast, event, demo, place);
    const verb = changes[i] ?? null;
    const member = members[event.type];
    const told =
      member !== undefined && verb === verbs[event.type]
        ? { before: { [member]: data['from'] }, after: { [member]: data['to'] } }
        : {};
    return {
      n: n * 8 + i,
      at: event.at,
      actor_type: by.type,
      actor: by.id,
      actor_name: by.name,
      inbox,
      item,
      type: event.type,
      data,
      entry: rowId('ent', event.at, numberOf(env, n * 8 + i)),
      ...(verb === null ? {} : { role, verb, target_type: 'item', target: item, ...told }),
    };
  });
};
