/** Tokens: `<prefix>_` + 32 random base62 characters + 6 of a base62 CRC-32, so that a mistyped one needs no look-up. */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type PrincipalKind = 'agent' | 'person' | 'app';

const prefixes: Readonly<Record<PrincipalKind, string>> = { agent: 'cagt', person: 'cper', app: 'capp' };
const kinds = new Map(Object.entries(prefixes).map(([kind, prefix]) => [prefix, kind as PrincipalKind]));
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

/** 32 unbiased base62 characters: bytes of 248 and over are thrown away. */
const random = (): string => {
  let text = '';
  while (text.length < 32) {
    for (const byte of randomBytes(48)) if (byte < 248 && text.length < 32) text += base62.charAt(byte % 62);
  }
  return text;
};

export const newToken = (kind: PrincipalKind): string => {
  const body = `${prefixes[kind]}_${random()}`;
  return body + checksum(body);
};

/** What kind of token `text` is, or null when its form or checksum is wrong. */
export const parseTokenKind = (text: string): PrincipalKind | null => {
  const match = form.exec(text);
  if (match?.[1] === undefined || checksum(text.slice(0, -6)) !== text.slice(-6)) return null;
  return kinds.get(match[1]) ?? null;
};

/** The SHA-256 by which a token is stored and found. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();
