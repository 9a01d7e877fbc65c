/** The effect of approving a run: a job runs it, or it is queued while the app is offline; the response doesn't wait for the app. */
import { isDeepStrictEqual } from 'node:util';
import type { ActionDefinition } from '../../app/manifest/actions.ts';
import { fault } from '../../catalogue/errors.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import { findRecords, hashRecord } from '../../records/queries.ts';
import { toQueuedRun } from '../../runs/accept/acceptAction.ts';
import { isRetryable, resetForRetry } from '../../runs/accept/retryRun.ts';
import { reauthorizeAction } from '../../runs/authorizeAction.ts';
import { readRun, type Run } from '../../runs/model.ts';
import type { JobDue } from '../../runs/runStatementParts.ts';
import { transitionRun } from '../../runs/transitionRun.ts';
import { servedRecordOf } from '../../views/approvals/digest.ts';
import { emptyEffects, staleFault, type PrepareEffect } from './effect.ts';

/** Throws `stale` when a field that the action names in `stale` has changed since the request. */
const requireFieldsAsAsked = ({ stale }: ActionDefinition, before: object | null, record: unknown): void => {
  const fieldsOf = (of: unknown): object => (isObject(of) && isObject(of['fields']) ? of['fields'] : {});
  const [asked, now] = [new Map(Object.entries(fieldsOf(before))), new Map(Object.entries(fieldsOf(record)))];
  const changed = stale.find((field) => !isDeepStrictEqual(asked.get(field), now.get(field)));
  if (before !== null && isObject(record) && changed !== undefined)
    throw staleFault(`record.fields.${changed}`, `the record’s ${changed} has changed since the request`);
};

/** Authorizes the run again, with the input that was shown. Throws `stale` when the run has changed, `app_offline` when the action isn't queued. */
export const prepareRunApproval: PrepareEffect<'action'> = async ({
  deps,
  approval,
  requester,
  decidedBy,
  digest = '',
}) => {
  const { before } = approval;
  const run = approval.run === null ? undefined : await readRun(deps.db, approval.env, approval.run);
  const { endedAs } = approval.request;
  const input = { ...approval.request.input };
  const waits =
    run !== undefined && (endedAs === undefined ? run.status === 'pending' : run.fence === endedAs && isRetryable(run));
  if (run === undefined || !waits) throw staleFault('run', 'its run has changed since the request');
  const { action, record } = await reauthorizeAction(deps, requester, { ...run, input, approved_by: decidedBy });
  const online = await deps.link.online(approval.env, action.declaration);
  if (!online && action.offline === 'refuse')
    throw fault(
      'app_offline',
      `The app is offline, and ${action.label} is not queued; approve it once the app is back.`,
    );
  const { resource, record: id } = approval.request;
  const isServed = requester.env.definition.resources.get(resource ?? '')?.source === 'app';
  const approved = isServed
    ? (servedRecordOf(digest) ?? (before === null ? undefined : hashRecord(before)))
    : undefined;
  return async (tx) => {
    const at = deps.clock.now();
    const isRead = isServed || resource === null || id === null || action.stale.length === 0;
    const [now] = isRead ? [record] : await findRecords(tx, approval.env, [{ resource, id }], true);
    requireFieldsAsAsked(action, before, now);
    const begun = endedAs === undefined ? run : { ...resetForRetry(run, requester, at), approval: approval.id };
    const next: Run = {
      ...begun,
      input,
      status: 'running',
      approved_by: { ...decidedBy, at, ...(approved === undefined ? {} : { record: approved }) },
      fence: run.fence + 1,
      timeout_ms: action.timeout,
      repeatable: action.repeatable,
      background: action.background,
    };
    const due: JobDue = online ? at : 'app';
    const moved = await transitionRun(tx, run, online ? next : toQueuedRun(next, action, at), at, {
      verb: 'action.begin',
      outcome: 'ok',
      emit: true,
      due,
    });
    if (!moved) throw staleFault('run', 'its run has just been changed');
    return { ...emptyEffects, run: run.id };
  };
};
