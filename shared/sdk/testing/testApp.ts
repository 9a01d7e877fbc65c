/** `testApp`: calls an app's handlers as the service would, after the service's own checks, without a server. */
import type { Actor, GivenRecord, ServiceCalls } from '../../app/link/protocol.ts';
import { replySubject } from '../../platform/words/texts.ts';
import type { AppTypes } from '../appDeclaration.ts';
import type { Client, Report } from '../client.ts';
import type { App } from '../defineApp.ts';
import { handlerProblems } from '../handlerProblems.ts';
import type { Item, TriageAnswer } from '../handlers.ts';
import type { DataOf } from '../schemaTypes.ts';
import { createMemoryClient } from './memoryClient.ts';
import { readHandler } from './readHandler.ts';
import { runHandler } from './runHandler.ts';
import { createItem } from './testItems.ts';
import {
  isActionFailed,
  type ReadMethod,
  type ReadParams,
  type RunRequest,
  type TestItem,
  type TestReply,
  type TestRun,
} from './testTypes.ts';
import {
  compileDefinition,
  evaluateCondition,
  manifestProblems,
  mergeDefinition,
  parseManifest,
  type ConditionExpression,
  type Definition,
} from './validators.ts';

type Name<T> = keyof T & string;

/** An app in a test. */
export interface TestApp<T extends AppTypes = AppTypes> {
  /** A client in memory, for handlers that are given theirs. */
  readonly client: Client<T>;
  /** What `client.report` was called with, as the service gets it. */
  readonly reports: readonly Report[];
  /** What `client.putRecords` has stored, by resource and id. */
  readonly records: ReadonlyMap<string, ReadonlyMap<string, GivenRecord>>;
  /** The replies that handlers were called with. */
  readonly replies: readonly TestReply[];
  /** Sets the value of a flag for `client.flags`. */
  setFlag(key: string, value: unknown): void;
  /**
   * Runs an action: checks the record, the input (whose defaults are filled in) and `when`, then calls the handler. Rejects
   * with what the handler throws, unless that is an `ActionFailed`.
   */
  run<A extends Name<T['actions']>>(action: A, request?: RunRequest<DataOf<T['actions'][A]>>): Promise<TestRun>;
  /**
   * Makes a call by which the service reads from the app (docs/protocol.md): records, blocks of items, records and pages, and which
   * actions are available. Resolves with the answer, blocks as they are shown; rejects for records that the service would refuse.
   */
  read<M extends ReadMethod>(method: M, params: ReadParams[M]): Promise<ServiceCalls[M]['result']>;
  /** Calls the inbox's `send` for an item with these members. */
  reply<I extends Name<T['inboxes']>>(
    inbox: I,
    item: TestItem<DataOf<T['inboxes'][I]>>,
    reply: { readonly subject?: string; readonly text: string },
  ): Promise<TestReply>;
  /** Returns what triage does to a new item with these members: by the first rule that holds, else by `answer`; null: nothing. */
  triage<I extends Name<T['inboxes']>>(inbox: I, item: TestItem<DataOf<T['inboxes'][I]>>): Promise<TriageAnswer | null>;
}

const tester: Actor = { type: 'person', id: 'per_test', name: 'Test' };

const compile = (app: App): Definition => {
  // As the service gets it.
  const manifest: unknown = JSON.parse(JSON.stringify(app.manifest));
  const problems = [...manifestProblems(manifest), ...handlerProblems(app)];
  if (problems.length > 0)
    throw new TypeError(
      ['The service would refuse the app:', ...problems.map(({ path, message }) => `  ${path}: ${message}`)].join('\n'),
    );
  const parsed = parseManifest(manifest);
  return compileDefinition(parsed, mergeDefinition({ inboxes: [] }, parsed), []);
};

/** Returns an app whose handlers can be called. Throws when the service would refuse its declarations. */
export const testApp = <T extends AppTypes>(app: App<T>): TestApp<T> => {
  const definition = compile(app);
  const memory = createMemoryClient(definition);
  const replies: TestReply[] = [];
  const { signal } = new AbortController();
  let calls = 0;

  const run = async (name: string, request: RunRequest<unknown> = {}): Promise<TestRun> => {
    calls += 1;
    return runHandler({ app, definition, records: memory.records, signal }, name, {
      run: `run_test${String(calls)}`,
      attempt: 1,
      actor: tester,
      ...request,
    });
  };

  const read = async <M extends ReadMethod>(method: M, params: ReadParams[M]): Promise<ServiceCalls[M]['result']> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the handler of the method has answered, and its answer is checked
    (await readHandler({ app, definition, actor: tester }, method, params)) as ServiceCalls[M]['result'];

  const reply = async (
    inbox: string,
    given: TestItem<unknown>,
    { subject, text }: { readonly subject?: string; readonly text: string },
  ): Promise<TestReply> => {
    const item = createItem(definition, inbox, given);
    const declared = app.inboxes.get(inbox)?.reply;
    if (declared?.via !== 'app') throw new TypeError(`The inbox ${inbox} has no handler for replies.`);
    calls += 1;
    const call = {
      subject: subject ?? replySubject(item.title, 500),
      text,
      delivery: `ent_test${String(calls)}`,
    };
    let error: string | null = null;
    try {
      await declared.send({ ...call, item, actor: tester, signal });
    } catch (thrown) {
      if (!isActionFailed(thrown)) throw thrown;
      error = thrown.message;
    }
    const sent: TestReply = { ...call, item, status: error === null ? 'sent' : 'failed', error };
    replies.push(sent);
    return sent;
  };

  const triage = async (inbox: string, given: TestItem<unknown>): Promise<TriageAnswer | null> => {
    const item: Item = createItem(definition, inbox, given);
    const declared = app.triage.get(inbox);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the manifest, and so its conditions, is checked
    const holds = (when: unknown): boolean => evaluateCondition(when as ConditionExpression, { item });
    const rule = declared?.rules?.find(({ when }) => holds(when));
    if (rule === undefined) return (await declared?.answer?.({ item, signal })) ?? null;
    const { when: _when, ...answer } = rule;
    return answer;
  };

  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same client, which takes the names of this app alone
  return { ...memory, client: memory.client as Client<T>, replies, run, read, reply, triage };
};
