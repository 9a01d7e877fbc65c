/** All live sessions of this process: opens them, looks after them once a second, and follows what changes about who they are. */
import type { Session } from '../../shared/agents/directory.ts';
import { inEnvironment } from '../../shared/agents/principal.ts';
import type { LiveContext } from './context.ts';
import { hear } from './requests.ts';
import { LiveSession, type Start, type Subscriber } from './session.ts';

const pulseMs = 1000;
/** Credentials that are looked up again at once after a change of the directory. */
const reviewers = 4;

export interface Hub {
  /** Takes over an accepted socket. Its place among the channel's `users` is the caller's gift. */
  join(subscriber: Subscriber, start: Start): void;
  readonly size: number;
  /** Those that read the log. */
  readonly behind: number;
  /** Closes every session with 1012 and answers when their sockets are gone. */
  stop(): Promise<void>;
}

export const createHub = (context: LiveContext): Hub => {
  const { deps, times } = context;
  const { directory, clock, config } = deps;
  /** Sessions whose socket isn't gone yet, by credential. */
  const sessions = new Map<string, Set<LiveSession>>();
  let reviewing = false;
  let outdated = false;
  let stopped: (() => void) | null = null;

  /** Those that are closing don't count, but are only looked for when it matters. */
  const tooMany = (own: ReadonlySet<LiveSession>): boolean =>
    own.size > config.livePerToken && [...own].filter(({ mode }) => mode !== 'ended').length > config.livePerToken;

  const all = (): LiveSession[] => [...sessions.values()].flatMap((own) => [...own]);

  const forget = (session: LiveSession): void => {
    session.leave();
    const own = sessions.get(session.who.credential);
    own?.delete(session);
    if (own?.size === 0) sessions.delete(session.who.credential);
    if (sessions.size === 0) stopped?.();
  };

  const applyTo = (session: LiveSession, now: Session | null): void => {
    const { role } = session.who.principal;
    if (now === null) {
      if (role !== null && directory.role(role.id) === undefined) session.end(4403, 'the role is gone');
      else session.end(4401, 'the token is not valid any more');
    } else if (inEnvironment(now.principal.environments, session.channel.env.name)) session.renew(now);
    else session.end(4403, 'the environment is not allowed any more');
  };

  /** Roles are in memory: a narrower one acts before anything is asked of the database. */
  const applyRoles = (): void => {
    for (const session of all()) {
      const { who } = session;
      const role = who.principal.role === null ? undefined : directory.role(who.principal.role.id);
      if (role !== undefined && role.access.key !== who.principal.access.key) session.renew({ ...who, principal: { ...who.principal, role, access: role.access } });
    }
  };

  const reviewOne = async (credential: string): Promise<void> => {
    const now = await directory.sessionOf(credential);
    for (const session of sessions.get(credential) ?? []) applyTo(session, now);
  };

  const review = async (): Promise<void> => {
    const credentials = [...sessions.keys()];
    const work = async (): Promise<void> => {
      for (let credential = credentials.pop(); credential !== undefined; credential = credentials.pop()) await reviewOne(credential);
    };
    await Promise.all(Array.from({ length: reviewers }, work));
  };

  /** Looks up everybody again if the directory has changed; what fails is tried again by the next pulse. */
  const reviewIfOutdated = (): void => {
    if (!outdated || reviewing) return;
    outdated = false;
    reviewing = true;
    review()
      .catch((error: unknown) => {
        outdated = true;
        deps.log.debug({ err: error }, 'live sessions could not be reviewed; they will be in a second');
        return 'failed' as const;
      })
      .then((result) => {
        reviewing = false;
        if (result !== 'failed') reviewIfOutdated();
      })
      .catch(() => undefined);
  };

  const unlisten = directory.onChange(() => {
    outdated = true;
    applyRoles();
    reviewIfOutdated();
  });

  const timer = setInterval(() => {
    reviewIfOutdated();
    const now = performance.now();
    const at = clock.now();
    for (const own of sessions.values()) for (const session of own) session.upkeep.pulse(now, at);
  }, pulseMs);

  return {
    get size() {
      return all().length;
    },
    get behind() {
      return all().filter(({ mode }) => mode === 'behind').length;
    },
    join: (subscriber, start) => {
      const { ws, who } = subscriber;
      const session = new LiveSession(context, subscriber);
      ws.on('error', () => {
        // ws has sent its close frame: 1009, 1007, 1002 …
        session.leave();
        session.upkeep.ending();
      });
      ws.on('message', (data, isBinary) => {
        hear(session, data, isBinary);
      });
      ws.on('pong', () => {
        session.upkeep.pong();
      });
      ws.on('close', () => {
        forget(session);
      });
      const own = sessions.get(who.credential) ?? new Set();
      sessions.set(who.credential, own.add(session));
      if (tooMany(own)) session.end(4429, 'too many connections of one token');
      else session.begin(start);
      // Whatever changed about it between its request and now, the listener above didn't tell it.
      reviewOne(who.credential).catch(() => {
        outdated = true;
      });
    },
    stop: async () => {
      unlisten();
      const gone = new Promise<void>((resolve) => {
        stopped = resolve;
      });
      for (const session of all()) session.end(1012, 'the server restarts');
      if (sessions.size > 0) {
        const late = setTimeout(() => {
          for (const session of all()) session.ws.terminate();
        }, Math.min(times.graceMs, 1500));
        await gone;
        clearTimeout(late);
      }
      clearInterval(timer);
    },
  };
};
