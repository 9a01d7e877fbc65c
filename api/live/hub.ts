/** All live sessions of this process: opens them, looks after each once a second, and closes them when the process stops. */
import type { LiveContext } from './context.ts';
import { receiveMessage } from './requests.ts';
import { LiveSession, type LiveSubscriber, type StreamStart } from './session.ts';
import { createSessionCheck } from './sessionCheck.ts';

const checkIntervalMs = 1000;

export interface LiveHub {
  /** Takes over an accepted socket, and from the caller its place among the channel's `users`. */
  join(subscriber: LiveSubscriber, start: StreamStart): void;
  /** Returns the numbers of sessions: all that aren't closing, those of them that read the log, and those that are closing. */
  readonly stats: () => { readonly sessions: number; readonly behind: number; readonly closing: number };
  /** Closes every session with 1012 and resolves when their sockets are closed. */
  stop(): Promise<void>;
}

export const createHub = (context: LiveContext): LiveHub => {
  const { deps, times, reads } = context;
  /** Sessions whose socket isn't closed yet, by credential. */
  const sessions = new Map<string, Set<LiveSession>>();
  const review = createSessionCheck(deps, sessions);
  let stopped: (() => void) | null = null;

  const all = (): LiveSession[] => [...sessions.values()].flatMap((own) => [...own]);

  const { livePerToken } = deps.config;
  /** Those that are closing don't count, but are only looked for when it matters. */
  const tooMany = (own: ReadonlySet<LiveSession>): boolean =>
    own.size > livePerToken && [...own].filter(({ mode }) => mode !== 'ended').length > livePerToken;

  /** Ends what began with a session whose stream has another agent's reads. */
  const watches = new WeakMap<LiveSession, () => void>();

  const forget = (session: LiveSession): void => {
    session.leave();
    watches.get(session)?.();
    const { credential } = session.who;
    const own = sessions.get(credential);
    own?.delete(session);
    if (own?.size === 0) sessions.delete(credential);
    if (sessions.size === 0) stopped?.();
  };

  const timer = setInterval(() => {
    review.tick();
    const now = performance.now();
    const at = deps.clock.now();
    for (const own of sessions.values()) for (const session of own) session.upkeep.tick(now, at);
  }, checkIntervalMs);

  const listen = (session: LiveSession): void => {
    session.ws
      .on('error', () => {
        // ws has sent its close frame: 1009, 1007, 1002 …
        session.leave();
        session.upkeep.startCloseTimer();
      })
      .on('message', (data, isBinary) => {
        receiveMessage(session, data, isBinary);
      })
      .on('pong', () => {
        session.upkeep.pong();
      })
      .on('close', () => {
        forget(session);
      });
  };

  return {
    stats: () => {
      const modes = all().map(({ mode }) => mode);
      const closing = modes.filter((mode) => mode === 'ended').length;
      return { sessions: modes.length - closing, behind: modes.filter((mode) => mode === 'behind').length, closing };
    },
    join: (subscriber, start) => {
      const session = new LiveSession(context, subscriber);
      listen(session);
      const { agent } = subscriber.narrowing;
      if (agent !== null) watches.set(session, reads.watch(subscriber.channel.envId, agent));
      const { credential } = subscriber.who;
      const own = (sessions.get(credential) ?? new Set()).add(session);
      sessions.set(credential, own);
      if (tooMany(own)) session.end(4429, 'too many connections of one token');
      else session.begin(start);
      // A change of the credential between its request and now was announced before this session existed.
      review.checkOne(credential);
    },
    stop: async () => {
      review.stop();
      const gone = new Promise<void>((resolve) => {
        stopped = resolve;
      });
      for (const session of all()) session.end(1012, 'the server restarts');
      if (sessions.size > 0) {
        const late = setTimeout(
          () => {
            for (const session of all()) session.ws.terminate();
          },
          Math.min(times.graceMs, 1500),
        );
        await gone;
        clearTimeout(late);
      }
      clearInterval(timer);
    },
  };
};
