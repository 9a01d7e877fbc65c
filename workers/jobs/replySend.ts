/**
 * Delivers a reply once, if its author still may reply. The reply is marked in PostgreSQL before it is dispatched, so that
 * the worker which takes the job over from a killed one settles it as `unknown` instead of sending it again.
 */
import type { Environment, InboxDefinition } from '../../shared/app/manifest/definition.ts';
import type { Deps } from '../../shared/deps.ts';
import { readItems } from '../../shared/items/model.ts';
import { isDbUnavailable } from '../../shared/platform/db/errors.ts';
import { sleep } from '../../shared/platform/time/clock.ts';
import { type DeliveryOutcome, replyRefusal, deliverReply } from '../../shared/replies/deliverReply.ts';
import { markReply, readReplyRequest, type ReplyRequest } from '../../shared/replies/replyRequest.ts';
import { settleReply, type ReplyResolution } from '../../shared/replies/settleReply.ts';
import { done, giveUp, retryAt, waitForApp, type Job, type JobHandler, type JobOutcome } from '../handler.ts';
import { replyCounter } from '../metrics.ts';
import { backoffAfter } from '../wakeSignal.ts';

/** Tries to deliver a reply before it fails. */
const attemptsMax = 5;
/** ms before the second try, and the factor of each further wait: mail servers need minutes, an app seconds. */
const firstRetryMs = 1_000;
const retryFactor = { app: 2, smtp: 6 } as const;

const findDeclaredInbox = (
  { directory }: Deps,
  envId: number,
  name: string,
): { env: Environment; inbox: InboxDefinition } | null => {
  const env = directory.environmentById(envId);
  const inbox = env?.definition.inboxes.get(name);
  return env === undefined || inbox === undefined ? null : { env, inbox };
};

type ReplyJob = Job<'replySend'>;

const settleJob = async (
  deps: Deps,
  job: ReplyJob,
  request: ReplyRequest,
  end: ReplyResolution,
): Promise<JobOutcome> => {
  for (let failures = 1; ; failures++) {
    try {
      // Where another worker has the lease, that one settles the reply and counts it.
      if (await settleReply(deps, job, request, end, job.payload.dueAt)) replyCounter.inc({ outcome: end.status });
      break;
    } catch (error) {
      // Only this worker knows the outcome, so it waits for PostgreSQL as long as the lease lasts.
      if (!isDbUnavailable(error) || job.signal.aborted) throw error;
      await sleep(backoffAfter(failures));
    }
  }
  if (end.status !== 'sent')
    deps.log.warn(
      { job: job.id, requestId: job.requestId, entry: request.entry, status: end.status, reason: end.error },
      'a reply was not sent',
    );
  // Settling has deleted the job's row, or another worker has its lease.
  return done();
};

const retryLater = async (
  deps: Deps,
  job: ReplyJob,
  request: ReplyRequest,
  { error, via }: { error: string; via: keyof typeof retryFactor },
): Promise<JobOutcome> => {
  const attempts = (job.payload.attempts ?? 0) + 1;
  if (attempts >= attemptsMax) return settleJob(deps, job, request, { status: 'failed', error });
  await markReply(deps.db, job, { handedOver: false, attempts });
  return retryAt(deps.clock.now() + firstRetryMs * retryFactor[via] ** (attempts - 1));
};

interface DeliveryAttempt {
  readonly delivery: DeliveryOutcome;
  readonly via: keyof typeof retryFactor;
  /** Whether the reply is marked as dispatched. */
  readonly marked: boolean;
}

const deliver = async (deps: Deps, job: ReplyJob, request: ReplyRequest): Promise<DeliveryAttempt> => {
  let found = findDeclaredInbox(deps, job.env, request.inbox);
  if (found === null) {
    await deps.directory.refresh();
    found = findDeclaredInbox(deps, job.env, request.inbox);
  }
  const item = (await readItems(deps.db, job.env, [request.item])).get(request.item);
  if (found === null || item === undefined)
    return { delivery: { kind: 'failed', error: 'Its inbox is gone.' }, via: 'app', marked: false };
  const refusal = await replyRefusal(deps, job.env, item, request);
  if (refusal !== null) return { delivery: { kind: 'failed', error: refusal }, via: 'app', marked: false };
  job.signal.throwIfAborted();
  let marked = false;
  const onDispatch = async (connection: string | null): Promise<void> => {
    await markReply(deps.db, job, { handedOver: true, connection, taken: false });
    marked = true;
  };
  const delivery = await deliverReply(deps, { ...found, item, request, job, to: job.payload.to ?? null, onDispatch });
  return { delivery, via: found.inbox.reply?.via ?? 'app', marked };
};

export const replySend: JobHandler<'replySend'> = async (job, deps) => {
  const request = await readReplyRequest(deps.db, job.env, job.payload);
  if (request === null) return giveUp('There is no such reply.');
  if (job.payload.handedOver === true)
    return settleJob(deps, job, request, {
      status: 'unknown',
      error: 'It was handed over, and the worker ended before an answer came.',
    });
  const { delivery, via, marked } = await deliver(deps, job, request);
  switch (delivery.kind) {
    case 'sent':
      return settleJob(deps, job, request, { status: 'sent', error: null });
    case 'failed':
    case 'unknown':
      return settleJob(deps, job, request, { status: delivery.kind, error: delivery.error });
    case 'later':
      return retryLater(deps, job, request, { error: delivery.error, via });
    case 'offline':
      if (marked) await markReply(deps.db, job, { handedOver: false });
      return waitForApp();
  }
};
