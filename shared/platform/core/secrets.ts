/** What no log may show, whoever puts it there: tokens, and the passwords of the configuration. Used by log.ts. */
import type { Config } from './config.ts';

/** Tokens of shared/access/tokens.ts; what is left of them names the kind. */
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
export const findSecrets = (
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
