/** Makes the fault of a search whose time is over before all items were searched. Used by tests of the search over HTTP and in the console. */
import pg from 'pg';
import { until } from './until.ts';
import type { World } from './world.ts';

/** Returns the answer to a request whose statements on the words of items wait until the time of a page is over. */
export const tooSlowly = async <T>(world: World, request: () => Promise<T>): Promise<T> => {
  const locker = new pg.Client({ connectionString: world.config.migrateDatabaseUrl });
  await locker.connect();
  try {
    await locker.query('begin; lock table item_words in access exclusive mode');
    const answer = request();
    await until(
      'the search has waited for longer than a page may take',
      async () =>
        (
          await world.sql(
            `select from pg_stat_activity where wait_event_type = 'Lock' and application_name like 'console-api%'
               and now() - query_start > interval '300 ms'`,
          )
        ).length > 0,
    );
    await locker.query('commit');
    return await answer;
  } finally {
    await locker.end();
  }
};
