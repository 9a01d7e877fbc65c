/**
 * The file of an archive: gzip of JSON lines, first a header, then the ranges of the audit chains, then the events by id, each as
 * PostgreSQL writes a row as JSON. Written beside its name, which it gets when it is on the disk.
 */
import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ArchiveHeader } from './header.ts';
import { ArchiveProblem } from './parts.ts';
import { hashFile } from './read.ts';

interface WrittenFile {
  readonly bytes: number;
  /** Of the file as it is on the disk, in hex. */
  readonly sha256: string;
  /** The file was made now; false: one with the same content was there. */
  readonly isNew: boolean;
}

const sync = async (path: string): Promise<void> => {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
};

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** Codes of file systems without hard links. */
const noLinks = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'] as const;

/** Returns the refusal to write over a file. */
export const takenName = (path: string): ArchiveProblem =>
  new ArchiveProblem(
    `${path} exists and is not what would be written, so nothing was: its month is in the database as before. Give another folder, or move that file away.`,
  );

/** Gives a written file its name, which takes it from none. Returns false where a file with the same content has it, which a command that was killed has left. */
const nameFile = async (unfinished: string, path: string, sha256: string): Promise<boolean> => {
  try {
    await link(unfinished, path).catch(async (error: unknown) => {
      if (!hasCode(error, ...noLinks)) throw error;
      await copyFile(unfinished, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    if ((await hashFile(path).catch(() => null)) !== sha256) throw takenName(path);
    return false;
  }
};

/**
 * Writes the header and the lines, batch by batch; resolves when they are on the disk under their name. Throws ArchiveProblem
 * where another file has that name.
 */
export const writeArchiveFile = async (
  path: string,
  header: ArchiveHeader,
  batches: AsyncIterable<readonly string[]>,
): Promise<WrittenFile> => {
  const unfinished = `${path}.${randomBytes(4).toString('hex')}.unfinished`;
  const hash = createHash('sha256');
  const file = await open(unfinished, 'wx').catch((error: unknown) => {
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
    const sha256 = hash.digest('hex');
    const isNew = await nameFile(unfinished, path, sha256);
    try {
      await sync(path);
      await sync(dirname(path));
      return { bytes: (await stat(path)).size, sha256, isNew };
    } catch (error) {
      if (isNew) await rm(path, { force: true });
      throw error;
    }
  } finally {
    await file.close().catch(() => undefined);
    await rm(unfinished, { force: true });
  }
};
