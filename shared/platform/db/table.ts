/** Tables whose rows are read and written whole and seldom, by Objection: those of the settings. Used by shared/accounts/settings. */
import { Model, snakeCaseMappers, type QueryBuilder } from 'objection';
import type { Db, Tx } from './knex.ts';

/** A row, its columns in camel case, with the rows that it belongs to. */
export type Row = Readonly<Record<string, unknown>>;

export interface TableRow {
  readonly name: string;
  /** Columns of JSON that may hold a list. */
  readonly json?: readonly string[];
  /** The rows that a row belongs to: the name under which each is read, its column, and its table. */
  readonly belongsTo?: Readonly<Record<string, readonly [column: string, table: string]>>;
  /** The column, as SQL names it, that ends a row, which stays; absent: rows are deleted. */
  readonly ends?: string;
}

interface Table {
  /** Returns the rows that have not ended, in the order of the columns. */
  list(db: Db | Tx, order: readonly OrderBy[]): Promise<Row[]>;
  /** Returns a row that has not ended. */
  find(db: Db | Tx, id: string): Promise<Row | undefined>;
  /** Returns a row that has not ended and has these values, locked until the transaction ends. */
  lock(tx: Tx, id: string, having?: Row): Promise<Row | undefined>;
  insert(tx: Tx, row: Row): Promise<void>;
  update(tx: Tx, id: string, part: Row): Promise<void>;
  /** Ends a row, or deletes it. */
  end(tx: Tx, id: string, at: number): Promise<void>;
}

export type OrderBy = string | { readonly column: string; readonly order: 'desc' };

abstract class Columns extends Model {
  static override columnNameMappers = snakeCaseMappers();
}

const modelOf = (tableName: string, jsonAttributes: readonly string[] = []): typeof Model =>
  class extends Columns {
    static override tableName = tableName;
    static override jsonAttributes = [...jsonAttributes];
  };

/** Returns how the rows of a table are read and written. */
export const tableOf = ({ name, json, belongsTo = {}, ends }: TableRow): Table => {
  const model = modelOf(name, json);
  const relations = Object.entries(belongsTo);
  model.relationMappings = Object.fromEntries(
    relations.map(([as, [column, table]]) => [
      as,
      {
        relation: Model.BelongsToOneRelation,
        modelClass: modelOf(table),
        join: { from: `${name}.${column}`, to: `${table}.id` },
      },
    ]),
  );
  const rows = (db: Db | Tx): QueryBuilder<Model> => {
    const query = model.query(db);
    if (ends !== undefined) void query.whereNull(ends);
    for (const [as] of relations) void query.withGraphFetched(as);
    return query;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a model without columns of its own has those of its row
  const read = (found: Model | undefined) => found as unknown as Row | undefined;
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    list: async (db, order) => (await rows(db).orderBy([...order])) as unknown as Row[],
    find: async (db, id) => read(await rows(db).findById(id)),
    lock: async (tx, id, having = {}) => read(await rows(tx).findById(id).where(having).forUpdate()),
    insert: async (tx, row) => void (await model.query(tx).insert(row)),
    update: async (tx, id, part) => void (await model.query(tx).findById(id).patch(part)),
    end: async (tx, id, at) =>
      void (await (ends === undefined
        ? model.query(tx).deleteById(id)
        : model
            .query(tx)
            .findById(id)
            .patch({ [ends]: at }))),
  };
};
