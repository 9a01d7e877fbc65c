/** The connections that pools have open, to close them when their server answers nobody; used by contact.ts and by standbys. */
import type { Socket } from 'node:net';
import type { Session } from './knex.ts';

export interface OpenSessions {
  /** Follows a new connection until it is closed. */
  readonly follow: (session: Session) => void;
  /** Closes the connections that have been open for at least so many ms; statements that wait on them fail as unavailable. */
  readonly closeOlderThan: (ms: number) => void;
}

export const createOpenSessions = (): OpenSessions => {
  const openedAt = new Map<Socket, number>();
  return {
    follow: ({ connection: { stream } }) => {
      openedAt.set(stream, performance.now());
      stream.once('close', () => openedAt.delete(stream));
    },
    closeOlderThan: (ms) => {
      for (const [stream, at] of openedAt) if (performance.now() - at >= ms) stream.destroy();
    },
  };
};
