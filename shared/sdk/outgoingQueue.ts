/**
 * The queue of the reports and record batches that the service does not have yet, in the order of the calls. Lost ones are
 * sent once more: reports carry an idempotency key (`delivery`), and storing a record twice is harmless. Used by connect.ts.
 */
import type { AppCalls, RpcError } from '../app/link/protocol.ts';
import { formatProblem } from './formatProblem.ts';
import { encodeFrame, frameProblem } from './frames.ts';
import type { Peer } from './peer.ts';
import { createPendingWork } from './pendingWork.ts';
import { isTransientRefusal, LinkProblem, rpcErrorDetails, RpcFailed } from './problems.ts';

type ReportMethod = 'items.report' | 'records.put' | 'records.delete';

interface OutgoingEntry {
  /** Its place in the order of the calls. */
  readonly place: number;
  readonly method: ReportMethod;
  readonly params: AppCalls[ReportMethod]['params'];
  readonly resolve: (result: never) => void;
  readonly reject: (problem: LinkProblem) => void;
  /** Requests that are sent in order: none after one that is refused. */
  readonly group: object;
  /** The `at` with which a report is sent later than it was made; null: without. */
  madeAt: number | null;
}

export interface OutgoingQueue {
  /**
   * Sends requests in order, and none after one that is refused. Returns a promise for each, which rejects with a
   * `LinkProblem` of kind `request`, `full` or `closed`; all reject at once when there is no room for all of them.
   */
  add<M extends ReportMethod>(method: M, requests: readonly AppCalls[M]['params'][]): Promise<AppCalls[M]['result']>[];
  /** Sets the connection that requests go to; null: none. */
  attach(peer: Peer | null): void;
  /** Resolves when the service has everything. */
  idle(): Promise<void>;
  close(): void;
}

const answerTimeoutMs = 30_000;
/** Reports that may be pending at once. The service takes those of one connection in their order. */
const reportsMax = 64;

/** Returns the problem of a request that can't be sent, which names the place where there is one. */
const unsendableProblem = (message: { readonly params: object }): LinkProblem => {
  const found = frameProblem(message, message.params);
  const details = found.path === '' ? [] : [found];
  const text = `The report or batch ${details.length === 0 ? found.message : 'is no JSON'}.`;
  return new LinkProblem('request', formatProblem(text, details), { details });
};

/** Returns a promise that rejects, which the process may find unhandled for a while. */
const rejected = (problem: LinkProblem): Promise<never> => {
  const promise = Promise.reject<never>(problem);
  promise.catch(() => undefined);
  return promise;
};

/** Returns the problem of a refused request. What is unknown is named by the details alone. */
const refusedRequest = (refused: RpcError): LinkProblem => {
  const details = rpcErrorDetails(refused);
  const isUnknownName = refused.data?.code === 'not_found' && details.length > 0;
  const message = isUnknownName ? 'The service does not know what the request names.' : refused.message;
  return new LinkProblem('request', formatProblem(message, details), { details });
};

/** Returns whether the service calls the time of a report the future, as the clocks differ. */
const isFuture = (refused: RpcError): boolean => rpcErrorDetails(refused).some(({ path }) => path === 'at');

