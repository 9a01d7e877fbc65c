/** What `items.report` answered to a delivery: kept 24 hours, so that a repeat answers the same (items/report.ts). */
import { limits } from '../../catalogue/limits.ts';
import type { Db } from '../../platform/db/knex.ts';
import { rows, run, statement } from '../../platform/db/sql.ts';

const find = statement('deliveries.find', 'select delivery, item, created from deliveries where env = $1 and delivery = any($2) and created_at > $3');
const expire = statement('deliveries.expire', 'delete from deliveries where env = $1 and delivery = any($2) and created_at <= $3');

export interface Delivered {
  readonly item: string;
  readonly created: boolean;
}

/** What the deliveries were answered with, as far as they were. */
export const readDeliveries = async (db: Db, env: number, deliveries: readonly string[], now: number): Promise<Map<string, Delivered>> => {
  if (deliveries.length === 0) return new Map();
  const found = await rows<Delivered & { delivery: string }>(db, find, [env, deliveries, now - limits.deliveryMs]);
  return new Map(found.map(({ delivery, item, created }) => [delivery, { item, created }]));
};

/** Makes room for deliveries whose first answer is too old to count. */
export const expireDeliveries = (db: Db, env: number, deliveries: readonly string[], now: number): Promise<number> =>
  run(db, expire, [env, deliveries, now - limits.deliveryMs]);
