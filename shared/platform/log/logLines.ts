/**
 * Writes lines of the log to standard error, without blocking the process. While the disk is full, or the reader is slow, lines wait up
 * to a bound; further lines are dropped and counted. Used by log.ts.
 */
import { write, writeSync } from 'node:fs';
import { Counter } from 'prom-client';
import { platformRegistry } from './metrics.ts';

const dropped = new Counter({
  name: 'console_log_lines_dropped_total',
  help: 'Lines of the log that were dropped, as standard error took none: its disk is full, or its reader is slow.',
  registers: [platformRegistry],
});

/** Characters that wait at most. */
const waitingMax = 4_000_000;
/** ms between a write that failed and the next try. */
const againMs = 1_000;
/** ms between two tries to write to a full pipe; tries at the end of the process. */
const [busyMs, lastTries] = [10, 50];

const isBusy = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAGAIN';

const descriptor = 2;
let lines: string[] = [];
let length = 0;
/** The bytes of the write that is under way, or that failed and is retried. */
let sending: Buffer = Buffer.alloc(0);
let isWriting = false;

const send = (): void => {
  if (isWriting) return;
  if (sending.length === 0) {
    if (lines.length === 0) return;
    sending = Buffer.from(lines.join(''));
    lines = [];
    length = 0;
  }
  isWriting = true;
  write(descriptor, sending, (error, written) => {
    isWriting = false;
    if (error === null) {
      sending = sending.subarray(written);
      send();
    } else setTimeout(send, isBusy(error) ? busyMs : againMs).unref();
  });
};

/** Writes the lines that wait, as far as standard error takes them. A write that is under way is left alone: Node finishes it before the process ends. */
const sendLast = (): void => {
  const waits = new Int32Array(new SharedArrayBuffer(4));
  let rest = Buffer.concat([isWriting ? Buffer.alloc(0) : sending, Buffer.from(lines.join(''))]);
  for (let tries = 0; rest.length > 0 && tries < lastTries;) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (!isBusy(error)) return;
      tries += 1;
      Atomics.wait(waits, 0, 0, busyMs);
    }
  }
};
process.on('exit', sendLast);

/** The destination of loggers. */
export const logLines = {
  write: (line: string): void => {
    if (length + line.length > waitingMax) {
      dropped.inc();
      return;
    }
    lines.push(line);
    length += line.length;
    send();
  },
};
