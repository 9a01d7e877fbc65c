/**
 * The insert into `events`, the timeline and the audit log in one: its columns, its ids, and who an event's actor is.
 * Every statement that changes something composes it. A new column of the audit log is added here.
 */
import type { ActorRef } from '../../catalogue/events.ts';
import { insertInto, type Sql } from './inserts.ts';

/** Who an event is recorded for, and by which request. */
export interface EventActor extends ActorRef {
  readonly role: string | null;
  readonly requestId: string | null;
  readonly address: string | null;
}

/** The columns of an actor, and the member of an `EventActor` in each. */
export const actorMembers = {
  actor_type: 'type',
  actor: 'id',
  actor_name: 'name',
  role: 'role',
  request_id: 'requestId',
  address: 'address',
} as const satisfies Record<string, keyof EventActor>;

type ActorColumn = keyof typeof actorMembers;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the constant has no other keys
const actorColumns = Object.keys(actorMembers) as ActorColumn[];

/** An expression for each column of the actor. */
export type ActorColumns = Readonly<Record<ActorColumn, Sql>>;

/** Returns the text of the insert of one event for each row of the source. */
export const eventInsert = insertInto(
  'insert into events',
  ['env', 'at', ...actorColumns],
  [
    'id',
    // The audit log; without a verb the event is one of a timeline only.
    'verb',
    'target_type',
    'target',
    'outcome',
    'before',
    'after',
    // The timeline; without an entry the event is one of the audit log only.
    'inbox',
    'item',
    'entry',
    'type',
    'is_update',
    'data',
    'about',
  ],
);
export type EventColumns = Parameters<typeof eventInsert>[0];

/** The next event id. Live messages without an event draw theirs from the same sequence, which is the outbox's order. */
export const nextEventId: Sql = "nextval('events_id_seq')";

/**
 * Returns a select of the source's `columns` with an event id for each row, as `id` unless it is renamed. The source is
 * the CTE that locked the changed rows: the ids of an item's events then follow its versions.
 */
export const withEventIds = (from: Sql, columns?: Sql, id = 'id'): string =>
  `select ${nextEventId} as ${id}${columns === undefined ? '' : `, ${columns}`} from ${from}`;

export const mapActor = (expression: (column: ActorColumn, place: number) => Sql): ActorColumns =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the list has every column
  Object.fromEntries(actorColumns.map((column, i) => [column, expression(column, i)])) as Record<ActorColumn, Sql>;

/** The columns of an actor as those of a JSON record, which `actorRow` fills. */
export const actorRecord: Sql = actorColumns.map((column) => `${column} text`).join(', ');

/** Returns the actor as members of a JSON record, for sources whose rows have actors of their own. */
export const actorRow = (actor: EventActor): object =>
  Object.fromEntries(actorColumns.map((column) => [column, actor[actorMembers[column]]]));

/** Returns the actor as columns of the source's rows, each of which may have an actor of its own. */
export const actorOfRow = (row: string): ActorColumns => mapActor((column) => `${row}.${column}`);

/** Returns the actor as members of a JSON value: the text of an `EventActor`. */
export const actorOfJson = (json: Sql): ActorColumns => mapActor((column) => `${json} ->> '${actorMembers[column]}'`);
