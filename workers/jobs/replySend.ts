/**
 * Delivers a reply once, or says honestly that nobody knows: it is marked in PostgreSQL before it is given out of hand,
 * so that whoever takes the job after a killed worker settles it as `unknown` instead of sending it again.
 */
import { isAway } from '../../shared/platform/db/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Environment, Inbox } from '../../shared/environments/definition.ts';
import { readItems } from '../../shared/items/model.ts';
import { markReply, readAsked, type AskedReply } from '../../shared/replies/asked.ts';
import { deliverReply, type Delivery } from '../../shared/replies/deliver.ts';
import { settleReply, type ReplyEnd } from '../../shared/replies/settle.ts';
import { pauseAfter } from '../bell.ts';
import { again, done, giveUp, waitForApp, type Handler, type Job, type Outcome } from '../handler.ts';

const attemptsMax = 5;
/** ms before the second attempt, and how many times as long each further wait is: mail servers ask for minutes, an app for seconds. */
const firstWaitMs = 1_000;
const growth = { app: 2, smtp: 6 } as const;

const declared = ({ directory }: Deps, number: number, name: string): { env: Environment; inbox: Inbox } | null => {
  const env = directory.environmentById(number);
  const inbox = env?.definition.inboxes.get(name);
  return env === undefined || inbox === undefined ? null : { env, inbox };
};

type ReplyJob = Job<'replySend'>;

const settle = async (deps: Deps, job: ReplyJob, asked: AskedReply, end: ReplyEnd): Promise<Outcome> => {
  for (let failures = 1; ; failures++) {
    try {
      await settleReply(deps, job, asked, end, job.payload.dueAt);
      break;
    } catch (error) {
      // What is known of it is worth waiting for PostgreSQL as long as the claim lasts: the next worker would not know it.
      if (!isAway(error) || job.signal.aborted) throw error;
      await new Promise((resolve) => void setTimeout(resolve, pauseAfter(failures)));
    }
  }
  if (end.status !== 'sent') deps.log.warn({ job: job.id, requestId: job.requestId, entry: asked.entry, status: end.status, reason: end.error }, 'a reply was not sent');
  // Its row has gone with the settling, or is in other hands.
  return done();
};

const tryLater = async (deps: Deps, job: ReplyJob, asked: AskedReply, { error, via }: { error: string; via: keyof typeof growth }): Promise<Outcome> => {
  const attempts = (job.payload.attempts ?? 0) + 1;
  if (attempts >= attemptsMax) return settle(deps, job, asked, { status: 'failed', error });
  await markReply(deps.db, job, { handedOver: false, attempts });
  return again(deps.clock.now() + firstWaitMs * growth[via] ** (attempts - 1));
};

interface Delivered {
  readonly delivery: Delivery;
  readonly via: keyof typeof growth;
  /** Whether the job bears the mark. */
  readonly marked: boolean;
}

const deliver = async (deps: Deps, job: ReplyJob, asked: AskedReply): Promise<Delivered> => {
  let found = declared(deps, job.env, asked.inbox);
  if (found === null) {
    await deps.directory.refresh();
    found = declared(deps, job.env, asked.inbox);
  }
  const item = (await readItems(deps.db, job.env, [asked.item])).get(asked.item);
  if (found === null || item === undefined) return { delivery: { kind: 'failed', error: 'Its inbox is gone.' }, via: 'app', marked: false };
  job.signal.throwIfAborted();
  let marked = false;
  const onHandOver = async (): Promise<void> => {
    await markReply(deps.db, job, { handedOver: true });
    marked = true;
  };
  const delivery = await deliverReply(deps, { ...found, item, asked, onHandOver });
  return { delivery, via: found.inbox.reply?.via ?? 'app', marked };
};

export const replySend: Handler<'replySend'> = async (job, deps) => {
  const asked = await readAsked(deps.db, job.env, job.payload);
  if (asked === null) return giveUp('There is no such reply.');
  if (job.payload.handedOver === true) return settle(deps, job, asked, { status: 'unknown', error: 'It was handed over, and the worker ended before an answer came.' });
  const { delivery, via, marked } = await deliver(deps, job, asked);
  switch (delivery.kind) {
    case 'sent':
      return settle(deps, job, asked, { status: 'sent', error: null });
    case 'failed':
    case 'unknown':
      return settle(deps, job, asked, { status: delivery.kind, error: delivery.error });
    case 'later':
      return tryLater(deps, job, asked, { error: delivery.error, via });
    case 'offline':
      if (marked) await markReply(deps.db, job, { handedOver: false });
      return waitForApp();
  }
};
