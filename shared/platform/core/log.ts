/** One logger per process: JSON lines on standard error, tokens never in them. */
import { pino, type Logger } from 'pino';
import type { Config } from './config.ts';

export type Log = Logger;

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
