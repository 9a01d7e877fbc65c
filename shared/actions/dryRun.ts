/** What running an action would do now, without doing it. Used by `POST /actions` with `dryRun`. */
import type { Caller } from '../access/principal.ts';
import { fault } from '../catalogue/errors.ts';
import { newId } from '../platform/core/ids.ts';
import { requiresApproval } from './acceptAction.ts';
import type { AuthorizedAction } from './authorizeAction.ts';
import type { ActionDeps } from './deps.ts';
import { runRecordKey } from './model.ts';
import { isFirstInRecordQueue } from './recordQueue.ts';

/** `run`: its result would be waited for; `start`: it would run in the background. */
type ActionDryRun = 'run' | 'start' | 'queue' | 'pend';

/** Returns what `acceptAction` would do with an authorized action. Throws `app_offline` for one that is not queued while the app is offline. */
export const dryRunAuthorized = async (
  deps: ActionDeps,
  caller: Caller,
  { action, record, recordId }: AuthorizedAction & { readonly recordId: string | null },
): Promise<ActionDryRun> => {
  if (requiresApproval(caller, action)) return 'pend';
  if (record === 'unverified' || !(await deps.link.online(caller.env.id, action.declaration))) {
    if (action.offline === 'refuse')
      throw fault('app_offline', `The app is offline, and ${action.label} is not queued.`);
    return 'queue';
  }
  const lane = runRecordKey({ resource: action.resource, record: recordId });
  if (!(await isFirstInRecordQueue(deps.db, { env: caller.env.id, lane, id: newId('run') }))) return 'queue';
  return action.background ? 'start' : 'run';
};
