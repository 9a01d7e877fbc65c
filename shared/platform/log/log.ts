/** The logger of a process: JSON lines on standard error, without tokens and passwords at any level. */
import { pino, type Logger, type LoggerOptions } from 'pino';
import type { Config } from '../config/config.ts';
import { logLines } from './logLines.ts';

/** Tokens of shared/accounts/access/tokens.ts; what is left of them names the kind. */
const tokens = /\b(cagt|cper|capp)_[0-9A-Za-z]{32,}/g;
/** Name and password in an address. */
const userinfo = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"\\]+@/gi;
/** Shorter texts stand in lines by chance. */
const secretLength = 6;

const decode = (text: string): string[] => {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
};

/** Returns the password of an address as it stands there, decoded, and as JSON writes it. */
const passwordsOf = (address: string): string[] => {
  const raw = /^[^/]*:\/\/[^/@]*?:([^/]*)@/.exec(address)?.[1] ?? '';
  return [raw, ...decode(raw)].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
};

/** Returns the function that replaces the secrets in a line of the log. */
const findSecrets = (
  config: Pick<Config, 'databaseUrl' | 'standbys' | 'migrateDatabaseUrl' | 'redisUrl' | 'smtpUrl' | 'tracing'>,
): ((line: string) => string) => {
  const { databaseUrl, standbys, migrateDatabaseUrl, redisUrl, smtpUrl } = config;
  const addresses = [databaseUrl, ...(standbys?.urls ?? []), migrateDatabaseUrl, redisUrl, smtpUrl ?? ''];
  const headers = Object.values(config.tracing?.headers ?? {});
  const secrets = [...new Set([...addresses.flatMap(passwordsOf), ...headers])]
    .filter((secret) => secret.length >= secretLength)
    .sort((a, b) => b.length - a.length);
  return (line) =>
    secrets
      .reduce((text, secret) => text.replaceAll(secret, '[hidden]'), line)
      .replace(tokens, '$1_[hidden]')
      .replace(userinfo, '$1[hidden]@');
};

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
    logLines,
  );
  return log;
};
