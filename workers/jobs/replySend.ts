/**
 * Delivers a reply once, or says honestly that nobody knows: it is marked in PostgreSQL before it is given out of hand,
 * so that whoever takes the job after a killed worker settles it as `unknown` instead of sending it again.
 */
import { isDbUnavailable } from '../../shared/platform/db/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Environment, InboxDefinition } from '../../shared/environments/definition.ts';
import { readItems } from '../../shared/items/model.ts';
import { markReply, readReplyRequest, type ReplyRequest } from '../../shared/replies/replyRequest.ts';
import { deliverReply, type DeliveryOutcome } from '../../shared/replies/deliverReply.ts';
import { settleReply, type ReplyResolution } from '../../shared/replies/settleReply.ts';
import { backoffAfter } from '../wakeSignal.ts';
import { retryAt, done, giveUp, waitForApp, type JobHandler, type Job, type JobOutcome } from '../handler.ts';

const attemptsMax = 5;
/** ms before the second attempt, and how many times as long each further wait is: mail servers ask for minutes, an app for seconds. */
const firstRetryMs = 1_000;
const retryFactor = { app: 2, smtp: 6 } as const;

const findDeclaredInbox = (
  { directory }: Deps,
  number: number,
  name: string,
): { env: Environment; inbox: InboxDefinition } | null => {
  const env = directory.environmentById(number);
  const inbox = env?.definition.inboxes.get(name);
  return env === undefined || inbox === undefined ? null : { env, inbox };
};

type ReplyJob = Job<'replySend'>;

const settleJob = async (deps: Deps, job: ReplyJob, asked: ReplyRequest, end: ReplyResolution): Promise<JobOutcome> => {
  for (let failures = 1; ; failures++) {
    try {
      await settleReply(deps, job, asked, end, job.payload.dueAt);
      break;
    } catch (error) {
      // What is known of it is worth waiting for PostgreSQL as long as the claim lasts: the next worker would not know it.
      if (!isDbUnavailable(error) || job.signal.aborted) throw error;
      await new Promise((resolve) => void setTimeout(resolve, backoffAfter(failures)));
    }
  }
  if (end.status !== 'sent')
    deps.log.warn(
      { job: job.id, requestId: job.requestId, entry: asked.entry, status: end.status, reason: end.error },
      'a reply was not sent',
    );
  // Its row has gone with the settling, or is in other hands.
  return done();
};

const retryLater = async (
  deps: Deps,
  job: ReplyJob,
  asked: ReplyRequest,
  { error, via }: { error: string; via: keyof typeof retryFactor },
): Promise<JobOutcome> => {
  const attempts = (job.payload.attempts ?? 0) + 1;
  if (attempts >= attemptsMax) return settleJob(deps, job, asked, { status: 'failed', error });
  await markReply(deps.db, job, { handedOver: false, attempts });
  return retryAt(deps.clock.now() + firstRetryMs * retryFactor[via] ** (attempts - 1));
};

interface DeliveryAttempt {
  readonly delivery: DeliveryOutcome;
  readonly via: keyof typeof retryFactor;
  /** Whether the job bears the mark. */
  readonly marked: boolean;
}

const deliver = async (deps: Deps, job: ReplyJob, asked: ReplyRequest): Promise<DeliveryAttempt> => {
  let found = findDeclaredInbox(deps, job.env, asked.inbox);
  if (found === null) {
    await deps.directory.refresh();
    found = findDeclaredInbox(deps, job.env, asked.inbox);
  }
  const item = (await readItems(deps.db, job.env, [asked.item])).get(asked.item);
  if (found === null || item === undefined)
    return { delivery: { kind: 'failed', error: 'Its inbox is gone.' }, via: 'app', marked: false };
  job.signal.throwIfAborted();
  let marked = false;
  const onHandOver = async (): Promise<void> => {
    await markReply(deps.db, job, { handedOver: true });
    marked = true;
  };
  const delivery = await deliverReply(deps, { ...found, item, request: asked, onDispatch: onHandOver });
  return { delivery, via: found.inbox.reply?.via ?? 'app', marked };
};

export const replySend: JobHandler<'replySend'> = async (job, deps) => {
  const asked = await readReplyRequest(deps.db, job.env, job.payload);
  if (asked === null) return giveUp('There is no such reply.');
  if (job.payload.handedOver === true)
    return settleJob(deps, job, asked, {
      status: 'unknown',
      error: 'It was handed over, and the worker ended before an answer came.',
    });
  const { delivery, via, marked } = await deliver(deps, job, asked);
  switch (delivery.kind) {
    case 'sent':
      return settleJob(deps, job, asked, { status: 'sent', error: null });
    case 'failed':
    case 'unknown':
      return settleJob(deps, job, asked, { status: delivery.kind, error: delivery.error });
    case 'later':
      return retryLater(deps, job, asked, { error: delivery.error, via });
    case 'offline':
      if (marked) await markReply(deps.db, job, { handedOver: false });
      return waitForApp();
  }
};
