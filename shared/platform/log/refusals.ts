/**
 * Why no connection to a server comes about, in an operator's words, by the codes of Node and OpenSSL. They hold neither names
 * nor addresses, as `/ready` tells them too. For PostgreSQL (db/errors.ts), Redis (redis/redisHealth.ts) and mail (replies/smtp.ts).
 */

export type Refusals = readonly (readonly [codes: RegExp, words: string])[];

export const tlsRefusals: Refusals = [
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet; compare the clocks'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
  [
    /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_|INVALID_CA)/,
    'no authority that this process trusts has signed its certificate',
  ],
  [/^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/, 'it and this process agree on no TLS'],
  [/^(?:ENOENT|EACCES)$/, 'a file of the connection (its socket, or sslrootcert) is missing or can’t be read'],
];

/** OpenSSL's words, by code, for clients that replace the code by one of their own. */
const codesByWords: Readonly<Record<string, string>> = {
  'certificate has expired': 'CERT_HAS_EXPIRED',
  'certificate is not yet valid': 'CERT_NOT_YET_VALID',
  'does not match certificate': 'ERR_TLS_CERT_ALTNAME_INVALID',
  'self-signed certificate': 'SELF_SIGNED_CERT_IN_CHAIN',
  'unable to verify': 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'unable to get': 'UNABLE_TO_GET_ISSUER_CERT',
};

export const findRefusal = (refusals: Refusals, code: string): string | null =>
  refusals.find(([codes]) => codes.test(code))?.[1] ?? null;

/** Returns why TLS did not come about; null: the error is none of TLS. */
export const describeTlsRefusal = ({ code = '', message }: Error & { readonly code?: unknown }): string | null => {
  const words = Object.keys(codesByWords).find((known) => message.includes(known));
  return findRefusal(tlsRefusals, words === undefined ? String(code) : (codesByWords[words] ?? ''));
};
