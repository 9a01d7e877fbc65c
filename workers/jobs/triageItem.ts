/**
 * Triages a new item once: by its inbox's rules, or by the app when no rule applies. Only an item without triage is
 * changed, so the job may run any number of times, also twice at once.
 */
import { fullAccess } from '../../shared/accounts/access/access.ts';
import type { Principal } from '../../shared/accounts/access/principal.ts';
import { rpcCodes } from '../../shared/app/link/protocol.ts';
import type { Environment, InboxDefinition } from '../../shared/app/manifest/definition.ts';
import { Fault } from '../../shared/catalogue/errors.ts';
import type { Deps } from '../../shared/deps.ts';
import { readItems, type Item } from '../../shared/items/model.ts';
import { triageFirst, type TriageInput } from '../../shared/items/operations/triage.ts';
import { performOperation } from '../../shared/items/perform/perform.ts';
import { itemJson } from '../../shared/items/present.ts';
import { type TriageSubject, findTriageRule, appPrincipal, rulesPrincipal } from '../../shared/items/triage.ts';
import { getRecords } from '../../shared/records/read.ts';
import { done, giveUp, waitForApp, type Job, type JobHandler, type JobOutcome } from '../handler.ts';

/** ms that the app has for its answer, and calls before the job gives up. */
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
  envId: number,
  name: string,
): { env: Environment; inbox: InboxDefinition } | null => {
  const env = directory.environmentById(envId);
  const inbox = env?.definition.inboxes.get(name);
  return env === undefined || inbox === undefined || inbox.triage === null || inbox.triage === undefined
    ? null
    : { env, inbox };
};

/** Returns the item with its inbox; null when there is nothing to triage, also after the directory was reloaded. */
const readTriageSubject = async (
  deps: Deps,
  { env: envId, payload }: Job<'triageItem'>,
): Promise<TriageJobSubject | null> => {
  const item = (await readItems(deps.db, envId, [payload.item])).get(payload.item);
  if (item === undefined || item.triage !== null) return null;
  let found = findTriagedInbox(deps, envId, item.inbox);
  if (found === null) {
    await deps.directory.refresh();
    found = findTriagedInbox(deps, envId, item.inbox);
  }
  if (found === null) return null;
  const [record = null] = item.record === null ? [] : await getRecords(deps, found.env, [item.record]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the JSON object that itemJson made
  return { ...found, item, shown: { item: JSON.parse(itemJson(item, fullAccess)) as Record<string, unknown>, record } };
};

interface Triage {
  readonly principal: Principal;
  readonly input: unknown;
  /** Called with the fault that refuses it. */
  readonly onRefused?: (refusal: Fault) => void;
}

/** Performs the triage as the endpoint does; an input that the endpoint would refuse is given up. */
const applyTriage = async (
  deps: Deps,
  { env, item }: TriageJobSubject,
  { requestId, span }: Pick<Job, 'requestId' | 'span'>,
  { principal, input, onRefused = () => undefined }: Triage,
): Promise<JobOutcome> => {
  try {
    const checked: TriageInput = triageFirst.check(input, deps.clock.now());
    const attempt = () =>
      performOperation(deps, { env, principal, requestId, address: null, span }, triageFirst, [item.id], checked);
    let [outcome] = await attempt();
    if (outcome?.kind === 'fault') {
      // The assignee may be newer than this process's directory.
      await deps.directory.refresh();
      [outcome] = await attempt();
    }
    if (outcome?.kind !== 'fault') return done();
    onRefused(outcome.fault);
    return giveUp(`Triage can’t be applied: ${outcome.fault.message}`);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    onRefused(error);
    return giveUp(`Triage is not valid: ${error.message}`);
  }
};

/** Throws, so that the job is retried, until `attemptsMax` starts have failed; then gives up. */
const retryOrGiveUp = (tries: number, reason: string): JobOutcome => {
  if (tries >= attemptsMax) return giveUp(reason);
  throw new Error(reason);
};

/** Returns a function that notifies the app of why its answer was refused; nobody else sees that. */
const tellApp =
  ({ link }: Deps, { env, inbox, item }: TriageJobSubject) =>
  ({ message, extra: { details = [{ path: '', message }] } }: Fault): void => {
    link.notify(env.id, 'app.problem', {
      method: 'triage.answer',
      about: { inbox: inbox.name, item: item.id },
      problems: details,
    });
  };

const requestAppTriage = async (deps: Deps, subject: TriageJobSubject, job: Job<'triageItem'>): Promise<JobOutcome> => {
  const { env, inbox, shown } = subject;
  const { startCount: tries, signal } = job;
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
      return applyTriage(deps, subject, job, {
        principal: appPrincipal,
        input: typeof result === 'object' && !Array.isArray(result) ? { answers: {}, ...result } : result,
        onRefused: tellApp(deps, subject),
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
  const input = await findTriageRule(subject.inbox, subject.shown);
  if (input !== null) return applyTriage(deps, subject, job, { principal: rulesPrincipal, input });
  return subject.inbox.triage?.app === true ? requestAppTriage(deps, subject, job) : done();
};
