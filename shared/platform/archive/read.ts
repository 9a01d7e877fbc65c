/** Reads the files of archives from their beginning, and says where one is damaged; used by the modules that verify and restore. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { isDataError } from '../db/errors.ts';
import { parseArchiveHeader, type ArchiveHeader } from './header.ts';
import { ArchiveProblem, takeAnother } from './parts.ts';

const format = (n: number): string => n.toLocaleString('en');

const damagedAt = (path: string, where: string): ArchiveProblem =>
  new ArchiveProblem(`${path} does not hold: it is damaged ${where}; ${takeAnother}.`);

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** Returns whether anything has this name. */
export const existsName = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw toProblem(path, error);
    },
  );

/** Returns the size of a file that has one, in bytes. */
const requireFile = async (path: string): Promise<number> => {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') throw new ArchiveProblem(`There is no file ${path}.`);
    throw toProblem(path, error);
  });
  if (!found.isFile()) throw new ArchiveProblem(`${path} is not a file; give one that archive wrote.`);
  if (found.size === 0) throw new ArchiveProblem(`${path} does not hold: it is empty; ${takeAnother}.`);
  return found.size;
};

/** Returns the problem of a file that can't be opened or read; any other error as it is. */
const toProblem = (path: string, error: unknown): unknown =>
  error instanceof Error && /^E[A-Z]+$/.test(codeOf(error))
    ? new ArchiveProblem(`${path} can’t be read: ${error.message}`)
    : error;

/** Returns the SHA-256 of a file, in hex. Throws ArchiveProblem where it can't be read. */
export const hashFile = async (path: string): Promise<string> => {
  await requireFile(path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) hash.update(piece);
  }).catch((error: unknown) => {
    throw toProblem(path, error);
  });
  return hash.digest('hex');
};

const linesAtOnce = 2_000;

/** Bytes that a stream reads, and zlib gets, at once. */
const pieceBytes = 65_536;

/** Returns the problem of a file that is no whole gzip; `read`: the bytes of which zlib made lines, of `size`. */
const toGzipProblem = (path: string, error: unknown, read: number, size: number): ArchiveProblem | null => {
  const code = codeOf(error);
  if (!code.startsWith('Z_') || !(error instanceof Error)) return null;
  if (code === 'Z_BUF_ERROR') return damagedAt(path, `at its end, which is missing after byte ${format(size)}`);
  if (error.message === 'incorrect header check')
    return new ArchiveProblem(
      `${path} does not hold: it does not begin as an archive does, so it is another file, or damaged at byte 1; then ${takeAnother}.`,
    );
  if (/^incorrect (?:data|length) check$/.test(error.message))
    return damagedAt(path, 'somewhere: the checksum at its end is of another content');
  return damagedAt(path, `within its first ${format(Math.min(read + pieceBytes, size))} bytes of ${format(size)}`);
};

const isJson = (line: string): boolean => {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
};

/** Returns the problem of lines that PostgreSQL refuses. `before`: how many lines are before them. */
const toLineProblem = (path: string, lines: readonly string[], before: number): ArchiveProblem => {
  const broken = lines.findIndex((line) => !isJson(line));
  const where =
    broken === -1 && lines.length > 1
      ? `between the lines ${format(before + 1)} and ${format(before + lines.length)}`
      : `at line ${format(before + Math.max(broken, 0) + 1)}`;
  return damagedAt(path, where);
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

/**
 * Reads a file from its beginning: `begin` gets the header, `take` the other lines, batch by batch, with it. Throws ArchiveProblem for a
 * file that can't be read, is damaged or is none of an archive.
 */
export const readArchiveFile = async (
  path: string,
  begin: (header: ArchiveHeader) => Promise<void>,
  take: (lines: readonly string[], header: ArchiveHeader) => Promise<void>,
): Promise<ArchiveHeader> => {
  const size = await requireFile(path);
  let header: ArchiveHeader | null = null;
  let waiting: string[] = [];
  /** Lines that were taken, and the header. */
  let done = 1;
  /** What `begin` or `take` threw, before which the pipeline may fail otherwise. */
  let refused: unknown;
  const refuse = (error: unknown): never => {
    refused = error;
    throw error;
  };
  const start = async (line: string): Promise<ArchiveHeader> => {
    const found = parseArchiveHeader(line, path);
    await begin(found).catch((error: unknown) => {
      throw isDataError(error) ? toLineProblem(path, [line], 0) : error;
    });
    return found;
  };
  const takeWaiting = async (): Promise<void> => {
    await take(waiting, header ?? parseArchiveHeader(undefined, path)).catch((error: unknown) =>
      refuse(isDataError(error) ? toLineProblem(path, waiting, done) : error),
    );
    done += waiting.length;
    waiting = [];
  };
  const takeAll = async (batches: AsyncIterable<readonly string[]>): Promise<void> => {
    for await (const lines of batches) {
      const [first, ...others] = lines;
      if (header === null && first !== undefined) {
        header = await start(first).catch(refuse);
        waiting.push(...others);
      } else waiting.push(...lines);
      if (waiting.length >= linesAtOnce) await takeWaiting();
    }
    if (waiting.length > 0) await takeWaiting();
  };
  const gunzip = createGunzip();
  try {
    await pipeline(createReadStream(path), gunzip, toLines, takeAll);
  } catch (error) {
    if (refused !== undefined) throw refused;
    throw toGzipProblem(path, error, gunzip.bytesWritten, size) ?? toProblem(path, error);
  }
  return header ?? parseArchiveHeader(undefined, path);
};

class HeaderRead extends Error {}

/** Returns the header of a file without reading the rest; null where it has none. */
export const readArchiveHeader = async (path: string): Promise<ArchiveHeader | null> => {
  const found: ArchiveHeader[] = [];
  const begin = (header: ArchiveHeader): Promise<void> => {
    found.push(header);
    return Promise.reject(new HeaderRead());
  };
  await readArchiveFile(path, begin, () => Promise.resolve()).catch((error: unknown) => {
    if (!(error instanceof HeaderRead) && !(error instanceof ArchiveProblem)) throw error;
  });
  return found[0] ?? null;
};
