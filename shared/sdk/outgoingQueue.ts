/**
 * Queues of the reports and record batches that the service does not have yet. Lost ones are sent once more after a reconnect:
 * reports carry an idempotency key (`delivery`), and storing a record twice is harmless. Used by connect.ts.
 */
import type { AppCalls, RpcError } from '../applink/protocol.ts';
import { formatProblem } from './formatProblem.ts';
import { encodeFrame, frameProblem } from './frames.ts';
import type { Peer } from './peer.ts';
import { createPendingWork } from './pendingWork.ts';
import { isTransientRefusal, LinkProblem, rpcErrorDetails, RpcFailed } from './problems.ts';

type ReportMethod = 'items.report' | 'records.put' | 'records.delete';

interface OutgoingEntry {
  readonly method: ReportMethod;
  readonly params: AppCalls[ReportMethod]['params'];
  readonly resolve: (result: never) => void;
  readonly reject: (problem: LinkProblem) => void;
  /** Requests that are sent in order: none after one that is refused. */
  readonly group: object;
}

interface SendQueue {
  /** How many requests may be pending at once; 1 keeps the order. */
  readonly width: number;
  readonly waiting: OutgoingEntry[];
  readonly sent: Set<OutgoingEntry>;
  /** Whether the queue waits after a transient refusal. */
  paused: boolean;
  refusals: number;
}

export interface OutgoingQueue {
  /** Sends a request in the order of its queue. Rejects with a `LinkProblem` of kind `request`, `full` or `closed`. */
  add<M extends ReportMethod>(method: M, params: AppCalls[M]['params'], queue: string): Promise<AppCalls[M]['result']>;
  /**
   * Sends requests as `add` does, in order, and none after one that is refused. Returns a promise for each; all reject at
   * once when there is no room for all of them.
   */
  addInOrder<M extends ReportMethod>(
    method: M,
    requests: readonly AppCalls[M]['params'][],
    queue: string,
  ): Promise<AppCalls[M]['result']>[];
  /** Sets the connection that requests go to; null: none. */
  attach(peer: Peer | null): void;
  /** Resolves when the service has everything. */
  idle(): Promise<void>;
  close(): void;
}

const answerTimeoutMs = 30_000;
/** Reports that may be pending at once. They need no order, as each bears its time. */
const itemConcurrency = 64;

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

/** Returns queues that keep at most `limit` requests together. */
export const createOutgoingQueue = (limit: number): OutgoingQueue => {
  const queues = new Map<string, SendQueue>();
  let peer: Peer | null = null;
  let count = 0;
  let closed = false;
  const busy = createPendingWork();

  const done = (): void => {
    count -= 1;
    busy.end();
  };

  const pause = (queue: SendQueue): void => {
    queue.refusals += 1;
    const waitMs = Math.min(30_000, 500 * 2 ** queue.refusals) * (0.5 + Math.random() / 2);
    queue.paused = true;
    // The flag, not a time, ends the pause: a timer may fire a little before the clock has moved as far.
    setTimeout(() => {
      queue.paused = false;
      pump(queue);
    }, waitMs).unref();
  };

  const failed = (queue: SendQueue, entry: OutgoingEntry, error: unknown): void => {
    queue.sent.delete(entry);
    const refused = error instanceof RpcFailed ? error.error : null;
    const isTransient = refused === null || isTransientRefusal(refused);
    if (closed || !isTransient) {
      const problem = refused === null ? new LinkProblem('closed', 'The client was closed.') : refusedRequest(refused);
      const others = queue.waiting.filter(({ group }) => group === entry.group);
      queue.waiting.splice(0, Infinity, ...queue.waiting.filter(({ group }) => group !== entry.group));
      for (const { reject } of [entry, ...others]) {
        done();
        reject(problem);
      }
    } else {
      queue.waiting.unshift(entry);
      if (refused !== null) pause(queue);
    }
    pump(queue);
  };

  const send = (queue: SendQueue, entry: OutgoingEntry, to: Peer): void => {
    queue.sent.add(entry);
    to.request(entry.method, entry.params, answerTimeoutMs).then(
      (result) => {
        queue.sent.delete(entry);
        queue.refusals = 0;
        done();
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `add` has stored the `resolve` of the same method
        entry.resolve(result as never);
        pump(queue);
      },
      (error: unknown) => {
        failed(queue, entry, error);
      },
    );
  };

  const pump = (queue: SendQueue): void => {
    while (peer !== null && !peer.ended && queue.sent.size < queue.width && !queue.paused) {
      const entry = queue.waiting.shift();
      if (entry === undefined) return;
      send(queue, entry, peer);
    }
  };

  const getQueue = (name: string): SendQueue => {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue: SendQueue = {
      width: name === 'items' ? itemConcurrency : 1,
      waiting: [],
      sent: new Set(),
      paused: false,
      refusals: 0,
    };
    queues.set(name, queue);
    return queue;
  };

  const addInOrder: OutgoingQueue['addInOrder'] = (method, requests, name) => {
    const problem = closed
      ? new LinkProblem('closed', 'The client was closed.')
      : count + requests.length > limit
        ? new LinkProblem('full', `${String(limit)} reports and batches may wait, and too many do; this is not sent.`)
        : null;
    if (problem !== null) return requests.map(() => rejected(problem));
    const queue = getQueue(name);
    const group = {};
    const messages = requests.map((params) => ({ id: Number.MAX_SAFE_INTEGER, method, params }));
    const unsendable = messages.find((message) => encodeFrame(message) === undefined);
    const sendable = unsendable === undefined ? requests.length : messages.indexOf(unsendable);
    const added = requests.map((params, i) => {
      if (unsendable !== undefined && i >= sendable) return rejected(unsendableProblem(unsendable));
      count += 1;
      busy.begin();
      return new Promise<never>((resolve, reject) => {
        queue.waiting.push({ method, params, resolve, reject, group });
      });
    });
    for (const promise of added) promise.catch(() => undefined);
    pump(queue);
    return added;
  };

  return {
    add: async (method, params, name) => {
      const [answer] = addInOrder(method, [params], name);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `addInOrder` returns a promise for each request
      return answer as NonNullable<typeof answer>;
    },
    addInOrder,
    attach: (next) => {
      peer = next;
      for (const queue of queues.values()) pump(queue);
    },
    idle: () => busy.idle(),
    close: () => {
      closed = true;
      for (const queue of queues.values()) {
        for (const { reject } of queue.waiting.splice(0)) {
          done();
          reject(new LinkProblem('closed', 'The client was closed.'));
        }
      }
    },
  };
};
