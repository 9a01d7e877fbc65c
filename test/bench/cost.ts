/**
 * Processor time that work takes in a process and in PostgreSQL, read from /proc (Linux; elsewhere NaN). Where others use
 * the machine too it shows more than a rate: waiting doesn't count.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { Database } from './database.ts';

/** Of all its threads; a thread that has ended is not counted. */
const timeOf = (pid: number): number => {
  try {
    const threads = readdirSync(`/proc/${String(pid)}/task`);
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${String(pid)}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]),
    );
    return nanoseconds.reduce((sum, time) => sum + time, 0) / 1000;
  } catch {
    return Number.NaN;
  }
};

export interface Cost {
  /** Microseconds. */
  readonly process: number;
  readonly postgres: number;
}

/** Runs `work` and returns what it cost these processes and PostgreSQL; connections that it closes are not counted. */
export const costOf = async <R>(
  { sql }: Database,
  pids: readonly number[],
  work: () => Promise<R>,
): Promise<{ result: R; cost: Cost }> => {
  const backends = async (): Promise<Map<number, number>> => {
    const found = await sql<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return new Map(found.map((backend) => [backend.pid, timeOf(backend.pid)]));
  };
  const timeOfAll = (): number => pids.reduce((sum, pid) => sum + timeOf(pid), 0);
  const [before, own] = [await backends(), timeOfAll()];
  const result = await work();
  const [after, ownAfter] = [await backends(), timeOfAll()];
  const postgres = [...after].reduce((sum, [backend, time]) => sum + time - (before.get(backend) ?? 0), 0);
  return { result, cost: { process: ownAfter - own, postgres } };
};
