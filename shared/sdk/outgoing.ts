/**
 * What the app reports, kept in order until the service has it: sent again after a reconnect, as items bear a `delivery`
 * and records may be put twice. connect.ts adds to it and tells it of connections.
 */
import { linkLimits, type AppCalls } from '../applink/protocol.ts';
import { createBusy } from './busy.ts';
import { frameOf, type Peer } from './peer.ts';
import { detailsOf, linesOf, LinkProblem, RpcFailed } from './problems.ts';

export type ReportMethod = 'items.report' | 'records.put' | 'records.delete';

interface Entry {
  readonly method: ReportMethod;
  readonly params: AppCalls[ReportMethod]['params'];
  readonly resolve: (result: never) => void;
  readonly reject: (problem: LinkProblem) => void;
}

interface Lane {
  /** How many are sent before the first is answered; 1 keeps the order. */
  readonly width: number;
  readonly waiting: Entry[];
  readonly sent: Set<Entry>;
  /** Set after "not now", until its time is up. */
  paused: boolean;
  refusals: number;
}

export interface Outgoing {
  /** Rejects with a `LinkProblem` when it is refused, or when there are too many or the client is closed. */
  add<M extends ReportMethod>(method: M, params: AppCalls[M]['params'], lane: string): Promise<AppCalls[M]['result']>;
  /** From now on they go to this peer; null: nowhere. */
  attach(peer: Peer | null): void;
  /** Resolves when nothing waits. */
  idle(): Promise<void>;
  close(): void;
}

/** Answers that say "not now" rather than "not this". */
const passing = new Set(['unavailable', 'rate_limited', 'in_progress']);
const answerMs = 30_000;
const itemsAtOnce = 64;

/** `limit`: how many may wait. */
export const createOutgoing = (limit: number): Outgoing => {
  const lanes = new Map<string, Lane>();
  let peer: Peer | null = null;
  let count = 0;
  let closed = false;
  const busy = createBusy();

  const done = (): void => {
    count -= 1;
    busy.end();
  };

  const later = (lane: Lane): void => {
    lane.refusals += 1;
    const waitMs = Math.min(30_000, 500 * 2 ** lane.refusals) * (0.5 + Math.random() / 2);
    lane.paused = true;
    // The timer alone says when: it may go off a little before the clock has moved as far.
    setTimeout(() => {
      lane.paused = false;
      pump(lane);
    }, waitMs).unref();
  };

  const failed = (lane: Lane, entry: Entry, error: unknown): void => {
    lane.sent.delete(entry);
    const refused = error instanceof RpcFailed ? error.error : null;
    const again = refused === null || passing.has(refused.data?.code ?? '');
    if (closed || !again) {
      done();
      entry.reject(refused === null ? new LinkProblem('closed', 'The client was closed.') : new LinkProblem('request', linesOf(refused.message, detailsOf(refused)), { details: detailsOf(refused) }));
    } else {
      lane.waiting.unshift(entry);
      if (refused !== null) later(lane);
    }
    pump(lane);
  };

  const send = (lane: Lane, entry: Entry, to: Peer): void => {
    lane.sent.add(entry);
    to.request(entry.method, entry.params, answerMs).then(
      (result) => {
        lane.sent.delete(entry);
        lane.refusals = 0;
        done();
        entry.resolve(result as never);
        pump(lane);
      },
      (error: unknown) => { failed(lane, entry, error); },
    );
  };

  const pump = (lane: Lane): void => {
    while (peer !== null && !peer.ended && lane.sent.size < lane.width && !lane.paused) {
      const entry = lane.waiting.shift();
      if (entry === undefined) return;
      send(lane, entry, peer);
    }
  };

  const laneOf = (name: string): Lane => {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    const lane: Lane = { width: name === 'items' ? itemsAtOnce : 1, waiting: [], sent: new Set(), paused: false, refusals: 0 };
    lanes.set(name, lane);
    return lane;
  };

  return {
    add: (method, params, name) => {
      const problem = closed
        ? new LinkProblem('closed', 'The client was closed.')
        : count >= limit
          ? new LinkProblem('full', `${String(limit)} reports wait already.`)
          : frameOf({ id: Number.MAX_SAFE_INTEGER, method, params }) === undefined
            ? new LinkProblem('request', `What is reported is no JSON or larger than ${String(linkLimits.frameBytes)} bytes.`)
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
