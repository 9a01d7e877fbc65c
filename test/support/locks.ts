/** Races of requests for a row: a test holds it until all of them wait. */
import pg from 'pg';
import { until } from './until.ts';
import type { World } from './world.ts';

/** Sends the requests one after the other, each once the one before it waits for the row; then lets go. Resolves with their answers. */
export const raceForRow = async <R>(
  { config, sql }: Pick<World, 'config' | 'sql'>,
  { table, id }: { readonly table: string; readonly id: string },
  requests: readonly (() => Promise<R>)[],
): Promise<R[]> => {
  const waiting = async (): Promise<number> =>
    (
      await sql(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0",
        [table],
      )
    ).length;
  const locker = new pg.Client({ connectionString: config.migrateDatabaseUrl });
  await locker.connect();
  try {
    await locker.query('begin');
    await locker.query(`select from ${table} where id = $1 for update`, [id]);
    const answers: Promise<R>[] = [];
    for (const request of requests) {
      answers.push(request());
      await until(`${String(answers.length)} wait`, async () => (await waiting()) >= answers.length);
    }
    await locker.query('commit');
    return await Promise.all(answers);
  } finally {
    await locker.end();
  }
};
