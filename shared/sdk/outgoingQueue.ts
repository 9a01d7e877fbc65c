/**
 * What the app reports, kept in order until the service has it: sent again after a reconnect, as items bear a `delivery`
 * and records may be put twice. connect.ts adds to it and tells it of connections.
 */
import { linkLimits, type AppCalls } from '../applink/protocol.ts';
import { createPendingWork } from './pendingWork.ts';
import { encodeFrame, type Peer } from './peer.ts';
import { rpcErrorDetails, formatProblem, LinkProblem, RpcFailed } from './problems.ts';

type ReportMethod = 'items.report' | 'records.put' | 'records.delete';

interface OutgoingEntry {
  readonly method: ReportMethod;
  readonly params: AppCalls[ReportMethod]['params'];
  readonly resolve: (result: never) => void;
  readonly reject: (problem: LinkProblem) => void;
}

interface SendQueue {
  /** How many are sent before the first is answered; 1 keeps the order. */
  readonly width: number;
  readonly waiting: OutgoingEntry[];
  readonly sent: Set<OutgoingEntry>;
  /** Set after "not now", until its time is up. */
  paused: boolean;
  refusals: number;
}

export interface OutgoingQueue {
  /** Rejects with a `LinkProblem` when it is refused, or when there are too many or the client is closed. */
  add<M extends ReportMethod>(method: M, params: AppCalls[M]['params'], lane: string): Promise<AppCalls[M]['result']>;
  /** From now on they go to this peer; null: nowhere. */
  attach(peer: Peer | null): void;
  /** Resolves when nothing waits. */
  idle(): Promise<void>;
  close(): void;
}

/** Answers that say "not now" rather than "not this". */
const transientCodes = new Set(['unavailable', 'rate_limited', 'in_progress']);
const answerTimeoutMs = 30_000;
const itemConcurrency = 64;

/** `limit`: how many may wait. */
export const createOutgoingQueue = (limit: number): OutgoingQueue => {
  const lanes = new Map<string, SendQueue>();
  let peer: Peer | null = null;
  let count = 0;
  let closed = false;
  const busy = createPendingWork();

  const done = (): void => {
    count -= 1;
    busy.end();
  };

  const later = (lane: SendQueue): void => {
    lane.refusals += 1;
    const waitMs = Math.min(30_000, 500 * 2 ** lane.refusals) * (0.5 + Math.random() / 2);
    lane.paused = true;
    // The timer alone says when: it may go off a little before the clock has moved as far.
    setTimeout(() => {
      lane.paused = false;
      pump(lane);
    }, waitMs).unref();
  };

  const failed = (lane: SendQueue, entry: OutgoingEntry, error: unknown): void => {
    lane.sent.delete(entry);
    const refused = error instanceof RpcFailed ? error.error : null;
    const again = refused === null || transientCodes.has(refused.data?.code ?? '');
    if (closed || !again) {
      done();
      entry.reject(
        refused === null
          ? new LinkProblem('closed', 'The client was closed.')
          : new LinkProblem('request', formatProblem(refused.message, rpcErrorDetails(refused)), {
              details: rpcErrorDetails(refused),
            }),
      );
    } else {
      lane.waiting.unshift(entry);
      if (refused !== null) later(lane);
    }
    pump(lane);
  };

  const send = (lane: SendQueue, entry: OutgoingEntry, to: Peer): void => {
    lane.sent.add(entry);
    to.request(entry.method, entry.params, answerTimeoutMs).then(
      (result) => {
        lane.sent.delete(entry);
        lane.refusals = 0;
        done();
        entry.resolve(result as never);
        pump(lane);
      },
      (error: unknown) => {
        failed(lane, entry, error);
      },
    );
  };

  const pump = (lane: SendQueue): void => {
    while (peer !== null && !peer.ended && lane.sent.size < lane.width && !lane.paused) {
      const entry = lane.waiting.shift();
      if (entry === undefined) return;
      send(lane, entry, peer);
    }
  };

  const laneOf = (name: string): SendQueue => {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const lane: SendQueue = {
      width: name === 'items' ? itemConcurrency : 1,
      waiting: [],
      sent: new Set(),
      paused: false,
      refusals: 0,
    };
    lanes.set(name, lane);
    return lane;
  };

  return {
    add: (method, params, name) => {
      const problem = closed
        ? new LinkProblem('closed', 'The client was closed.')
        : count >= limit
          ? new LinkProblem('full', `${String(limit)} reports wait already.`)
          : encodeFrame({ id: Number.MAX_SAFE_INTEGER, method, params }) === undefined
            ? new LinkProblem(
                'request',
                `What is reported is no JSON or larger than ${String(linkLimits.frameBytes)} bytes.`,
              )
            : null;
      if (problem !== null) return Promise.reject(problem);
      count += 1;
      busy.begin();
      return new Promise((resolve, reject) => {
        const lane = laneOf(name);
        lane.waiting.push({ method, params, resolve, reject });
        pump(lane);
      });
    },
    attach: (next) => {
      peer = next;
      for (const lane of lanes.values()) pump(lane);
    },
    idle: busy.idle,
    close: () => {
      closed = true;
      for (const lane of lanes.values()) {
        for (const { reject } of lane.waiting.splice(0)) {
          done();
          reject(new LinkProblem('closed', 'The client was closed.'));
        }
      }
    },
  };
};
