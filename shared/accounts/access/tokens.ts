/** Tokens: `<prefix>_`, 32 random base62 characters, and 6 of a base62 CRC-32, by which a mistyped one is refused without a query. */
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const principalKinds = ['agent', 'person', 'app'] as const;
export type PrincipalKind = (typeof principalKinds)[number];

const prefixes: Readonly<Record<PrincipalKind, string>> = { agent: 'cagt', person: 'cper', app: 'capp' };
const kinds = new Map<string, PrincipalKind>(principalKinds.map((kind) => [prefixes[kind], kind]));
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^(cagt|cper|capp)_[0-9A-Za-z]{38}$/;

const checksum = (text: string): string => {
  let rest = crc32(text);
  let sum = '';
  for (let i = 0; i < 6; i++) {
    sum = base62.charAt(rest % 62) + sum;
    rest = Math.floor(rest / 62);
  }
  return sum;
};

/** Returns 32 unbiased base62 characters: 248 is the largest multiple of 62 in a byte, so bytes from 248 on are discarded. */
const random = (): string => {
  let text = '';
  while (text.length < 32) {
    for (const byte of randomBytes(48)) if (byte < 248 && text.length < 32) text += base62.charAt(byte % 62);
  }
  return text;
};

/** Returns a new random token. */
export const newToken = (kind: PrincipalKind): string => {
  const body = `${prefixes[kind]}_${random()}`;
  return body + checksum(body);
};

/** Returns the kind of principal that the token is for, or null when its form or its checksum is wrong. */
export const parseTokenKind = (text: string): PrincipalKind | null => {
  const match = form.exec(text);
  if (match?.[1] === undefined || checksum(text.slice(0, -6)) !== text.slice(-6)) return null;
  return kinds.get(match[1]) ?? null;
};

/** Returns the SHA-256 by which a token is stored and found. */
export const tokenHash = (token: string): Buffer => hash('sha256', token, 'buffer');
