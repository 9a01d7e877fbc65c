/**
 * The file of an archive: gzip of JSON lines, first a header, then the ranges of the audit chains, then the events by id, each as
 * PostgreSQL writes a row as JSON. Written beside its name and renamed when it is on the disk.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip, createGzip } from 'node:zlib';
import { ArchiveProblem } from './parts.ts';

/** What a chain was before the file's first range, and the ranges that the file has. */
export interface ArchivedChain {
  readonly env: number;
  /** The number, the last event and the hash of the range before the first that is proven here; 0, 0 and zeros without one. */
  readonly before: { readonly n: number; readonly last: number; readonly hash: string };
  /** The number of its last range here. */
  readonly last: number;
  /** Whether the range behind it has entries of this file too. Their part can't be proven without the database. */
  readonly shared: boolean;
}

export interface ArchiveHeader {
  readonly archive: 'events';
  readonly version: 1;
  readonly name: string;
  readonly table: string;
  readonly starts: number;
  readonly ends: number;
  readonly events: number;
  /** The sum of a hash of each event's JSON text. */
  readonly digest: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly chains: readonly ArchivedChain[];
}

interface WrittenFile {
  readonly bytes: number;
  /** Of the file as it is on the disk, in hex. */
  readonly sha256: string;
}

const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Writes the header and the lines, batch by batch; resolves when they are on the disk under their name. */
export const writeArchiveFile = async (
  path: string,
  header: ArchiveHeader,
  batches: AsyncIterable<readonly string[]>,
): Promise<WrittenFile> => {
  const unfinished = `${path}.unfinished`;
  const hash = createHash('sha256');
  const file = await open(unfinished, 'w').catch((error: unknown) => {
    throw new ArchiveProblem(
      `${unfinished} can’t be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  try {
    const text = async function* (): AsyncGenerator<string> {
      yield `${JSON.stringify(header)}\n`;
      for await (const lines of batches) if (lines.length > 0) yield `${lines.join('\n')}\n`;
    };
    const hashed = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    };
    const toFile = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
      for await (const piece of pieces) await file.writeFile(piece);
    };
    await pipeline(Readable.from(text()), createGzip(), hashed, toFile);
    await file.sync();
    await file.close();
    await rename(unfinished, path);
    await syncFolder(path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
    throw error;
  }
  return { bytes: (await stat(path)).size, sha256: hash.digest('hex') };
};

/** Returns the SHA-256 of a file, in hex. */
export const hashFile = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) hash.update(piece);
  });
  return hash.digest('hex');
};

const linesAtOnce = 2_000;

/** Whether the file is missing, unreadable, cut off or altered; PostgreSQL's errors have other codes. */
const isFileError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:E[A-Z]+|Z_\w+)$/.test(String(error.code));

const isHeader = (value: unknown): value is ArchiveHeader =>
  typeof value === 'object' &&
  value !== null &&
  (value as Partial<ArchiveHeader>).archive === 'events' &&
  (value as Partial<ArchiveHeader>).version === 1;

const parseHeader = (line: string | undefined, path: string): ArchiveHeader => {
  try {
    const value: unknown = JSON.parse(line ?? '');
    if (isHeader(value)) return value;
  } catch {
    // Said below, as a header of another form is.
  }
  throw new ArchiveProblem(`${path} is no archive of events, or one that a newer version has written.`);
};

/** Yields batches of the lines of a text that comes in pieces. */
const toLines = async function* (pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.write(piece)).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
  if (rest !== '') yield [rest];
};

/** Reads a file from its beginning: `begin` gets the header, `take` the other lines, batch by batch. */
export const readArchiveFile = async (
  path: string,
  begin: (header: ArchiveHeader) => Promise<void>,
  take: (lines: readonly string[]) => Promise<void>,
): Promise<ArchiveHeader> => {
  let header: ArchiveHeader | null = null;
  let waiting: string[] = [];
  /** What the reader threw: the pipeline tells of the end that it came to by it. */
  let thrown: unknown;
  const takeAll = async (batches: AsyncIterable<readonly string[]>): Promise<void> => {
    for await (const lines of batches) {
      const [first, ...others] = lines;
      if (header === null && first !== undefined) {
        header = parseHeader(first, path);
        await begin(header);
        waiting.push(...others);
      } else waiting.push(...lines);
      if (waiting.length < linesAtOnce) continue;
      await take(waiting);
      waiting = [];
    }
  };
  try {
    await pipeline(createReadStream(path), createGunzip(), toLines, (batches: AsyncIterable<readonly string[]>) =>
      takeAll(batches).catch((error: unknown) => {
        thrown ??= error;
        throw error;
      }),
    );
  } catch (caught) {
    const error = thrown ?? caught;
    if (error instanceof ArchiveProblem) throw error;
    if (!isFileError(error)) throw error;
    throw new ArchiveProblem(`${path} can’t be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (waiting.length > 0) await take(waiting);
  return header ?? parseHeader(undefined, path);
};
