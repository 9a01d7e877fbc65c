/** The logger of a process: JSON lines on standard error, without tokens and passwords at any level. */
import { pino, type Logger, type LoggerOptions } from 'pino';
import type { Config } from './config.ts';
import { findSecrets } from './secrets.ts';

export type Log = Logger;

/** How deep the causes of an error are followed. */
const causesMax = 5;

/**
 * Returns what the log shows of an error. Of its other members only the codes are shown: drivers put the statement, the
 * command or the address that failed there, with the values or the password in it.
 */
const describeError = (error: unknown, depth = 0): unknown => {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  const { name, message, stack, cause } = error;
  const codes = Object.fromEntries(
    [
      'code',
      'errno',
      'syscall',
      'severity',
      'schema',
      'table',
      'constraint',
      'routine',
      'responseCode',
      'status',
    ].flatMap((member) => {
      const value: unknown = Reflect.get(error, member);
      return typeof value === 'string' || typeof value === 'number' ? [[member, value]] : [];
    }),
  );
  const hasCause = cause !== undefined && depth < causesMax;
  return { type: name, message, stack, ...codes, ...(hasCause ? { cause: describeError(cause, depth + 1) } : {}) };
};

/** Takes each line before it is written, as pino's `logMethod`. */
export type LogHook = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** Returns the logger of a process; `part` names the program in each line, `createHook` makes what takes each before it is written. */
export const createLog = (config: Config, part: string, createHook?: (log: () => Log) => LogHook): Log => {
  const hideSecrets = findSecrets(config);
  const log: Logger = pino(
    {
      level: config.logLevel,
      base: { part, process: config.processName },
      serializers: { err: describeError },
      redact: {
        paths: ['token', 'password', 'authorization', '*.token', '*.password', '*.authorization'],
        censor: '[hidden]',
      },
      hooks: { streamWrite: hideSecrets, ...(createHook === undefined ? {} : { logMethod: createHook(() => log) }) },
    },
    pino.destination({ dest: 2, sync: false }),
  );
  return log;
};
