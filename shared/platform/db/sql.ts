/**
 * Hot statements: named prepared SQL on knex's own connections. knex's builder and un-named raw SQL run at a half to
 * a fifth of the rate (docs/performance.md), so everything a request or a job does often goes through here.
 */
import type { Db, Tx } from './knex.ts';

/** One name stands for one text, on every connection, for good. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

const texts = new Map<string, string>();

/** Declares a prepared statement; a name that already stands for another text is a bug. */
export const statement = (name: string, text: string): Statement => {
  const known = texts.get(name);
  if (known !== undefined && known !== text) throw new Error(`The statement ${name} already stands for another text.`);
  texts.set(name, text);
  return { name, text };
};

export type SqlValue = string | number | boolean | null | Buffer | readonly (string | number | null)[];

interface Result {
  readonly rows: unknown[];
  readonly rowCount: number | null;
}
interface Connection {
  query(config: object): Promise<Result>;
}
interface Client {
  acquireConnection(): Promise<Connection>;
  releaseConnection(connection: Connection): Promise<void>;
}

/** Every value as PostgreSQL sent it: text or null, nothing parsed. */
const textTypes = { getTypeParser: () => (text: string) => text };

const queryConnection = async (
  db: Db | Tx,
  { name, text }: Statement,
  values: readonly SqlValue[],
  more: object,
): Promise<Result> => {
  const client = (db as unknown as { client: Client }).client;
  const connection = await client.acquireConnection();
  try {
    return await connection.query({ name, text, values: values as unknown[], ...more });
  } finally {
    await client.releaseConnection(connection);
  }
};

/** Runs a statement and answers its rows as objects. */
export const queryRows = async <R>(db: Db | Tx, prepared: Statement, values: readonly SqlValue[] = []): Promise<R[]> =>
  (await queryConnection(db, prepared, values, {})).rows as R[];

/** The first row, or undefined. */
export const queryRow = async <R>(
  db: Db | Tx,
  prepared: Statement,
  values: readonly SqlValue[] = [],
): Promise<R | undefined> => (await queryRows<R>(db, prepared, values))[0];

/** Runs a statement for its effect and answers how many rows it touched. */
export const executeStatement = async (
  db: Db | Tx,
  prepared: Statement,
  values: readonly SqlValue[] = [],
): Promise<number> => (await queryConnection(db, prepared, values, {})).rowCount ?? 0;

export type TextRow = readonly (string | null)[];

/** Rows as arrays of the texts that PostgreSQL sent: for answers that are built from texts without parsing. */
export const queryTextRows = async (
  db: Db | Tx,
  prepared: Statement,
  values: readonly SqlValue[] = [],
): Promise<TextRow[]> =>
  (await queryConnection(db, prepared, values, { rowMode: 'array', types: textTypes })).rows as TextRow[];
