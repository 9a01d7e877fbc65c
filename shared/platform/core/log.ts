/** The logger of a process: JSON lines on standard error, without tokens and passwords. */
import { pino, type Logger } from 'pino';
import type { Config } from './config.ts';

export type Log = Logger;

/** Returns the logger of a process; `part` names the program in each line. */
export const createLog = (config: Config, part: string): Log =>
  pino(
    {
      level: config.logLevel,
      base: { part, process: config.processName },
      redact: {
        paths: ['token', 'password', 'authorization', '*.token', '*.password', '*.authorization'],
        censor: '[hidden]',
      },
    },
    pino.destination({ dest: 2, sync: false }),
  );
