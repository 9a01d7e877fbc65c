/** The job of an erasure: composed by the statement that inserts the erasure, and staged for those that are under way and have none. */
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import { type InsertSource, type Sql, stagedJobInsert } from '../platform/journal/inserts.ts';

/** Returns the text of the insert of a job for each row of the source, which has the erasure as `e`. `at`: when it is due. */
export const erasureJobInsert = ({ id, at }: { readonly id: Sql; readonly at: Sql }, source: InsertSource): string =>
  stagedJobInsert(
    {
      id,
      env: 'e.env',
      name: "'erase'",
      payload: "jsonb_build_object('erasure', e.id)",
      subject: 'e.id',
      request_id: 'e.request_id',
      due_at: at,
      created_at: at,
    },
    source,
  );

/** SQL for whether an erasure has no job, not even one that was given up, which a person retries. */
const isJoblessSql = `
  e.finished_at is null and not exists (select from staged_jobs j where j.subject = e.id and j.name = 'erase')`;

const joblessSql = statement('erasures.jobless', `select e.id from erasures e where ${isJoblessSql} limit 500`);
const stageSql = statement(
  'erasures.stage',
  erasureJobInsert(
    { id: 'm.job', at: '$3::bigint' },
    {
      from: 'unnest($1::text[], $2::text[]) as m (job, erasure) join erasures e on e.id = m.erasure',
      where: isJoblessSql,
    },
  ),
);

/** Stages a job for each erasure that needs one and has none, and returns how many. */
export const stageMissingErasures = async (db: Db, now: number): Promise<number> => {
  const found = await queryRows<{ id: string }>(db, joblessSql);
  if (found.length === 0) return 0;
  return executeStatement(db, stageSql, [found.map(() => newId('job')), found.map(({ id }) => id), now]);
};
