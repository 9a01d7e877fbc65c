/** `connect`: keeps a customer's app connected to an environment. The app calls it once, at its start. */
import { randomUUID } from 'node:crypto';
import { linkLimits } from '../app/link/protocol.ts';
import { AnswerCache } from './answerCache.ts';
import { createAnswerResender } from './answerResender.ts';
import type { AppTypes } from './appDeclaration.ts';
import type { Timing } from './backoff.ts';
import { checkingListener } from './checking.ts';
import type { Client, ConnectOptions } from './client.ts';
import type { App } from './defineApp.ts';
import { createEmitter, type Emitter } from './events.ts';
import { createFlagCache } from './flags.ts';
import { formatProblem } from './formatProblem.ts';
import { createHandlerLimiter } from './handlerLimiter.ts';
import { handlerProblems } from './handlerProblems.ts';
import { openLink, type Link } from './link.ts';
import { createOutgoingQueue } from './outgoingQueue.ts';
import { isObject, type Peer } from './peer.ts';
import { createPendingWork } from './pendingWork.ts';
import { answerProblem, LinkProblem } from './problems.ts';
import { deleteRecordBatches, putRecordBatches } from './recordBatches.ts';
import { sendReport } from './reports.ts';
import { actingMethods, createRequestHandler } from './requestHandler.ts';
import { createStoredAnswers } from './storedAnswers.ts';
import { errorText } from './texts.ts';
import { reportUnhandled } from './watchedPromise.ts';

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

/** Passes a problem on, but the same problem of the connection only once until `reset`, which follows a registration. */
const reportOncePerOutage = (
  report: (problem: LinkProblem) => void,
): { report: (problem: LinkProblem) => void; reset: () => void } => {
  let last = '';
  return {
    report: (problem) => {
      if (problem.kind === 'connection' && problem.message === last) return;
      if (problem.kind === 'connection') last = problem.message;
      report(problem);
    },
    reset: () => {
      last = '';
    },
  };
};

/** Returns `promise`, whose rejection becomes an `error` event, and never ends the process, when nobody handles it. */
const withHandledRejection = <T>(promise: Promise<T>, emitter: Emitter): Promise<T> =>
  reportUnhandled(promise, (error) => {
    emitter.emit('error', error instanceof LinkProblem ? error : new LinkProblem('request', errorText(error)));
  });

/** How long `close` waits for the answers of handlers whose signal it has aborted. */
const abortedMs = 1_000;

/** Resolves with `work`, and after `ms` at the latest. */
const atMost = async (ms: number, work: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
};

/** What follows when a method of the store of answers fails. */
const storeTexts = {
  get: 'it is refused for now, as it may have been done, and the service hands it over again.',
  set: 'its answer is kept in memory alone.',
  delete: 'its answer stays in the store.',
} as const;

/** In place of a link when nobody is dialed: the client is offline for good. */
const noLink: Link = { close: () => Promise.resolve() };

/** Returns the problem of an app that lacks handlers, which only another version of it can mend; null: it has them all. */
const missingHandlers = (app: App): LinkProblem | null => {
  const details = handlerProblems(app);
  const text = 'The app is not connected, as its handlers are not those of what it declares:';
  return details.length === 0 ? null : new LinkProblem('refused', formatProblem(text, details), { details });
};

/**
 * Connects an app to its environment and keeps it connected: after a lost connection it tries again with growing waits, at
 * random between 100 ms and 30 s; 30 s after the key, the address or the declarations were refused.
 *
 * Never throws and never waits. Problems go to `onError` or to the listeners of `client.on('error', …)`.
 *
 * @example
 * const client = connect({ app, url: "https://console.example.com/api/env/production", key: appKey });
 * client.on('online', ({ environment }) => console.log(`online in ${environment}`));
 */
