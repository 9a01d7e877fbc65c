/** The live stream of this process (`createLive`), which server.ts starts and the endpoints use. */
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import type { Environment } from '../../shared/app/manifest/definition.ts';
import type { Deps } from '../../shared/deps.ts';
import type { RateLimiter } from '../http/rateLimiter.ts';
import { waitForChanges, type ChangesPage, type ChangesRequest, type Waiting } from './changes.ts';
import { liveTimes, type LiveTimes } from './context.ts';
import { createFeed } from './feed.ts';
import { createHub, type LiveHub } from './hub.ts';
import { createStreamLog } from './log.ts';
import { createReadFeed, type ReadFeed } from './reads.ts';
import { issueTicket, type Ticket } from './tickets.ts';
import { createLiveUpgrade, type LiveUpgrade } from './upgrade.ts';

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
