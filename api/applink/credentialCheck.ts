/** Closes the sockets of app keys that are revoked or expired and of closed environments, on every reload of the directory and by the clock. Used by hub.ts. */
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import { linkCloseCodes } from '../../shared/app/link/protocol.ts';
import type { Deps } from '../../shared/deps.ts';
import type { AppSession } from './session.ts';

interface CredentialCheck {
  /** Looks up one credential, which may have changed while its socket was opened. */
  checkOne(credential: string): void;
  /** Retries failed look-ups, and looks up keys that have expired. */
  tick(): void;
  stop(): void;
}

export const createCredentialCheck = (
  { directory, clock, log }: Deps,
  sessions: ReadonlySet<AppSession>,
): CredentialCheck => {
  /** Credentials to look up. */
  const due = new Set<string>();
  let looking = false;

  const apply = (credential: string, now: AuthSession | null): void => {
    for (const session of sessions) {
      if (session.who.credential !== credential) continue;
      if (directory.environmentById(session.envId)?.closed === true)
        session.end(linkCloseCodes.restarting, 'the environment is closed');
      else if (now === null) session.end(linkCloseCodes.revoked, 'the app key is not valid any more');
      else session.who = now;
    }
  };
  const lookUp = async (credential: string): Promise<void> => {
    // First, so that what changes while it is looked up makes it due again.
    due.delete(credential);
    try {
      apply(credential, await directory.sessionByCredential(credential));
    } catch (error) {
      due.add(credential);
      throw error;
    }
  };
  const look = async (): Promise<void> => {
    if (looking) return;
    looking = true;
    try {
      // The loop comes to what is added while it runs.
      for (const credential of due) await lookUp(credential);
    } catch (error) {
      log.debug({ err: error }, 'app keys could not be checked; they will be in a second');
    } finally {
      looking = false;
    }
  };
  const unlisten = directory.onChange(() => {
    for (const { who } of sessions) due.add(who.credential);
    void look();
  });

  return {
    checkOne: (credential) => {
      due.add(credential);
      void look();
    },
    tick: () => {
      const now = clock.now();
      for (const { who } of sessions) if (who.expiresAt !== null && who.expiresAt <= now) due.add(who.credential);
      void look();
    },
    stop: unlisten,
  };
};
