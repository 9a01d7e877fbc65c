/**
 * One connection that is asked at short intervals, each time with a deadline. What is frozen or cut off answers nothing and
 * refuses nothing, so a connection that is late is given up for a new one. Whoever asks waits for the answer
 * before the next question. Used by primaryLog.ts, asker.ts and standby.ts.
 */
import pg from 'pg';
import type { Statement } from '../sql.ts';

/** A statement without a name is not prepared. */
type Asked = Pick<Statement, 'text'> & Partial<Pick<Statement, 'name'>> & { readonly values?: readonly unknown[] };

interface Probe {
  /** Connects unless it is connected. Throws when that takes longer than `ms`. */
  open(ms: number): Promise<void>;
  /** Returns the rows of a statement. Throws when they do not come within `ms`. */
  ask<R>(asked: Asked, ms: number): Promise<R[]>;
  close(): Promise<void>;
}

/** Opens the connection when it is asked. */
export const openProbe = (url: string, applicationName: string): Probe => {
  let current: Promise<pg.Client> | null = null;

  /** The client destroys its socket at once while a statement is under way. */
  const end = async (opening: Promise<pg.Client>): Promise<void> => {
    await opening.then((client) => client.end()).catch(() => undefined);
  };

  const connect = async (ms: number): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: ms,
    });
    // The next question finds out.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };

  const giveUp = (opening: Promise<pg.Client>): void => {
    if (current === opening) current = null;
    void end(opening);
  };

  return {
    open: async (ms) => {
      const opening = (current ??= connect(ms));
      try {
        await opening;
      } catch (error) {
        giveUp(opening);
        throw error;
      }
    },
    ask: async <R>({ text, name, values = [] }: Asked, ms: number): Promise<R[]> => {
      const opening = (current ??= connect(ms));
      try {
        // Types of pg lack the time-out of a single query.
        const query = { text, ...(name === undefined ? {} : { name }), values: [...values], query_timeout: ms };
        const { rows } = await (await opening).query(query as pg.QueryConfig);
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller names the type of the columns that it asks for
        return rows as R[];
      } catch (error) {
        giveUp(opening);
        throw error;
      }
    },
    close: async () => {
      const opening = current;
      current = null;
      if (opening !== null) await end(opening);
    },
  };
};
