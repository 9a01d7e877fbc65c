/** Calls the handler of an action after the checks that the service makes before it. For testApp.ts. */
import type { GivenRecord, LinkRecord, ServiceCalls } from '../../app/link/protocol.ts';
import type { App } from '../defineApp.ts';
import { formatProblem } from '../formatProblem.ts';
import { cleanJson } from '../frames.ts';
import type { RunCall } from '../handlers.ts';
import { runResultProblems, toRunResult, toSendableResult } from '../runResult.ts';
import type { MemoryClient } from './memoryClient.ts';
import { createItem } from './testItems.ts';
import { isActionFailed, type Detail, type RunRequest, type TestRun } from './testTypes.ts';
import { evaluateCondition, jsonProblem, validateBlocks, type Definition } from './validators.ts';

interface RunParts {
  readonly app: App;
  readonly definition: Definition;
  readonly records: MemoryClient['records'];
  readonly signal: AbortSignal;
}

const refused = (code: TestRun['code'], message: string, details: readonly Detail[] = []): TestRun => ({
  status: 'refused',
  code,
  message,
  details,
  blocks: [],
  input: null,
  progress: [],
  retryable: false,
});

const toLinkRecord = (resource: string, given: GivenRecord): LinkRecord => ({
  subtitle: null,
  fields: {},
  updatedAt: null,
  ...given,
  resource,
});

/** Returns the record; undefined: there is none. */
const findRecord = async (
  { app, records, signal }: RunParts,
  resource: string,
  given: string | GivenRecord,
): Promise<LinkRecord | undefined> => {
  if (typeof given !== 'string') return toLinkRecord(resource, given);
  const declared = app.resources.get(resource);
  const found =
    declared?.source === 'app'
      ? (await declared.get({ ids: [given], signal })).find(({ id }) => id === given)
      : records.get(resource)?.get(given);
  return found === undefined ? undefined : toLinkRecord(resource, found);
};

/** Returns what the service gets of what a handler returned. Throws for what it would not take. */
const toReceivedResult = (action: string, returned: unknown): ServiceCalls['action.run']['result'] => {
  const sent = toSendableResult(toRunResult(returned), () => undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same result, as it goes over the wire
  const received = JSON.parse(cleanJson(JSON.stringify(sent))) as ServiceCalls['action.run']['result'];
  const unkept = jsonProblem(received);
  const problems = [...runResultProblems(returned), ...(unkept === null ? [] : [unkept])];
  if (problems.length > 0)
    throw new TypeError(formatProblem(`What the handler of ${action} returned is not valid:`, problems));
  return received;
};

/** Calls the handler. Rejects with what it throws, unless that is an `ActionFailed`. */
const callHandler = async (handler: (call: never) => unknown, call: Omit<RunCall, 'progress'>): Promise<TestRun> => {
  const progress: { fraction: number | null; message: string | null }[] = [];
  const common = { code: null, details: [], input: call.input, progress } as const;
  const whole: RunCall = {
    ...call,
    progress: (fraction, message) => void progress.push({ fraction, message: message ?? null }),
  };
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- record and input are checked
    const returned = await handler(whole as never);
    const result = toReceivedResult(call.action, returned);
    return {
      ...common,
      status: 'succeeded',
      message: result?.message ?? null,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service's form of what the handler returned
      blocks: (result?.blocks === undefined ? [] : validateBlocks(result.blocks)) as TestRun['blocks'],
      retryable: false,
    };
  } catch (error) {
    if (!isActionFailed(error)) throw error;
    return { ...common, status: 'failed', message: error.message, blocks: [], retryable: error.retryable };
  }
};

/** Checks what is asked for as the service does, in its order, and calls the handler when nothing is wrong. */
export const runHandler = async (
  parts: RunParts,
  name: string,
  request: RunRequest<unknown> & Required<Pick<RunRequest<unknown>, 'run' | 'attempt' | 'actor'>>,
): Promise<TestRun> => {
  const { app, definition } = parts;
  const action = definition.actions.get(name);
  const handler = app.actions.get(name)?.run;
  if (action === undefined || handler === undefined) return refused('not_found', `There is no action ${name}.`);
  const { resource } = action;
  if ((resource === null) !== (request.record === undefined)) {
    const message = resource === null ? `${name} takes no record` : `${name} needs a record of ${resource}`;
    return refused('invalid', `record: ${message}.`, [{ path: 'record', message }]);
  }
  const record =
    resource === null || request.record === undefined ? null : await findRecord(parts, resource, request.record);
  if (record === undefined) return refused('not_found', 'There is no such record.');
  const input: Record<string, unknown> = structuredClone(Object.assign({}, request.input));
  const problems = action.inputProblems(input, 'input.');
  if (problems.length > 0) return refused('invalid', 'The input is not valid; see details.', problems);
  if (action.when !== null && !evaluateCondition(action.when, { record, input }))
    return refused('conflict', action.otherwise ?? `${action.label} does not apply now.`);
  const { run, attempt, actor, item, reason = null, approvedBy = null } = request;
  const given = item === undefined ? null : createItem(definition, item.inbox, item);
  const asked = { run, action: name, record, input, item: given, actor, reason, approvedBy, attempt };
  const control = new AbortController();
  // As of the service: an answer that comes later counts all the same.
  const timer = setTimeout(() => {
    control.abort();
  }, action.timeout).unref();
  try {
    return await callHandler(handler, { ...asked, traceparent: null, signal: control.signal });
  } finally {
    clearTimeout(timer);
  }
};
