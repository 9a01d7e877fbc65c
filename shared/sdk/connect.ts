/** `connect`: keeps a customer's app connected to an environment; the app calls it once at its start. */
import { randomUUID } from 'node:crypto';
import { linkLimits, type AppCalls, type GivenRecord, type Json } from '../applink/protocol.ts';
import type { Timing } from './backoff.ts';
import { splitIntoFrames } from './batches.ts';
import { createPendingWork } from './pendingWork.ts';
import type { App } from './defineApp.ts';
import { createEmitter, type Emitter } from './events.ts';
import { createFlagCache, type Flags } from './flags.ts';
import { openLink } from './link.ts';
import { AnswerCache } from './answerCache.ts';
import { createOutgoingQueue, type OutgoingQueue } from './outgoingQueue.ts';
import type { Peer } from './peer.ts';
import { LinkProblem, errorText } from './problems.ts';
import { createAnswerResender } from './answerResender.ts';
import { createRequestHandler } from './requestHandler.ts';
import { createHandlerLimiter } from './handlerLimiter.ts';
import type { AnswerStore } from './stores.ts';

export type Report = AppCalls['items.report']['params'];

export interface ConnectOptions {
  readonly app: App;
  /** Of the environment: `https://<host>/api/env/<environment>`. */
  readonly url: string;
  /** `capp_…` */
  readonly key: string;
  /** Told of everything that goes wrong; without it (and without listeners) it is written to standard error. */
  readonly onError?: (problem: LinkProblem) => void;
  /** Keeps answers over a restart of the app; without it they are kept in memory. */
  readonly store?: AnswerStore;
  /** Handlers that run at once; default 64, the rest wait in order. */
  readonly concurrency?: number;
  /** Reports and batches of records that wait for the service; default 10,000. */
  readonly queueLimit?: number;
  /** Names whoever remembers the answers: the store's, or made for this process when absent. */
  readonly instance?: string;
  /** When this process was started, in ms since 1970; the newest decides what is declared. */
  readonly startedAt?: number;
  readonly timing?: Partial<Timing>;
}

