/** Refuses an idempotency key of `POST /actions` while the first call with it waits for the app. Used by that endpoint. */
import type { Caller } from '../../accounts/access/principal.ts';
import { fault } from '../../catalogue/errors.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import type { ActionDeps } from '../deps.ts';

const waitingRunSql = statement(
  'runs.waiting',
  `
  select 1 from runs where once_principal = $1 and once_key = $2 and waiting_until > $3 and status = 'running' and lost_at is null limit 1`,
);

/** Throws `in_progress` while the first call with this key waits. */
export const requireNotInProgress = async ({ db, clock }: ActionDeps, caller: Caller, key: string): Promise<void> => {
  if ((await queryRow(db, waitingRunSql, [caller.principal.id, key, clock.now()])) !== undefined)
    throw fault('in_progress');
};
