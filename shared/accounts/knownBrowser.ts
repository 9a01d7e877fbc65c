/**
 * The token of a browser in which a person has signed in before, which gives it tries of its own (signInThrottle.ts). It is
 * no credential. Nothing of it is stored: it is authenticated by the hash of the password, so that a new password voids it.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { limits } from '../catalogue/limits.ts';

interface Account {
  readonly id: string;
  /** The stored hash of the password; null: they can't sign in. */
  readonly hash: string | null;
}

const form = /^([0-9a-z_]{1,40})\.(\d{1,15})\.([\w-]{22})\.([\w-]{43})$/;

const authenticate = (hash: string, ...parts: readonly string[]): Buffer =>
  createHmac('sha256', hash)
    .update(['known browser', ...parts].join('.'))
    .digest();

/** Returns a new token for the account, to be kept by the browser. `at`: epoch milliseconds. */
export const newBrowserToken = ({ id, hash }: Account, at: number): string => {
  const parts = [id, String(at), randomBytes(16).toString('base64url')];
  return [...parts, authenticate(hash ?? '', ...parts).toString('base64url')].join('.');
};

/** Returns the name of the browser, or null unless it has a token of this account and of its present password, 90 days old at most. */
export const readBrowserToken = (token: string | null, account: Account | undefined, at: number): string | null => {
  const [, id = '', since = '', name = '', mac = ''] = form.exec(token ?? '') ?? [];
  if (account === undefined || account.hash === null || id !== account.id) return null;
  if (Number(since) + limits.knownBrowserMs <= at) return null;
  const expected = authenticate(account.hash, id, since, name);
  const given = Buffer.from(mac, 'base64url');
  return given.length === expected.length && timingSafeEqual(given, expected) ? name : null;
};
