/** Every background job and its handler; complete by type over the catalogue's `jobs`. */
import { fullAccess } from '../../shared/accounts/access/access.ts';
import type { Principal } from '../../shared/accounts/access/principal.ts';
import { findRecipient, issueLink, linkMs, type LinkKind } from '../../shared/accounts/passwordLinks.ts';
import { revokedMessage } from '../../shared/accounts/requester.ts';
import { findLostItems, findLostRequests } from '../../shared/accounts/settings/lostAccess.ts';
import { readApproval } from '../../shared/approvals/model.ts';
import { invalidateApproval } from '../../shared/decisions/endWithoutEffect.ts';
import { erase as eraseAll } from '../../shared/erasure/erase.ts';
import { takeDueRampSteps } from '../../shared/flags/rampSteps.ts';
import { unassignLost } from '../../shared/items/operations/assign.ts';
import { performOperation } from '../../shared/items/perform/perform.ts';
import { sendServiceMail } from '../../shared/replies/deliverReply.ts';
import { markReply } from '../../shared/replies/replyRequest.ts';
import type { BulkPace } from '../bulkPace.ts';
import { type JobHandlers, done, retryAt, type JobHandler, giveUp } from '../handler.ts';
import { actionRun } from './actionRun.ts';
import { bulkChunkAt } from './bulkChunk.ts';
import { replySend } from './replySend.ts';
import { triageItemJob } from './triageItem.ts';

/** Items, or requests, that people lose in one turn. */
const lostBatch = 500;
const retryMs = 1_000;

const service: Principal = {
  type: 'system',
  id: null,
  name: 'service',
  mode: 'normal',
  role: null,
  access: fullAccess,
  environments: ['*'],
};

/**
 * Takes from people what they hold where they have no access any more: the items that are assigned to them become nobody's, and
 * their requests that wait become stale. It may stop anywhere and begins again with what is left.
 */
const unassign: JobHandler<'unassign'> = async ({ env: envId, payload, requestId, signal }, deps) => {
  // By an older cache the people would still have their access.
  await deps.directory.refresh();
  const env = deps.directory.environmentById(envId);
  if (env === undefined) return done();
  const lost = { people: payload.people, env: envId, limit: lostBatch };
  const again = retryAt(deps.clock.now() + retryMs);
  const caller = { env, principal: service, requestId, address: null };
  for (let ids = await findLostItems(deps.db, lost); ids.length > 0; ids = await findLostItems(deps.db, lost)) {
    signal.throwIfAborted();
    const outcomes = await performOperation(deps, caller, unassignLost, ids, {});
    if (!outcomes.some(({ kind }) => kind === 'changed')) return again;
  }
  const requests = await findLostRequests(deps.db, lost);
  for (const id of requests) {
    signal.throwIfAborted();
    const approval = await readApproval(deps.db, envId, id);
    if (approval !== undefined) await invalidateApproval(deps, approval, revokedMessage);
  }
  return requests.length === lostBatch ? again : done();
};

/** Attempts to send a mail. */
const attemptsMax = 6;

const texts: Readonly<Record<LinkKind, { readonly subject: string; readonly why: string; readonly until: string }>> = {
  invitation: {
    subject: 'You are invited to the console',
    why: 'You are invited to the console. Choose your password here:',
    until: `The link works once, within ${String(linkMs.invitation / 86_400_000)} days.`,
  },
  reset: {
    subject: 'Set a new password',
    why: 'Somebody asked to set a new password for your account in the console. If it was you, choose it here:',
    until: `The link works once, within ${String(linkMs.reset / 60_000)} minutes. If it was not you, do nothing: your password stays.`,
  },
};

/**
 * Mails a link by which a person sets their password. The job is marked before the mail is dispatched, so that the worker which
 * takes the job over from a killed one does not send a second mail.
 */
const passwordMail: JobHandler<'passwordMail'> = async (job, deps) => {
  const { person, kind, handedOver } = job.payload;
  const { db, clock, config } = deps;
  if (handedOver === true) return giveUp('The mail was handed over, and the worker ended before an answer came.');
  const recipient = await findRecipient(db, person);
  if (recipient === undefined) return done();
  const at = clock.now();
  const link = await issueLink(db, config.publicUrl, { person, kind, at });
  const { subject, why, until } = texts[kind];
  const outcome = await sendServiceMail(config, {
    delivery: job.id,
    to: recipient.email,
    subject,
    text: [`${recipient.name},`, why, link, until].join('\n\n'),
    at,
    onDispatch: () => markReply(db, job, { handedOver: true }),
  });
  if (outcome.kind === 'sent') return done();
  if (outcome.kind !== 'later' || job.startCount >= attemptsMax) return giveUp(outcome.error);
  await markReply(db, job, { handedOver: false });
  throw new Error(outcome.error);
};

/** Takes the ramp steps that are due. A step depends on the time alone: a late job catches up, a second one does nothing. */
const rampStep: JobHandler<'rampStep'> = async (_job, deps) => {
  await takeDueRampSteps(deps);
  return done();
};

/** Erases what identifies a person, as far as it can be erased now, and comes again for the rest. */
const erase: JobHandler<'erase'> = async ({ payload }, deps) => {
  const nextAt = await eraseAll(deps, payload.erasure);
  return nextAt === null ? done() : retryAt(nextAt);
};

/** Returns the handlers of a worker process whose bulks keep a pace. */
export const createHandlers = (pace: BulkPace): JobHandlers => ({
  actionRun,
  bulkChunk: bulkChunkAt(pace),
  erase,
  passwordMail,
  rampStep,
  replySend,
  triageItem: triageItemJob,
  unassign,
});
