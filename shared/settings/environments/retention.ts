/** Reads and changes for how long environments keep what is not kept for ever. For the admin command. */
import { fault } from '../../catalogue/errors.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../../platform/db/sql.ts';
import { recordAdminChange, type Administrator } from '../adminChange.ts';

export interface RetentionView {
  readonly environment: string;
  /** Days for which results of bulks are kept: null: as the workers' configuration says, 0: for ever. */
  readonly bulkResults: number | null;
}

const select = `
  select e.name as environment, r.days as "bulkResults" from environments e left join retentions r on r.env = e.id and r.kind = 'bulkResults'`;
const listSql = statement('administer.retentions.list', `${select} order by e.id`);
const lockedSql = statement('administer.retentions.locked', `${select} where e.name = $1 for no key update of e`);
const setSql = statement(
  'administer.retentions.set',
  `
  insert into retentions (env, kind, days) select id, 'bulkResults', $2 from environments where name = $1
  on conflict (env, kind) do update set days = excluded.days`,
);

/** Returns the retention of each environment, the oldest first. */
export const listRetentions = (db: Db | Tx): Promise<RetentionView[]> => queryRows<RetentionView>(db, listSql);

/** Sets for how long an environment keeps results of bulks, and returns it. Throws `not_found` for an unknown one. */
export const setRetention = async (
  tx: Tx,
  admin: Administrator,
  { environment, bulkResults }: RetentionView,
): Promise<RetentionView> => {
  const before = await queryRow<RetentionView>(tx, lockedSql, [environment]);
  if (before === undefined) throw fault('not_found');
  if (before.bulkResults === bulkResults) return before;
  await executeStatement(tx, setSql, [environment, bulkResults]);
  await recordAdminChange(tx, admin, {
    verb: 'environment.retention',
    target: { type: 'environment', id: environment },
    environments: [environment],
    before: { bulkResults: before.bulkResults },
    after: { bulkResults },
  });
  return { environment, bulkResults };
};
