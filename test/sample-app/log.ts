/** The sample app's memory: an append-only file, on the disk before anybody gets its content. */
import { mkdir, open, readFile, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Block } from '../../shared/sdk/index.ts';

/** What an effect did to one record; `fields` replace those of the same name. */
export interface Change {
  readonly resource: string;
  readonly id: string;
  readonly fields?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly deleted?: true;
}

/** `effect`: what was done for a run, with its answer. `settled`: the service has that answer. */
export type Line =
  | { readonly kind: 'began'; readonly at: number }
  | { readonly kind: 'pushed'; readonly at: number }
  | {
      readonly kind: 'effect';
      readonly at: number;
      readonly run: string;
      readonly attempt: number;
      readonly action: string;
      readonly record: string | null;
      readonly message: string;
      readonly blocks: readonly Block[];
      readonly changes: readonly Change[];
    }
  | { readonly kind: 'again'; readonly at: number; readonly run: string; readonly attempt: number }
  | { readonly kind: 'settled'; readonly at: number; readonly run: string }
  | { readonly kind: 'sent'; readonly at: number; readonly delivery: string };

export interface Log {
  /** The lines that the file had when it was opened. */
  readonly lines: readonly Line[];
  /** Resolves when the line is on the disk; lines that come meanwhile share one write. */
  append(line: Line): Promise<void>;
  close(): Promise<void>;
}

/** A line that a kill tore is no line. */
const parsed = (text: string): Line[] =>
  text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });

const textOf = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
};

export const openLog = async (path: string): Promise<Log> => {
  await mkdir(dirname(path), { recursive: true });
  const before = await textOf(path);
  const file: FileHandle = await open(path, 'a');
  if (before !== '' && !before.endsWith('\n')) await file.appendFile('\n');
  let waiting: string[] = [];
  let flushing: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  const flush = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    next = null;
    await file.appendFile(lines.join(''));
    await file.datasync();
  };
  return {
    lines: parsed(before),
    append: (line) => {
      waiting.push(`${JSON.stringify(line)}\n`);
      next ??= (flushing ?? Promise.resolve())
        .catch(() => undefined)
        .then(() => {
          flushing = flush();
          return flushing;
        });
      return next;
    },
    close: async () => {
      await next?.catch(() => undefined);
      await file.close();
    },
  };
};