/** Returns a queue that keeps at most `limit` requests. */
export const createOutgoingQueue = (limit: number): OutgoingQueue => {
  /** In the order of the calls. */
  const waiting: OutgoingEntry[] = [];
  const sent = new Set<OutgoingEntry>();
  let peer: Peer | null = null;
  /** Whether the queue waits after a transient refusal. */
  let paused = false;
  let refusals = 0;
  let places = 0;
  let closed = false;
  const busy = createPendingWork();

  const pause = (): void => {
    if (paused) return;
    refusals += 1;
    const waitMs = Math.min(30_000, 500 * 2 ** refusals) * (0.5 + Math.random() / 2);
    paused = true;
    // The flag, not a time, ends the pause: a timer may fire a little before the clock has moved as far.
    setTimeout(() => {
      paused = false;
      pump();
    }, waitMs).unref();
  };

  /** Rejects the entries, and lets none of them wait. */
  const drop = (entries: readonly OutgoingEntry[], problem: LinkProblem): void => {
    const dropped = new Set(entries);
    waiting.splice(0, Infinity, ...waiting.filter((entry) => !dropped.has(entry)));
    for (const { reject } of entries) {
      busy.end();
      reject(problem);
    }
  };

  /** Lets an entry wait once more, before those of later calls. */
  const takeBack = (entry: OutgoingEntry): void => {
    const later = waiting.findIndex(({ place }) => place > entry.place);
    waiting.splice(later === -1 ? waiting.length : later, 0, entry);
  };

  const failed = (entry: OutgoingEntry, error: unknown): void => {
    sent.delete(entry);
    const refused = error instanceof RpcFailed ? error.error : null;
    if (closed) drop([entry], new LinkProblem('closed', 'The client was closed.'));
    else if (refused === null) takeBack(entry);
    else if (isTransientRefusal(refused)) {
      takeBack(entry);
      pause();
    } else if (entry.madeAt !== null && isFuture(refused)) {
      entry.madeAt = null;
      takeBack(entry);
    } else drop([entry, ...waiting.filter(({ group }) => group === entry.group)], refusedRequest(refused));
    pump();
  };

  const send = (entry: OutgoingEntry, to: Peer, isLate: boolean): void => {
    sent.add(entry);
    const params = isLate && entry.madeAt !== null ? { ...entry.params, at: entry.madeAt } : entry.params;
    to.request(entry.method, params, answerTimeoutMs).then(
      (result) => {
        sent.delete(entry);
        refusals = 0;
        busy.end();
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `add` has stored the `resolve` of the same method
        entry.resolve(result as never);
        pump();
      },
      (error: unknown) => {
        failed(entry, error);
      },
    );
  };

  /** Returns whether the request may be sent beside those that are: reports beside reports, a batch of records alone. */
  const fits = ({ method }: OutgoingEntry): boolean =>
    sent.size === 0 ||
    (method === 'items.report' && sent.size < reportsMax && [...sent].every((other) => other.method === method));

  /** Sends what may be sent. `added` has what is new: anything else is late. */
  const pump = (added: readonly OutgoingEntry[] = []): void => {
    while (peer !== null && !peer.ended && !paused && waiting[0] !== undefined && fits(waiting[0])) {
      const entry = waiting.shift();
      if (entry !== undefined) send(entry, peer, !added.includes(entry));
    }
  };

  const add: OutgoingQueue['add'] = (method, requests) => {
    const problem = closed
      ? new LinkProblem('closed', 'The client was closed.')
      : waiting.length + sent.size + requests.length > limit
        ? new LinkProblem('full', `${String(limit)} reports and batches may wait, and too many do; this is not sent.`)
        : null;
    if (problem !== null) return requests.map(() => rejected(problem));
    const group = {};
    const messages = requests.map((params) => ({ id: Number.MAX_SAFE_INTEGER, method, params }));
    const unsendable = messages.find((message) => encodeFrame(message) === undefined);
    const sendable = unsendable === undefined ? requests.length : messages.indexOf(unsendable);
    const added: OutgoingEntry[] = [];
    const answers = requests.map((params, i) => {
      if (unsendable !== undefined && i >= sendable) return rejected(unsendableProblem(unsendable));
      busy.begin();
      return new Promise<never>((resolve, reject) => {
        const hasTime = 'at' in params && params.at !== undefined;
        const madeAt = method === 'items.report' && !hasTime ? Date.now() : null;
        added.push({ place: ++places, method, params, resolve, reject, group, madeAt });
      });
    });
    for (const promise of answers) promise.catch(() => undefined);
    waiting.push(...added);
    pump(added);
    return answers;
  };

  return {
    add,
    attach: (next) => {
      peer = next;
      pump();
    },
    idle: () => busy.idle(),
    close: () => {
      closed = true;
      drop([...waiting], new LinkProblem('closed', 'The client was closed.'));
    },
  };
};