export const connect = <T extends AppTypes>(options: ConnectOptions<T>): Client<T> => {
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
    if (options.onRefused === 'exit' && (problem.kind === 'refused' || problem.kind === 'unauthorized'))
      // Listeners are called first, and may have logged it.
      setImmediate(() => process.exit(1));
  });
  const onProblem = problems.report;
  const storeFailed = (failed: keyof typeof storeTexts, run: string, cause: unknown): void => {
    onProblem(
      new LinkProblem('store', `The store of answers failed for the run ${run}: ${storeTexts[failed]}`, { cause }),
    );
  };
  const limiter = createHandlerLimiter(concurrency);
  const runs = new AnswerCache({ store, onStoreError: storeFailed });
  const replies = new AnswerCache({ store: null, onStoreError: storeFailed });
  const outgoing = createOutgoingQueue(queueLimit);
  const resend = createAnswerResender(runs, timing.resendMs, onProblem);
  const stored = createStoredAnswers({
    store,
    runs,
    timing,
    onProblem,
    onRestored: () => {
      resend.soon();
    },
  });
  const flagCache = createFlagCache((flag) => {
    emitter.emit('flag', flag);
  });
  let peer: Peer | null = null;
  /** The connection of the newest call, which may come right behind the answer to the registration, before `onUp`. */
  let caller: Peer | null = null;
  let closing: Promise<void> | null = null;

  const pendingAnswers = createPendingWork();
  const serve = createRequestHandler({
    app,
    limiter,
    runs,
    replies,
    onProblem,
    isStopping: () => closing !== null,
    onProgress: (run, progress, message) =>
      (peer ?? caller)?.notify('run.progress', { run, progress, ...(message === undefined ? {} : { message }) }),
    onLateAnswer: () => {
      resend.soon();
    },
  });
  const onNotification = (method: string, params: unknown): void => {
    const { run, flag, ...others } = isObject(params) ? params : {};
    if (method === 'run.settled' && typeof run === 'string') runs.settle(run);
    if (method === 'app.problem') onProblem(answerProblem(others));
    if (method === 'flags.changed' && isObject(flag)) flagCache.applyChange(flag);
  };

  const attach = (next: Peer | null): void => {
    peer = next;
    resend.attach(next);
    outgoing.attach(next);
    flagCache.attach(next);
  };
  void stored.load();
  const checked = checkingListener();
  checked?.(app);
  const incomplete = checked === undefined ? missingHandlers(app) : null;
  // The app adds its listeners first.
  if (incomplete !== null) setImmediate(onProblem, incomplete);
  const dial = checked === undefined && incomplete === null ? openLink : (): Link => noLink;
  const link = dial({
    url,
    key,
    timing,
    onNotification,
    onProblem,
    serve: (method, params, from) => {
      caller = from;
      // A stream of reads must not put off the end that a run or a reply would.
      if (closing !== null && !actingMethods.has(method)) return serve(method, params, from);
      pendingAnswers.begin();
      return serve(method, params, from).finally(() => {
        pendingAnswers.end();
      });
    },
    registration: { manifest: app.manifest, instance, startedAt, sdk },
    exclusive: store?.location ?? 'the name of an instance',
    onUp: (next, registered) => {
      problems.reset();
      attach(next);
      void stored.load().then(() => resend.now(0));
      emitter.emit('registered', registered);
      emitter.emit('online', { environment: registered.environment });
    },
    onDown: () => {
      attach(null);
      emitter.emit('offline', {});
    },
  });

  const drain = async (drainMs: number): Promise<void> => {
    const answerAll = async (): Promise<void> => {
      await Promise.all([pendingAnswers.idle(), peer === null ? undefined : outgoing.idle()]);
      // The last answer is written to the socket after its promise has resolved.
      await new Promise((resolve) => setImmediate(resolve));
      await resend.now(0);
    };
    const answered = answerAll();
    await atMost(drainMs, answered);
    limiter.abort();
    // Handlers that heed their signal answer now, so that their runs end as what they are.
    await atMost(abortedMs, answered);
    outgoing.close();
    resend.close();
    stored.close();
    flagCache.close();
    await link.close();
  };

  const client: Client = {
    instance,
    flags: flagCache.flags,
    get online() {
      return peer !== null;
    },
    on: (event, listener) => emitter.on(event, listener),
    report: (report) => withHandledRejection(sendReport(outgoing, report), emitter),
    putRecords: (resource, records) =>
      withHandledRejection(
        putRecordBatches(resource, records, (batches) => {
          const requests = batches.map((batch) => ({ resource, records: batch }));
          return outgoing.add('records.put', requests);
        }),
        emitter,
      ),
    deleteRecords: (resource, ids) =>
      withHandledRejection(
        deleteRecordBatches(ids, (batches) => {
          const requests = batches.map((batch) => ({ resource, ids: batch }));
          return outgoing.add('records.delete', requests);
        }),
        emitter,
      ),
    close: ({ drainMs = 10_000 } = {}) => (closing ??= drain(drainMs)),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same client, which takes the names of this app alone
  return client as Client<T>;
};
