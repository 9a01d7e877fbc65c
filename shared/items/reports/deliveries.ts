/** Results of `items.report` by delivery, kept for `limits.deliveryMs`, so that a repeat gets the first result. For report.ts. */
import { limits } from '../../catalogue/limits.ts';
import type { Db } from '../../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../../platform/db/sql.ts';

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

/** Returns the results of those of the deliveries that have one. */
export const readDeliveries = async (
  db: Db,
  envId: number,
  deliveries: readonly string[],
  now: number,
): Promise<Map<string, DeliveryResult>> => {
  if (deliveries.length === 0) return new Map();
  const found = await queryRows<DeliveryResult & { delivery: string }>(db, findDeliveriesSql, [
    envId,
    deliveries,
    now - limits.deliveryMs,
  ]);
  return new Map(found.map(({ delivery, item, created }) => [delivery, { item, created }]));
};

/** Deletes expired results of the deliveries, so that new ones can be inserted. */
export const expireDeliveries = (db: Db, envId: number, deliveries: readonly string[], now: number): Promise<number> =>
  executeStatement(db, deleteExpiredDeliveriesSql, [envId, deliveries, now - limits.deliveryMs]);
