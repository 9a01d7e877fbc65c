/**
 * The change writer: the only code that puts together a change with what follows from it. A change has a name and named parts, each
 * the text of a CTE: the guarded `update` or `insert`, and its events, live messages, jobs, results of bulks and saved response. They
 * are one prepared statement, so that all of it is written or nothing. Values have names. Used wherever something changes.
 */
import { createGatherer, perDatabase, serveTogether } from '../db/gather.ts';
import type { Db, Tx } from '../db/knex.ts';
import {
  type NamedStatement,
  type NamedValues,
  type SqlValue,
  executeNamed,
  namedStatement,
  queryNamedRows,
  queryNamedTextRows,
  type TextRow,
  textLengthOf,
} from '../db/sql.ts';
import { isObject } from '../json/jsonLimits.ts';
import {
  actorMembers,
  eventInsert,
  mapActor,
  type ActorColumns,
  type EventActor,
  type EventColumns,
} from './events.ts';
import { savedResponseInsert, type SavedResponse, type SavedResponseColumns } from './idempotency.ts';
import { type OutboxColumns, type InsertSource, type Sql, outboxInsert, streamPartsInsert } from './inserts.ts';

export interface Change {
  readonly name: string;
  /** A list: the last one is the part, and nothing refers to those before it. */
  readonly parts: Readonly<Record<string, Sql | readonly Sql[]>>;
  readonly answer: Sql | null;
}

/**
 * Declares a change: its parts in their order, by name, and the select that the statement answers. Without `answer` the last part is
 * the statement itself. A change without a saved response is written without its part `kept`.
 */
export const change = (name: string, parts: Change['parts'], answer: Sql | null = null): Change => ({
  name,
  parts,
  answer,
});

/** The actor of a change as named values, which `actorValues` gives. */
export const actor: ActorColumns = mapActor((column) => `$${column}`);

/** What happens at once has one environment, time and actor: `$env`, `$at` and those of `actorValues`. */
const origin = { env: '$env', at: '$at::bigint' } as const;

/** Returns the part that inserts an event for each row of the source, by default in `$env`, at `$at`, by the change's actor. */
export const event = (columns: Partial<EventColumns>, source?: InsertSource): Sql =>
  eventInsert({ ...origin, ...actor, ...columns }, source);

/**
 * Returns the part that inserts the messages to subscribers for each row of the source, by default in `$env`, at `$at`, with `$live`.
 * Until releases before 0079 have gone it inserts them into the outbox itself.
 */
export const live = (
  { parts = '$live', ...columns }: Partial<OutboxColumns> & Pick<OutboxColumns, 'id'>,
  source: InsertSource,
): readonly Sql[] => {
  const row = { ...origin, ...columns };
  const apart = `(select begin_at from stream_parts_begin) <= ${row.at}`;
  return [
    streamPartsInsert({ ...row, parts }, { ...source, where: `(${source.where ?? 'true'}) and ${apart}` }),
    outboxInsert({ ...row, parts: `case when ${apart} then null else ${parts} end` }, source),
  ];
};

/** The saved response of a change as named values, which `savedValues` gives. */
export const keptResponse = {
  principal: '$kept_principal',
  key: '$kept_key',
  fingerprint: '$kept_fingerprint::bytea',
  status: '$kept_status::smallint',
  body: '$kept_body',
  etag: '$kept_etag',
} as const;

/** Returns the part that saves the response of a change under its idempotency key, by default at `$at`. */
export const keep = (source: InsertSource, columns: Partial<SavedResponseColumns> = {}): Sql =>
  savedResponseInsert({ ...keptResponse, created_at: origin.at, ...columns }, source);

/** Values by name; objects are sent as JSON, names that are missing as null. */
export type ChangeValues = Readonly<Record<string, SqlValue | object | undefined>>;

/** Returns the values of `actor`. */
export const actorValues = (who: EventActor): ChangeValues =>
  Object.fromEntries(Object.entries(actorMembers).map(([column, member]) => [column, who[member]]));

/** Returns the values of `keep`: none without a response. */
export const savedValues = (saved: SavedResponse | null): ChangeValues =>
  saved === null ? {} : Object.fromEntries(Object.entries(saved).map(([member, value]) => [`kept_${member}`, value]));

const toSqlValues = (values: ChangeValues): Record<string, SqlValue> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is no object is a value of SQL
      isObject(value) && !Buffer.isBuffer(value) ? JSON.stringify(value) : ((value ?? null) as SqlValue),
    ]),
  );

interface ChangeOptions {
  /** Parts that are false here are left out. */
  readonly has?: Readonly<Record<string, boolean>>;
  /** Called with the characters of the texts that were written. */
  readonly count?: ((characters: number) => void) | undefined;
}

type HasParts = NonNullable<ChangeOptions['has']>;

/** Returns the parts of a change that are written, and what names them. */
const formOf = ({ parts }: Change, has: HasParts): { readonly left: readonly string[]; readonly form: string } => {
  const all = Object.keys(parts);
  const left = all.filter((part) => has[part] !== false);
  return {
    left,
    form: left.length === all.length ? '' : `.${left.map((part) => all.indexOf(part).toString(36)).join('')}`,
  };
};

const preparedOf = (made: Change, values: ChangeValues, has: HasParts): NamedStatement => {
  const { name, parts, answer } = made;
  const { left, form } = formOf(made, { kept: 'kept_key' in values, ...has });
  return namedStatement(`${name}${form}`, () => {
    const texts = left.flatMap((part) =>
      [parts[part] ?? ''].flat().map((text, i, { length }) => [i === length - 1 ? part : `${part}${String(i)}`, text]),
    );
    const last = answer ?? texts.pop()?.[1] ?? '';
    const tables = texts.map(([part, text]) => `${String(part)} as (${String(text)})`).join(',\n  ');
    return tables === '' ? last : `with ${tables}\n  ${last}`;
  });
};

