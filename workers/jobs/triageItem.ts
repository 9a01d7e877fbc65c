/**
 * Triages a new item once: by its inbox's rules, and by the app when none of them applies. What is performed holds only
 * for an item that nobody has triaged yet, so this may run any number of times, also twice at once.
 */
import { Fault } from '../../shared/catalogue/errors.ts';
import { rpcCodes } from '../../shared/applink/protocol.ts';
import { fullAccess } from '../../shared/access/access.ts';
import type { Principal } from '../../shared/access/principal.ts';
import type { Deps } from '../../shared/deps.ts';
import type { Environment, InboxDefinition } from '../../shared/environments/definition.ts';
import { readItems, type Item } from '../../shared/items/model.ts';
import { triageFirst, type TriageInput } from '../../shared/items/operations/triage.ts';
import { itemJson } from '../../shared/items/present.ts';
import { performOperation } from '../../shared/items/perform/perform.ts';
import { getRecords } from '../../shared/records/read.ts';
import { appPrincipal, rulesPrincipal } from '../../shared/triage/callers.ts';
import { findTriageRule, type TriageSubject } from '../../shared/triage/rules.ts';
import { done, giveUp, waitForApp, type JobHandler, type Job, type JobOutcome } from '../handler.ts';

/** How long the app may think, in ms, and how often it is asked when it gives no answer. */
const answerTimeoutMs = 30_000;
const attemptsMax = 5;

interface TriageJobSubject {
  readonly env: Environment;
  readonly inbox: InboxDefinition;
  readonly item: Item;
  readonly shown: TriageSubject;
}

const findTriagedInbox = (
  { directory }: Deps,
  number: number,
  name: string,
): { env: Environment; inbox: InboxDefinition } | null => {
  const env = directory.environmentById(number);
  const inbox = env?.definition.inboxes.get(name);
  return env === undefined || inbox === undefined || inbox.triage === null || inbox.triage === undefined
    ? null
    : { env, inbox };
};

/** The item with what its inbox declares; null when there is nothing to triage, believed only after a fresh look. */
const readTriageSubject = async (
  deps: Deps,
  { env: number, payload }: Job<'triageItem'>,
): Promise<TriageJobSubject | null> => {
  const item = (await readItems(deps.db, number, [payload.item])).get(payload.item);
  if (item === undefined || item.triage !== null) return null;
  let found = findTriagedInbox(deps, number, item.inbox);
  if (found === null) {
    await deps.directory.refresh();
    found = findTriagedInbox(deps, number, item.inbox);
  }
  if (found === null) return null;
  const [record = null] = item.record === null ? [] : await getRecords(deps, found.env, [item.record]);
  return { ...found, item, shown: { item: JSON.parse(itemJson(item, fullAccess)) as Record<string, unknown>, record } };
};

/** Performs it as for one who calls the endpoint: what the endpoint would refuse is given up, and does nothing. */
const applyTriage = async (
  deps: Deps,
  { env, item }: TriageJobSubject,
  requestId: string | null,
  { principal, input }: { principal: Principal; input: unknown },
): Promise<JobOutcome> => {
  try {
    const checked: TriageInput = triageFirst.check(input, deps.clock.now());
    const attempt = () =>
      performOperation(deps, { env, principal, requestId, address: null }, triageFirst, [item.id], checked);
    let [outcome] = await attempt();
    if (outcome?.kind === 'fault') {
      // A person may be newer than what this process has read.
      await deps.directory.refresh();
      [outcome] = await attempt();
    }
    return outcome?.kind === 'fault' ? giveUp(`Triage can’t be applied: ${outcome.fault.message}`) : done();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return giveUp(`Triage is not valid: ${error.message}`);
  }
};

/** It is asked again while it may help: that it answers nothing has told it nothing yet. */
const retryOrGiveUp = (tries: number, reason: string): JobOutcome => {
  if (tries >= attemptsMax) return giveUp(reason);
  throw new Error(reason);
};

const requestAppTriage = async (
  deps: Deps,
  subject: TriageJobSubject,
  { requestId, startCount: tries, signal }: Job<'triageItem'>,
): Promise<JobOutcome> => {
  const { env, inbox, shown } = subject;
  const outcome = await deps.link.call(
    env.id,
    'triage.answer',
    { item: shown.item },
    { declares: { kind: 'inbox', name: inbox.name }, timeoutMs: answerTimeoutMs },
  );
  signal.throwIfAborted();
  switch (outcome.kind) {
    case 'answer': {
      if (outcome.result === null) return done();
      const { result } = outcome;
      return applyTriage(deps, subject, requestId, {
        principal: appPrincipal,
        input: typeof result === 'object' && !Array.isArray(result) ? { answers: {}, ...result } : result,
      });
    }
    case 'offline':
      return waitForApp();
    case 'garbled':
      return giveUp('The app’s answer to triage is not valid.');
    case 'error':
      if (outcome.code === rpcCodes.methodNotFound || (outcome.code === rpcCodes.actionFailed && !outcome.retryable))
        return giveUp(`The app doesn’t triage: ${outcome.message}`);
      return retryOrGiveUp(tries, `The app failed to triage: ${outcome.message}`);
    case 'timeout':
    case 'lost':
      return retryOrGiveUp(tries, 'The app gave no answer to triage.');
  }
};

export const triageItemJob: JobHandler<'triageItem'> = async (job, deps) => {
  const subject = await readTriageSubject(deps, job);
  if (subject === null) return done();
  const input = findTriageRule(subject.inbox, subject.shown);
  if (input !== null) return applyTriage(deps, subject, job.requestId, { principal: rulesPrincipal, input });
  return subject.inbox.triage?.app === true ? requestAppTriage(deps, subject, job) : done();
};
