/** Files that browsers load, with their compressed forms, and the responses with them. For the console and the reference page. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { ApiResponse } from './apiResponse.ts';
import { acceptsEncoding } from './response.ts';

export interface PackedFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  /** null: not worth it. */
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

/** The headers of a file whose name changes with its content. */
export const immutableHeaders = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' };

export const toPackedFile = (type: string, plain: Buffer, packed: Pick<PackedFile, 'br' | 'gzip'>): PackedFile => ({
  type,
  etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
  plain,
  ...packed,
});

/** Returns whether `if-none-match` names this ETag or is `*` (RFC 9110, section 13.1.2). */
export const matchesEtag = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined &&
  ifNoneMatch.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));

const packedFor = ({ plain, br, gzip }: PackedFile, accepts: string): { bytes: Buffer; encoding: string | null } => {
  if (br !== null && acceptsEncoding(accepts, 'br')) return { bytes: br, encoding: 'br' };
  if (gzip !== null && acceptsEncoding(accepts, 'gzip')) return { bytes: gzip, encoding: 'gzip' };
  return { bytes: plain, encoding: null };
};

/** Returns the response with a file in the smallest form that the client takes; `304` when it has the file already. */
export const packedResponse = (
  { headers: asked }: IncomingMessage,
  file: PackedFile,
  headers: Readonly<Record<string, string>>,
): ApiResponse => {
  if (matchesEtag(asked['if-none-match'], file.etag)) return { status: 304, body: undefined, etag: file.etag, headers };
  const { bytes, encoding } = packedFor(file, asked['accept-encoding'] ?? '');
  return {
    status: 200,
    body: undefined,
    bytes,
    etag: file.etag,
    headers: {
      ...headers,
      'content-type': file.type,
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
  };
};

/** The folder lies beside `api`, or beside `dist` in a build. */
const folder = ['../../docs/', '../../../docs/']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(new URL('agents.md', url)));

/** Returns the text of a document; an empty one where documents were not installed. */
export const readDocument = (name: string): string =>
  folder === undefined ? '' : readFileSync(new URL(`${name}.md`, folder), 'utf8');
