/** What running an action would do now, without doing it. Used by `POST /actions` with `dryRun`. */
import type { Caller } from '../../accounts/access/principal.ts';
import { fault } from '../../catalogue/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { AuthorizedAction } from '../authorizeAction.ts';
import { isFirstInRecordQueue } from '../call/recordQueue.ts';
import type { ActionDeps } from '../deps.ts';
import { runRecordKey } from '../model.ts';
import { requiresApproval } from './acceptAction.ts';

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
