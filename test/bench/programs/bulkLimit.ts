/** A bulk by the least code: set-based chunks of 500, two at once, in a process of its own. */
import pg from 'pg';
import { newId } from '../../../shared/platform/ids.ts';
import { bulkChunkSql } from '../bulkSql.ts';
import { answerCalls } from '../ipc.ts';

export interface Wanted {
  readonly env: number;
  readonly ids: readonly string[];
  readonly state: string;
  readonly closed: boolean;
}

const chunk = 500;
const workers = 2;
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: workers });

/** Seconds. */
const run = async ({ env, ids, state, closed }: Wanted): Promise<number> => {
  const bulk = newId('blk');
  const actor = newId('agt');
  const began = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let from = next; from < ids.length; from = next) {
      next += chunk;
      const own = ids.slice(from, from + chunk);
      const values = [
        env,
        own,
        own.map(() => state),
        own.map(() => closed),
        Date.now(),
        actor,
        bulk,
        from,
        own.map(() => newId('ent')),
      ];
      await pool.query({ name: 'chunk', text: bulkChunkSql, values });
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return (performance.now() - began) / 1000;
};

answerCalls({ run });