/** Writes a change. Returns how many rows the statement answered or changed: 0 where its guard kept it from writing. */
export const writeChange = async (
  db: Db | Tx,
  made: Change,
  values: ChangeValues,
  { has = {}, count }: ChangeOptions = {},
): Promise<number> => {
  const sent = toSqlValues(values);
  const written = await executeNamed(db, preparedOf(made, values, has), sent);
  if (written > 0) count?.(textLengthOf(sent));
  return written;
};

/** Writes a change and returns the rows that it answers. */
export const queryChange = <R>(
  db: Db | Tx,
  made: Change,
  values: ChangeValues,
  { has = {} }: Pick<ChangeOptions, 'has'> = {},
): Promise<R[]> => queryNamedRows<R>(db, preparedOf(made, values, has), toSqlValues(values));

/** Writes a change and returns the rows that it answers, each value as text. */
export const queryChangeRows = (db: Db | Tx, made: Change, values: ChangeValues): Promise<TextRow[]> =>
  queryNamedTextRows(db, preparedOf(made, values, {}), toSqlValues(values));

const parameter = /\$([a-z]\w*)/gi;

/** Returns a text in which each value is a column of the rows of `asked`. */
const ofRows = (text: Sql): Sql => text.replaceAll(parameter, (_whole, name: string) => `v_${name}`);

/**
 * Returns the change of several rows at once that belongs to a change of one: its values are columns `v_…`, as texts, of the rows
 * `asked`. `parts` come first, instead of those of the same name; they carry the columns to where the others read them.
 */
const changeOfRows = (one: Change, parts: (columns: Sql) => Change['parts']): Change => {
  const texts = Object.values(one.parts).join(' ');
  const columns = [...new Set([...texts.matchAll(parameter)].map(([, name = '']) => `v_${name}`))];
  const own = parts(columns.map((column) => `v.${column}`).join(', '));
  const rest = Object.entries(one.parts).filter(([part]) => !Object.hasOwn(own, part));
  return change(
    `${one.name}.rows`,
    {
      asked: `select * from json_to_recordset($rows::json) as v(${columns.map((column) => `${column} text`).join(', ')})`,
      ...Object.fromEntries([...Object.entries(own), ...rest].map(([part, text]) => [part, [text].flat().map(ofRows)])),
    },
    one.answer,
  );
};

/** A change of one row, which may share its statement with others. */
interface RowChange<Values = ChangeValues> extends Pick<ChangeOptions, 'count'> {
  readonly env: number;
  readonly id: string;
  readonly values: Values;
  readonly has: HasParts;
}

/** Returns values as the members of a row of `asked`. */
const rowOf = (values: NamedValues): object =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === null ? [] : [[`v_${name}`, Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value]],
    ),
  );

/**
 * Returns the function that writes a change of one row, by itself where it meets no other and together with those of the same parts
 * that come while it waits; in a transaction always by itself. It returns whether the row was written. With `skipsLocked` the shared
 * statement passes over a row that another holds, which is then written alone.
 */
export const createChangeGatherer = (
  one: Change,
  parts: (columns: Sql) => Change['parts'],
  { skipsLocked }: { readonly skipsLocked: boolean },
): ((db: Db | Tx, wanted: RowChange) => Promise<boolean>) => {
  type Row = RowChange<NamedValues>;
  const many = changeOfRows(one, parts);
  const alone = async (db: Db | Tx, { values, has, count }: Row): Promise<boolean> =>
    (await writeChange(db, one, values, { has, count })) > 0;
  /** Returns null for a row that may be written alone: it was passed over, or is asked for twice. */
  const together = async (db: Db, wanted: readonly Row[]): Promise<(boolean | null)[]> => {
    const rows = new Map(wanted.map((each) => [each.id, each]));
    const values = { rows: JSON.stringify([...rows.values()].map((each) => rowOf(each.values))) };
    const written = await queryChange<{ id: string }>(db, many, values, { has: { ...wanted[0]?.has } });
    const ids = new Set(written.map(({ id }) => id));
    return wanted.map((each) => {
      const isWritten = ids.has(each.id);
      if (rows.get(each.id) !== each || (skipsLocked && !isWritten)) return null;
      if (isWritten) each.count?.(textLengthOf(each.values));
      return isWritten;
    });
  };
  const gathered = perDatabase((db) =>
    createGatherer<Row, boolean | null>({
      groupOf: ({ env, has }) => `${String(env)}${formOf(one, has).form}`,
      sizeOf: ({ values }) => textLengthOf(values),
      run: (wanted) =>
        serveTogether<Row, boolean | null>(
          wanted,
          (all) => together(db, all),
          (own) => alone(db, own),
        ),
    }),
  );
  return async (db, wanted) => {
    const has = { kept: 'kept_key' in wanted.values, ...wanted.has };
    const row = { ...wanted, has, values: toSqlValues(wanted.values) };
    if (db.isTransaction === true) return alone(db, row);
    return (await gathered(db)(row)) ?? alone(db, row);
  };
};

const responseChange = change('once.keep', { kept: keep({}) });

/** Saves a response, in the transaction of its effect if there is one. */
export const insertSavedResponse = async (db: Db | Tx, saved: SavedResponse, now: number): Promise<void> => {
  await writeChange(db, responseChange, { at: now, ...savedValues(saved) });
};
