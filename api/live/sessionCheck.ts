/** Follows what changes about who listens: roles at once, as they are in memory; tokens, principals and closed environments by looking them up again. */
import { includesEnvironment } from '../../shared/accounts/access/principal.ts';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import type { Deps } from '../../shared/deps.ts';
import type { LiveSession } from './session.ts';

/** Credentials that are looked up at the same time. */
const checkConcurrency = 4;

interface SessionCheck {
  /** Looks up one credential, whose sessions may have begun while it changed. */
  checkOne(credential: string): void;
  /** Tries again what failed, and ends the streams of sessions that nobody uses. Called once a second. */
  tick(): void;
  stop(): void;
}

/** `sessions`: all live sessions by credential. */
export const createSessionCheck = (
  { config, directory, log }: Deps,
  sessions: ReadonlyMap<string, ReadonlySet<LiveSession>>,
): SessionCheck => {
  let outdated = false;
  let reviewing = false;

  const applyTo = (session: LiveSession, now: AuthSession | null): void => {
    const { role } = session.who.principal;
    if (directory.environmentById(session.channel.envId)?.closed === true)
      session.end(1012, 'the environment is closed');
    else if (now === null) {
      if (role !== null && directory.role(role.id) === undefined) session.end(4403, 'the role is gone');
      else session.end(4401, 'the token is not valid any more');
    } else if (includesEnvironment(now.principal.environments, session.channel.env.name)) session.updatePrincipal(now);
    else session.end(4403, 'the environment is not allowed any more');
  };

  const applyRoles = (): void => {
    for (const own of sessions.values())
      for (const session of own) {
        const { who } = session;
        const role = who.principal.role === null ? undefined : directory.role(who.principal.role.id);
        if (role !== undefined && role.access.key !== who.principal.access.key)
          session.updatePrincipal({ ...who, principal: { ...who.principal, role, access: role.access } });
      }
  };

  const lookUp = async (credential: string): Promise<void> => {
    const now = await directory.sessionByCredential(credential);
    for (const session of sessions.get(credential) ?? []) applyTo(session, now);
  };

  const lookUpAll = async (): Promise<void> => {
    const credentials = [...sessions.keys()];
    const work = async (): Promise<void> => {
      for (let credential = credentials.pop(); credential !== undefined; credential = credentials.pop())
        await lookUp(credential);
    };
    await Promise.all(Array.from({ length: checkConcurrency }, work));
  };

  const failed = (error: unknown): void => {
    outdated = true;
    log.debug({ err: error }, 'live sessions could not be reviewed; they will be in a second');
  };

  const review = async (): Promise<void> => {
    if (reviewing) return;
    reviewing = true;
    try {
      while (outdated) {
        outdated = false;
        await lookUpAll();
      }
    } catch (error) {
      failed(error);
    } finally {
      reviewing = false;
    }
  };

  /** A stream is no use of a person's session; looking one up tells whether it has ended meanwhile. */
  const endIdle = (): void => {
    for (const [credential, [one]] of sessions)
      if (one?.who.principal.type === 'person') lookUp(credential).catch(failed);
  };

  const unlisten = directory.onChange(() => {
    outdated = true;
    applyRoles();
    void review();
  });

  return {
    checkOne: (credential) => {
      lookUp(credential).catch(failed);
    },
    tick: () => {
      void review();
      if (config.sessionIdleMs !== null) endIdle();
    },
    stop: unlisten,
  };
};
