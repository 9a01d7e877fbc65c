/** The same writes as others would make them: a transaction with knex's query builder, and objection's models. */
import knex, { type Knex } from 'knex';
import { Model, transaction } from 'objection';

export interface ChangeRequest {
  readonly env: number;
  readonly id: string;
  readonly state: string;
  readonly closed: boolean;
  readonly at: number;
  readonly actor: string;
  readonly entry: string;
  readonly request: string;
}

export type Change = (request: ChangeRequest) => Promise<unknown>;

export interface Peer {
  readonly change: Change;
  close(): Promise<void>;
}

interface ItemRow {
  readonly id: string;
  readonly inbox: string;
  readonly title: string;
  readonly state: string;
  readonly version: number;
  readonly tags: string[];
  readonly due_at: number | null;
  readonly snoozed_until: number | null;
  readonly fields: object;
}

const open = (url: string, max: number): Knex => knex({ client: 'pg', connection: url, pool: { min: 0, max } });

/** The rows that follow from a change; the terms stay as they are, which favours the peers. */
const rowsOf = (row: ItemRow, { env, id, state, closed, at, actor, entry, request }: ChangeRequest) => {
  const by = { type: 'agent', id: actor, name: 'bench' };
  const update = {
    state,
    closed,
    version: row.version + 1,
    updated_at: at,
    due_at: closed ? null : row.due_at,
    snoozed_until: closed ? null : row.snoozed_until,
  };
  const event = {
    env,
    at,
    actor_type: 'agent',
    actor,
    actor_name: 'bench',
    role: 'admin',
    verb: 'item.state',
    target_type: 'item',
    target: id,
    inbox: row.inbox,
    item: id,
    entry,
    type: 'state',
    data: { from: row.state, to: state },
    before: { state: row.state },
    after: { state },
    request_id: request,
    address: '127.0.0.1',
  };
  const parts = JSON.stringify([
    { type: 'item', inbox: row.inbox, change: 'changed', item: { ...row, ...update }, by },
    {
      type: 'timeline',
      inbox: row.inbox,
      change: 'created',
      item: id,
      entry: { id: entry, item: id, type: 'state', at, actor: by, data: event.data },
    },
  ]);
  const outbox = {
    env,
    at,
    parts,
    inbox: row.inbox,
    deltas: { [`=${row.state}`]: -1, [`=${state}`]: 1 },
    due_from: row.due_at,
    due_to: update.due_at,
  };
  return { update, event, outbox };
};

const builder = (url: string, max: number): Peer => {
  const db = open(url, max);
  return {
    change: (request) =>
      db.transaction(async (tx) => {
        const { env, id } = request;
        const row = (await tx<ItemRow>('items')
          .where({ env, id } as never)
          .forUpdate()
          .first()) as ItemRow;
        const { update, event, outbox } = rowsOf(row, request);
        await tx('items').where({ env, id }).update(update);
        const [made] = (await tx('events').insert(event).returning('id')) as { id: string }[];
        await tx('outbox').insert({ ...outbox, id: made?.id });
      }),
    close: () => db.destroy(),
  };
};

class ItemModel extends Model {
  static override readonly tableName = 'items';
  static override readonly idColumn = ['env', 'id'];
}
class EventModel extends Model {
  static override readonly tableName = 'events';
  static override readonly jsonAttributes = ['data', 'before', 'after'];
}
class OutboxModel extends Model {
  static override readonly tableName = 'outbox';
  static override readonly jsonAttributes = ['deltas'];
}

const models = (url: string, max: number): Peer => {
  const db = open(url, max);
  return {
    change: (request) =>
      transaction(db, async (tx) => {
        const item = await ItemModel.query(tx).findById([request.env, request.id]).forUpdate().throwIfNotFound();
        const { update, event, outbox } = rowsOf(item.toJSON() as unknown as ItemRow, request);
        await item.$query(tx).patch(update as object);
        const made = await EventModel.query(tx).insertAndFetch(event as object);
        await OutboxModel.query(tx).insert({ ...outbox, id: made.$id() as number } as object);
      }),
    close: () => db.destroy(),
  };
};

export const peers = { knex: builder, objection: models } as const;
