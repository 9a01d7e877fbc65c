/** The headers that every response has, of API and workers, whatever it answers. Made once for each server. */
import type { Config } from '../config/config.ts';

/** A year, in seconds: how long browsers keep to TLS once they have heard of it. */
const strictTransportSeconds = 31_536_000;

/**
 * Returns the headers for responses that no browser renders. Nothing is cached, guessed to be a page, framed, or read by
 * pages of other sites; addresses are not passed on as referrers. With an https address, browsers keep to TLS.
 */
export const securityHeaders = ({ publicUrl }: Pick<Config, 'publicUrl'>): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  ...(publicUrl.startsWith('https:')
    ? { 'strict-transport-security': `max-age=${String(strictTransportSeconds)}` }
    : {}),
});
