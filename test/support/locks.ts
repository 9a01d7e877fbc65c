/** Races of requests for a row: a test holds it, or is about to insert it, until all of them wait. */
import pg from 'pg';
import { until } from './until.ts';
import type { World } from './world.ts';

type Server = Pick<World, 'config' | 'sql'>;

/** Resolves once so many statements about the table wait for a lock. */
export const untilWaiting = ({ sql }: Server, table: string, count: number): Promise<unknown> =>
  until(`${String(count)} wait`, async () => {
    const waiting = await sql(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0",
      [table],
    );
    return waiting.length >= count;
  });

/** Runs the statement in a transaction that is committed once the work is done. */
const inTransaction = async <R>(
  { config }: Server,
  [statement, values]: readonly [string, unknown[]],
  work: (commit: () => Promise<unknown>) => Promise<R>,
): Promise<R> => {
  const locker = new pg.Client({ connectionString: config.migrateDatabaseUrl });
  await locker.connect();
  try {
    await locker.query('begin');
    await locker.query(statement, values);
    return await work(() => locker.query('commit'));
  } finally {
    await locker.end();
  }
};

/** Sends the requests one after the other, each once the one before it waits for the row; then lets go. Resolves with their answers. */
export const raceForRow = <R>(
  server: Server,
  { table, id }: { readonly table: string; readonly id: string },
  requests: readonly (() => Promise<R>)[],
): Promise<R[]> =>
  inTransaction(server, [`select from ${table} where id = $1 for update`, [id]], async (commit) => {
    const answers: Promise<R>[] = [];
    for (const request of requests) {
      answers.push(request());
      await untilWaiting(server, table, answers.length);
    }
    await commit();
    return Promise.all(answers);
  });

/** Sends a request that waits for the row of an insert which is not committed yet; then commits that. Resolves with the answer. */
export const raceForInsert = <R>(
  server: Server,
  { table, insert, values }: { readonly table: string; readonly insert: string; readonly values: unknown[] },
  request: () => Promise<R>,
): Promise<R> =>
  inTransaction(server, [insert, values], async (commit) => {
    const answer = request();
    await untilWaiting(server, table, 1);
    await commit();
    return answer;
  });
