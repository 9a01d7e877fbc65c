/** Wakes the items whose snooze is over, by `performOperation` like every change. */
import { fullAccess } from '../../shared/access/access.ts';
import type { Caller, Principal } from '../../shared/access/principal.ts';
import type { Deps } from '../../shared/deps.ts';
import { wakeItem } from '../../shared/items/operations/wake.ts';
import { performOperation } from '../../shared/items/perform/perform.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';

const batch = 500;

const dueSnoozesSql = statement(
  'sweeps.wake',
  `
  select env, id from items where snoozed_until is not null and snoozed_until <= $1 order by snoozed_until limit ${String(batch)}`,
);

const snoozePrincipal: Principal = {
  type: 'system',
  id: null,
  name: 'snooze',
  mode: 'normal',
  role: null,
  access: fullAccess,
  environments: ['*'],
};

/** Wakes all items that are due; those of environments that this process doesn't know yet stay for the next run. */
export const wakeItems = async (deps: Deps): Promise<void> => {
  for (;;) {
    const found = await queryRows<{ env: number; id: string }>(deps.db, dueSnoozesSql, [deps.clock.now()]);
    const environments = new Set(found.map((row) => row.env));
    let woken = 0;
    for (const envId of environments) {
      const env = deps.directory.environmentById(envId);
      // An environment that is newer than this process's directory.
      if (env === undefined) continue;
      const caller: Caller = { env, principal: snoozePrincipal, requestId: null, address: null };
      const outcomes = await performOperation(
        deps,
        caller,
        wakeItem,
        found.filter((row) => row.env === envId).map((row) => row.id),
        {},
      );
      woken += outcomes.filter((outcome) => outcome.kind === 'changed').length;
    }
    if (found.length < batch || woken === 0) return;
  }
};
