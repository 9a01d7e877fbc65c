/** Rows that have ended long ago, on their way to the months of such rows. */
import type { Tx } from '../../shared/platform/db/knex.ts';
import { queryRows } from '../../shared/platform/db/sql.ts';
import { endedKinds, moveEndedRows } from '../../workers/sweeps/expiredRows.ts';
import type { World } from './world.ts';

/** Lets rows move at once, as on the day after the migration, and moves them. */
export const moveNow = async (world: Pick<World, 'sql' | 'deps'>): Promise<void> => {
  await world.sql('update ended_moves set begin_at = 0');
  await moveEndedRows.run(world.deps);
};

/** Moves what has ended of the first of each two rows to its month, however lately it has. */
export const moveHalf = async ({ sql, deps }: Pick<World, 'sql' | 'deps'>): Promise<void> => {
  for (const { kind, move } of endedKinds) {
    const rows = await sql<{ id: string }>(`select id from ${kind} order by id`);
    const ids = rows.filter((_, n) => n % 2 === 0).map(({ id }) => id);
    await sql('select prepare_ended_months($1, $2)', [kind, ids]);
    await queryRows(deps.db, move, [ids, Date.now() + 60_000]);
  }
};

/** Returns the names of the months of a table, sorted. */
export const monthsOf = async ({ sql }: Pick<World, 'sql'>, table: string): Promise<string[]> =>
  (
    await sql<{ name: string }>(
      'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
      [table],
    )
  ).map(({ name }) => name);

/** Returns the name of the month's part of a table for a time. */
export const monthOf = (table: string, at: number): string =>
  `${table}_${new Date(at).toISOString().slice(0, 7).replace('-', '_')}`;

/** Returns the lines of the generic plan of a prepared statement that say what they scan; `read` prepares it by using it. */
export const scansOf = (
  { deps }: Pick<World, 'deps'>,
  read: (tx: Tx) => Promise<unknown>,
  call: string,
): Promise<string[]> =>
  deps.db.transaction(async (tx) => {
    await read(tx);
    const { rows } = await tx.raw<{ rows: { 'QUERY PLAN': string }[] }>(
      `explain (analyze, costs off, timing off, summary off, buffers off) execute ${call}`,
    );
    return rows.map((row) => row['QUERY PLAN']).filter((line) => / Scan /.test(line));
  });
