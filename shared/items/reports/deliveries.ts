/** What `items.report` answered to a delivery: kept 24 hours, so that a repeat answers the same (items/report.ts). */
import { limits } from '../../catalogue/limits.ts';
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, executeStatement, statement } from '../../platform/db/sql.ts';

const findDeliveriesSql = statement(
  'deliveries.find',
  'select delivery, item, created from deliveries where env = $1 and delivery = any($2) and created_at > $3',
);
const deleteExpiredDeliveriesSql = statement(
  'deliveries.expire',
  'delete from deliveries where env = $1 and delivery = any($2) and created_at <= $3',
);

export interface DeliveryResult {
  readonly item: string;
  readonly created: boolean;
}

/** What the deliveries were answered with, as far as they were. */
export const readDeliveries = async (
  db: Db,
  env: number,
  deliveries: readonly string[],
  now: number,
): Promise<Map<string, DeliveryResult>> => {
  if (deliveries.length === 0) return new Map();
  const found = await queryRows<DeliveryResult & { delivery: string }>(db, findDeliveriesSql, [
    env,
    deliveries,
    now - limits.deliveryMs,
  ]);
  return new Map(found.map(({ delivery, item, created }) => [delivery, { item, created }]));
};

/** Makes room for deliveries whose first answer is too old to count. */
export const expireDeliveries = (db: Db, env: number, deliveries: readonly string[], now: number): Promise<number> =>
  executeStatement(db, deleteExpiredDeliveriesSql, [env, deliveries, now - limits.deliveryMs]);
