/** Copies the rows of an environment from one installation's database to another's, in a transaction of each. Used by move.ts. */
import type { Db, Tx } from '../../../platform/db/knex.ts';
import { CommandFailure } from '../failures.ts';
import { accountRows, leftTables, newValues, partRows, type EnvironmentKey } from './tables.ts';

interface Copy {
  readonly from: Tx;
  readonly to: Tx;
  readonly env: EnvironmentKey;
}

const rowsAtOnce = 2_000;

/** Returns what a statement answers. The caller names the type of its rows. */
export const read = async <R>(db: Db | Tx, sql: string, values: readonly (string | number)[] = []): Promise<R[]> =>
  (await db.raw<{ rows: R[] }>(sql, [...values])).rows;

/** Returns the tables with the column `env` whose rows go with an environment. */
export const readMovedTables = async (tx: Tx): Promise<string[]> =>
  (
    await read<{ name: string }>(
      tx,
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'env' and not a.attisdropped
       where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and c.relname <> all(string_to_array(?, ',')) order by c.relname collate "C"`,
      [leftTables.join(',')],
    )
  ).map(({ name }) => name);

const readColumns = async (tx: Tx, table: string): Promise<string[]> =>
  (
    await read<{ name: string }>(
      tx,
      'select attname as name from pg_attribute where attrelid = ?::regclass and attnum > 0 and not attisdropped order by attnum',
      [table],
    )
  ).map(({ name }) => name);

/** Yields rows of a table as JSON texts. */
const readLines = async function* (tx: Tx, table: string, where: string): AsyncGenerator<string[]> {
  await tx.raw(
    `declare moved_rows no scroll cursor for select row_to_json(t)::text as line from ${table} t where ${where}`,
  );
  for (;;) {
    const rows = await read<{ line: string }>(tx, `fetch ${String(rowsAtOnce)} from moved_rows`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await tx.raw('close moved_rows');
};

interface CopyOptions {
  /** Changes the JSON text of a row. */
  readonly change?: (line: string) => string;
  readonly onConflict?: string;
}

/** Returns a function that copies the rows of a table and returns how many were read. */
const createCopier = async ({ from, to }: Copy) => {
  const values = newValues();
  const kinds = new Map(
    (await read<{ kind: string; name: string }>(to, 'select kind, name from ended_tables')).map(({ kind, name }) => [
      name,
      kind,
    ]),
  );
  return async (
    table: string,
    where: string,
    { change = (line) => line, onConflict = '' }: CopyOptions = {},
  ): Promise<number> => {
    const columns = await readColumns(to, table);
    const own = values[table] ?? {};
    const insert = `insert into ${table} (${columns.join(', ')}) select ${columns.map((name) => own[name] ?? name).join(', ')}
      from json_populate_recordset(null::${table}, ?::json) ${onConflict}`;
    const kind = kinds.get(table);
    let copied = 0;
    for await (const lines of readLines(from, table, where)) {
      const rows = `[${lines.map(change).join(',')}]`;
      if (kind !== undefined)
        await to.raw("select prepare_ended_months(?, array(select r ->> 'id' from json_array_elements(?::json) r))", [
          kind,
          rows,
        ]);
      await to.raw(insert, [rows]);
      copied += lines.length;
    }
    return copied;
  };
};

interface KnownRole {
  readonly id: string;
  readonly name: string;
  readonly known: string | null;
  readonly same: boolean | null;
}

/** Returns the ids of roles by those that they have where the environment comes from. Throws CommandFailure for a role that grants other rights here. */
const matchRoles = async ({ from, to }: Copy, where: string): Promise<Map<string, string>> => {
  const ids = new Map<string, string>();
  for await (const lines of readLines(from, 'roles', where)) {
    const rows = await read<KnownRole>(
      to,
      `select r.id, r.name, t.id as known, t.grants = r.grants as same
       from json_populate_recordset(null::roles, ?::json) r left join roles t on t.name = r.name`,
      [`[${lines.join(',')}]`],
    );
    for (const { id, name, known, same } of rows) {
      if (same === false)
        throw new CommandFailure(`The role ${name} grants other rights there: give one of the two another name.`);
      if (known !== null) ids.set(id, known);
    }
  }
  return ids;
};

/** When an account there, `t`, and one that comes, `r`, are not one and the same. */
const differences: Readonly<Record<string, string>> = {
  people: `t.email = r.email and t.id <> r.id
    or t.id = r.id and (t.role, t.removed_at is null) is distinct from (r.role, r.removed_at is null)`,
  agents:
    't.id = r.id and (t.role, t.mode, t.revoked_at is null) is distinct from (r.role, r.mode, r.revoked_at is null)',
};

/** Copies who may enter. They may enter this environment there, and what they may already. Throws CommandFailure for accounts that differ there. */
const copyAccounts = async (copy: Copy, copyRows: Awaited<ReturnType<typeof createCopier>>): Promise<void> => {
  const { from, to, env } = copy;
  const rows = accountRows(env);
  const roles = await matchRoles(copy, rows['roles'] ?? '');
  const withRoles = (line: string): string =>
    [...roles].reduce((text, [id, known]) => text.replaceAll(id, known), line);
  for (const [table, where] of Object.entries(rows)) {
    const differs = differences[table];
    if (differs === undefined) {
      const which = table === 'roles' ? `${where} and id <> all('{${[...roles.keys()].join(',')}}')` : where;
      await copyRows(table, which, { change: withRoles, onConflict: 'on conflict do nothing' });
      continue;
    }
    for await (const lines of readLines(from, table, where)) {
      const [other] = await read<{ name: string }>(
        to,
        `select t.name from json_populate_recordset(null::${table}, ?::json) r join ${table} t on ${differs} limit 1`,
        [`[${lines.map(withRoles).join(',')}]`],
      );
      if (other !== undefined)
        throw new CommandFailure(
          `${other.name} (${table}) is another there, or has another role or mode, or is removed at one of the two: make them alike, or remove their access here.`,
        );
    }
    await copyRows(table, where, {
      change: (line) => JSON.stringify(Object.assign({}, JSON.parse(withRoles(line)), { environments: [env.name] })),
      onConflict: `on conflict (id) do update set environments = ${table}.environments || excluded.environments
        where not ${table}.environments && array['*', '${env.name}']`,
    });
  }
};

/** Copies everything of an environment and returns the number of rows by table. Throws CommandFailure for accounts that differ. */
export const copyEnvironment = async (copy: Copy): Promise<Record<string, number>> => {
  const copyRows = await createCopier(copy);
  await copyAccounts(copy, copyRows);
  const { from, env } = copy;
  const id = String(env.id);
  const counts: Record<string, number> = { environments: await copyRows('environments', `id = ${id}`) };
  for (const table of await readMovedTables(from)) counts[table] = await copyRows(table, `env = ${id}`);
  for (const [table, where] of Object.entries(partRows(env))) counts[table] = await copyRows(table, where);
  await copyRows('event_turns', 'true', {
    onConflict: 'on conflict (starts) do update set at = least(event_turns.at, excluded.at)',
  });
  return counts;
};