export interface Client extends Pick<Emitter, 'on'> {
  /** Whether the service has accepted the app and the connection holds. */
  readonly online: boolean;
  readonly instance: string;
  /** The environment's flags, evaluated here. */
  readonly flags: Flags;
  /** Makes an item, or adds an occurrence to the one with this `key`. Waits while offline, sent once however often repeated. */
  report(report: Report): Promise<AppCalls['items.report']['result']>;
  /** Stores records of a resource with `source: 'stored'`; any number, sent by the thousand, in order. */
  putRecords(resource: string, records: readonly GivenRecord[]): Promise<{ readonly stored: number }>;
  deleteRecords(resource: string, ids: readonly string[]): Promise<{ readonly deleted: number }>;
  /** Takes no more runs, waits for those under way and for reports for up to `drainMs` (default 10,000), then ends. */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

const sdk = 'console-sdk/1.0.0';
const standardTiming: Timing = {
  retryMinMs: 100,
  retryMaxMs: 30_000,
  refusedMs: 30_000,
  restartMs: 500,
  heartbeatMs: linkLimits.heartbeatMs,
  goneMs: linkLimits.goneMs,
  resendMs: 60_000,
};

const printProblem = (problem: LinkProblem): void => {
  console.error(
    `console-api: ${problem.message}${problem.cause === undefined ? '' : `\n${problem.cause instanceof Error ? String(problem.cause.stack) : errorText(problem.cause)}`}`,
  );
};

/** The same trouble with the connection is told once, until it was good again. */
const reportOncePerOutage = (
  tell: (problem: LinkProblem) => void,
): { tell: (problem: LinkProblem) => void; forget: () => void } => {
  let last = '';
  return {
    tell: (problem) => {
      if (problem.kind === 'connection' && problem.message === last) return;
      if (problem.kind === 'connection') last = problem.message;
      tell(problem);
    },
    forget: () => {
      last = '';
    },
  };
};

/** A promise that may be left alone: its rejection is told to `onError` too and never ends the process. */
const withHandledRejection = <T>(promise: Promise<T>, emitter: Emitter): Promise<T> => {
  promise.catch((error: unknown) => {
    emitter.emit('error', error instanceof LinkProblem ? error : new LinkProblem('request', errorText(error)));
  });
  return promise;
};

/** What happened while offline says when. Should the clocks disagree about what is past, the time of sending has to do. */
const sendReport = async (
  outgoing: OutgoingQueue,
  given: Report,
  isOnline: boolean,
): Promise<AppCalls['items.report']['result']> => {
  const report = { ...given, delivery: given.delivery ?? randomUUID() };
  if (isOnline || given.at !== undefined) return outgoing.add('items.report', report, 'items');
  try {
    return await outgoing.add('items.report', { ...report, at: Date.now() }, 'items');
  } catch (error) {
    if (error instanceof LinkProblem && error.details.some(({ path }) => path === 'at'))
      return outgoing.add('items.report', report, 'items');
    throw error;
  }
};

const putRecordBatches = async (
  outgoing: OutgoingQueue,
  resource: string,
  records: readonly GivenRecord[],
): Promise<{ stored: number }> => {
  const answers = await Promise.all(
    splitIntoFrames(records).map((batch) => outgoing.add('records.put', { resource, records: batch }, resource)),
  );
  return { stored: answers.reduce((sum, { stored }) => sum + stored, 0) };
};

const deleteRecordBatches = async (
  outgoing: OutgoingQueue,
  resource: string,
  ids: readonly string[],
): Promise<{ deleted: number }> => {
  const answers = await Promise.all(
    splitIntoFrames(ids).map((batch) => outgoing.add('records.delete', { resource, ids: batch }, resource)),
  );
  return { deleted: answers.reduce((sum, { deleted }) => sum + deleted, 0) };
};

/** Never throws; what goes wrong is told to `onError`, and it is tried again. */
export const connect = (options: ConnectOptions): Client => {
  const {
    app,
    url,
    key,
    store = null,
    concurrency = 64,
    queueLimit = 10_000,
    instance = store?.instance ?? randomUUID(),
    startedAt = Math.round(performance.timeOrigin),
  } = options;
  const timing = { ...standardTiming, ...options.timing };
  const emitter = createEmitter(options.onError ?? printProblem);
  const problems = reportOncePerOutage((problem) => {
    emitter.emit('error', problem);
  });
  const problem = problems.tell;
  const storeFailed = (cause: unknown): void => {
    problem(new LinkProblem('store', 'The store of answers failed.', { cause }));
  };
  const slots = createHandlerLimiter(concurrency);
  const runs = new AnswerCache({ store, onStoreError: storeFailed });
  const replies = new AnswerCache({ store: null, onStoreError: storeFailed });
  const outgoing = createOutgoingQueue(queueLimit);
  const resend = createAnswerResender(runs, timing.resendMs);
  const held = createFlagCache();
  let peer: Peer | null = null;
  let closing: Promise<void> | null = null;

  const answering = createPendingWork();
  const serve = createRequestHandler({
    app,
    limiter: slots,
    runs,
    replies,
    onProblem: problem,
    isStopping: () => closing !== null,
    onProgress: (run, progress, message) =>
      peer?.notify('run.progress', { run, progress, ...(message === undefined ? {} : { message }) }),
    onLateAnswer: () => {
      resend.soon();
    },
  });
  const heard = (method: string, params: unknown): void => {
    const { run, flag } = (params ?? {}) as { run?: unknown; flag?: unknown };
    if (method === 'run.settled' && typeof run === 'string') runs.settle(run);
    if (method !== 'flags.changed' || typeof flag !== 'object' || flag === null) return;
    held.applyChange(flag as Json);
    emitter.emit('flag', flag as Json);
  };

  const attach = (next: Peer | null): void => {
    peer = next;
    resend.attach(next);
    outgoing.attach(next);
    held.attach(next);
  };
  const recalled = store === null ? Promise.resolve() : runs.loadStored();
  const link = openLink({
    url,
    key,
    timing,
    onNotification: heard,
    onProblem: problem,
    serve: (method, params, from) => {
      answering.begin();
      return serve(method, params, from).finally(answering.end);
    },
    registration: { manifest: app.manifest, instance, startedAt, sdk },
    onUp: (next, registered) => {
      problems.forget();
      attach(next);
      void recalled.then(() => resend.now(0));
      emitter.emit('registered', registered);
      emitter.emit('online', { environment: registered.environment });
    },
    onDown: () => {
      attach(null);
      emitter.emit('offline', {});
    },
  });

  const drain = async (drainMs: number): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs);
    });
    const done = async (): Promise<void> => {
      await Promise.all([answering.idle(), peer === null ? undefined : outgoing.idle()]);
      // What was answered last is written to the socket only after its promise has resolved.
      await new Promise((resolve) => setImmediate(resolve));
      await resend.now(0);
    };
    await Promise.race([done(), late]);
    clearTimeout(timer);
    slots.abort();
    outgoing.close();
    resend.close();
    held.close();
    await link.close();
  };

  return {
    instance,
    flags: held.flags,
    get online() {
      return peer !== null;
    },
    on: emitter.on,
    report: (report) => withHandledRejection(sendReport(outgoing, report, peer !== null), emitter),
    putRecords: (resource, records) => withHandledRejection(putRecordBatches(outgoing, resource, records), emitter),
    deleteRecords: (resource, ids) => withHandledRejection(deleteRecordBatches(outgoing, resource, ids), emitter),
    close: ({ drainMs = 10_000 } = {}) => (closing ??= drain(drainMs)),
  };
};
