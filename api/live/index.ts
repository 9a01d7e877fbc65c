/** The live stream of this process (`createLive`), which server.ts starts and the endpoints use, and its metric, which api/app.ts serves. */
import { Gauge, Registry } from 'prom-client';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import type { Environment } from '../../shared/app/manifest/definition.ts';
import type { Deps } from '../../shared/deps.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import { type ChangesPage, type ChangesRequest, type Waiting, waitForChanges } from './changes.ts';
import { type LiveTimes, liveTimes } from './context.ts';
import { createFeed } from './feed.ts';
import { type LiveHub, createHub } from './hub.ts';
import { createStreamLog } from './log.ts';
import { type ReadFeed, createReadFeed } from './reads.ts';
import { type Ticket, issueTicket } from './tickets.ts';
import { type LiveUpgrade, createLiveUpgrade } from './upgrade.ts';

export interface Live {
  /** Handles the server's upgrades; `others`: handlers of further paths below `/api/env/:environment/`, by their last segment. */
  readonly attach: LiveUpgrade['attach'];
  /** Returns the newest known position of an environment's stream; never more than the true one. */
  readonly position: (env: Environment) => Promise<number> | number;
  /** Returns the messages after an offset, early when `signal` is aborted or the process stops. Throws `400 bad_cursor`. */
  changes(waiting: Waiting, request: ChangesRequest, signal: AbortSignal): Promise<ChangesPage>;
  issueTicket(env: Environment, session: Pick<AuthSession, 'credential'>): Promise<Ticket>;
  readonly reads: ReadFeed;
  readonly stats: LiveHub['stats'];
  /** Closes every stream with 1012 and ends every waiting `changes`; may be called twice. */
  stop(): Promise<void>;
}

export const createLive = (deps: Deps, rate: RateLimiter, times: Partial<LiveTimes> = {}): Live => {
  const reads = createReadFeed(deps);
  const context = { deps, log: createStreamLog(deps.db), reads, times: { ...liveTimes, ...times } };
  const feed = createFeed(deps, context.log);
  const hub = createHub(context);
  const upgrade = createLiveUpgrade(context, { feed, hub, rate });
  const waiting = new Set<AbortController>();
  let stopped: Promise<void> | null = null;

  const stop = async (): Promise<void> => {
    upgrade.stop();
    for (const call of waiting) call.abort();
    await hub.stop();
    feed.close();
    reads.stop();
  };

  const changes: Live['changes'] = async (who, request, signal) => {
    const call = new AbortController();
    const abort = (): void => {
      call.abort();
    };
    if (signal.aborted || stopped !== null) abort();
    signal.addEventListener('abort', abort);
    waiting.add(call);
    try {
      return await waitForChanges(context, feed, who, request, call.signal);
    } finally {
      waiting.delete(call);
      signal.removeEventListener('abort', abort);
    }
  };

  return {
    attach: upgrade.attach,
    position: feed.position,
    changes,
    issueTicket: (env, session) => issueTicket(deps, env, session),
    reads,
    stats: hub.stats,
    stop: () => (stopped ??= stop()),
  };
};

export const createLiveMetrics = ({ stats }: Pick<Live, 'stats'>): Registry => {
  const registry = new Registry();
  new Gauge({
    name: 'console_live_connections',
    help: 'Sockets of live streams that this process holds, by `state`: current, behind (they read the log), closing.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { sessions, behind, closing } = stats();
      this.set({ state: 'current' }, sessions - behind);
      this.set({ state: 'behind' }, behind);
      this.set({ state: 'closing' }, closing);
    },
  });
  return registry;
};
