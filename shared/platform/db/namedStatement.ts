/** Statements with named parameters: `$name` in a text becomes the number of its value, for texts that are put together of parts. */
import { getOrCreate } from '../caches/maps.ts';
import type { Db, Tx } from './knex.ts';
import {
  executeStatement,
  queryRows,
  queryTextRows,
  statement,
  type SqlValue,
  type Statement,
  type TextRow,
} from './sql.ts';

export interface NamedStatement {
  readonly prepared: Statement;
  readonly names: readonly string[];
}

const statementsByName = new Map<string, NamedStatement>();

/** Returns the statement `name`; the first call makes it. The name has to say everything that its text depends on. */
export const namedStatement = (name: string, text: () => string): NamedStatement =>
  getOrCreate(statementsByName, name, () => {
    const names: string[] = [];
    const numbered = text().replace(/\$([a-z]\w*)/gi, (_whole, parameter: string) => {
      if (!names.includes(parameter)) names.push(parameter);
      return `$${String(names.indexOf(parameter) + 1)}`;
    });
    return { prepared: statement(name, numbered), names };
  });

/** Values of parameters by name; a name that is missing stands for null. */
export type NamedValues = Readonly<Record<string, SqlValue>>;

const valuesOf = ({ names }: NamedStatement, values: NamedValues): SqlValue[] =>
  names.map((name) => values[name] ?? null);

/** Returns how many characters the texts of values have. */
export const textLengthOf = (values: NamedValues): number =>
  Object.values(values)
    .flat()
    .reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** Runs a statement and returns its rows as objects. */
export const queryNamedRows = <R>(db: Db | Tx, named: NamedStatement, values: NamedValues): Promise<R[]> =>
  queryRows<R>(db, named.prepared, valuesOf(named, values));

/** Runs a statement and returns its rows as arrays of the texts that PostgreSQL sent. */
export const queryNamedTextRows = (db: Db | Tx, named: NamedStatement, values: NamedValues): Promise<TextRow[]> =>
  queryTextRows(db, named.prepared, valuesOf(named, values));

/** Runs a statement and returns how many rows it answered or changed. */
export const executeNamed = (db: Db | Tx, named: NamedStatement, values: NamedValues): Promise<number> =>
  executeStatement(db, named.prepared, valuesOf(named, values));
