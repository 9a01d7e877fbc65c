/** Reads and changes for how long environments keep what is not kept for ever. For the admin command. */
import { fault } from '../../../catalogue/errors.ts';
import { retentionKinds, type RetentionName } from '../../../catalogue/retention.ts';
import type { Db, Tx } from '../../../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../../../platform/db/sql.ts';
import { recordAdminChange, type Administrator } from '../adminChange.ts';

/** Days by kind: null: the default of the kind, 0: for ever. */
export type RetentionDays = Readonly<Record<RetentionName, number | null>>;

export interface RetentionView extends RetentionDays {
  readonly environment: string;
}

const daysColumns = retentionKinds.map(
  ({ kind }) => `(select r.days from retentions r where r.env = e.id and r.kind = '${kind}') as "${kind}"`,
);
const select = `select e.name as environment, ${daysColumns.join(', ')} from environments e`;
const listSql = statement('administer.retentions.list', `${select} order by e.id`);
const lockedSql = statement('administer.retentions.locked', `${select} where e.name = $1 for no key update of e`);
const setSql = statement(
  'administer.retentions.set',
  `
  insert into retentions (env, kind, days) select id, $2, $3 from environments where name = $1
  on conflict (env, kind) do update set days = excluded.days`,
);

const namesOf = (days: Partial<RetentionDays>): RetentionName[] =>
  retentionKinds.map(({ kind }) => kind).filter((kind) => days[kind] !== undefined);

/** Returns the retention of each environment, the oldest first. */
export const listRetentions = (db: Db | Tx): Promise<RetentionView[]> => queryRows<RetentionView>(db, listSql);

/** Sets for how long an environment keeps rows of some kinds, and returns all its times. Throws `not_found` for an unknown one. */
export const setRetention = async (
  tx: Tx,
  admin: Administrator,
  environment: string,
  days: Partial<RetentionDays>,
): Promise<RetentionView> => {
  const before = await queryRow<RetentionView>(tx, lockedSql, [environment]);
  if (before === undefined) throw fault('not_found');
  const changed = namesOf(days).filter((kind) => days[kind] !== before[kind]);
  if (changed.length === 0) return before;
  for (const kind of changed) await executeStatement(tx, setSql, [environment, kind, days[kind] ?? null]);
  const membersOf = (of: Partial<RetentionDays>): object =>
    Object.fromEntries(changed.map((kind) => [kind, of[kind] ?? null]));
  await recordAdminChange(tx, admin, {
    verb: 'environment.retention',
    target: { type: 'environment', id: environment },
    environments: [environment],
    before: membersOf(before),
    after: membersOf(days),
  });
  return { ...before, ...days };
};
