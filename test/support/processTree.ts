/** The processes of one node, found in /proc: what a signal to a whole machine would reach. Used by standby.ts, and by the nodes of a cluster that fails over. */
import { readdirSync, readFileSync } from 'node:fs';

const parentOf = (pid: number): number | null => {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    // The name before it is in brackets and may have any characters.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
};

/** Returns processes and all that they have started, those first that were named. */
export const withDescendants = (roots: readonly number[]): number[] => {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const parent = Number.isInteger(pid) ? parentOf(pid) : null;
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const found = new Set(roots.filter((pid) => parentOf(pid) !== null));
  for (const pid of found) for (const child of children.get(pid) ?? []) found.add(child);
  return [...found];
};

/** Sends a signal to each process that is still there. */
export const signalAll = (pids: readonly number[], signal: NodeJS.Signals): void => {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
};
