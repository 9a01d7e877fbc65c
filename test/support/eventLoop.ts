/** What a process of the service has said about its event loop; every test that runs processes looks here when it ends them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const blocked = 'the event loop was blocked';
/** Processor time in ms from which a test fails: on a small machine, the first garbage collections of a process alone may take what is logged. */
const blockedMs = 800;

/** Returns the lines of a log that say that the process blocked its own event loop for long (shared/platform/log/metrics.ts). */
export const blockedLoopLines = (log: string): string[] =>
  log.split('\n').filter((line) => line.includes(blocked) && Number(/"processorMs":(\d+)/.exec(line)?.[1]) > blockedMs);

/** Throws when a process that wrote to a file of `folder` has blocked its event loop. */
export const requireFreeEventLoopsIn = (folder: string): void => {
  if (!existsSync(folder)) return;
  for (const file of readdirSync(folder)) requireFreeEventLoop(file, readFileSync(join(folder, file), 'utf8'));
};

/** Throws when a process has blocked its event loop. */
export const requireFreeEventLoop = (name: string, log: string): void => {
  const lines = blockedLoopLines(log);
  if (lines.length > 0) throw new Error(`${name} blocked its event loop: ${lines.join(' ')}`);
};
