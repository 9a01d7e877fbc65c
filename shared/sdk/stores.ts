/** Where answers outlive the app's process: the interface, and a store in files that are on the disk before it answers. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RpcError } from '../applink/protocol.ts';

export interface StoredAnswer {
  readonly attempt: number;
  readonly answer: { readonly result?: unknown; readonly error?: RpcError };
}

/** Any of them may reject; the answer is then kept in memory alone and `onError` is told. */
export interface AnswerStore {
  /** Who remembers: what the app registers as. The service waits for this one when an answer is missing, and takes it from no other. */
  readonly instance?: string | undefined;
  get(run: string): Promise<StoredAnswer | null | undefined>;
  set(run: string, answer: StoredAnswer): Promise<unknown>;
  delete(run: string): Promise<unknown>;
  /** Which runs it holds; without it they are sent only when the service asks again. */
  keys?(): Promise<readonly string[]>;
}

const suffix = '.json';

const writeSynced = async (path: string, flags: string, text?: string): Promise<void> => {
  const file = await open(path, flags, 0o600);
  try {
    if (text !== undefined) await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Made once and kept beside the answers; undefined when the folder can't be used, which `set` tells later. */
const readOrCreateInstance = (folder: string): string | undefined => {
  const path = join(folder, 'instance');
  try {
    mkdirSync(folder, { recursive: true });
    try {
      const known = readFileSync(path, 'utf8').trim();
      if (known !== '') return known.slice(0, 100);
    } catch {
      // The first time there is none.
    }
    const made = randomUUID();
    writeFileSync(path, `${made}\n`);
    return made;
  } catch {
    return undefined;
  }
};

/** One file for each answer that the service doesn't have yet, in a folder that one process at a time uses. */
export const fileStore = (folder: string): AnswerStore => {
  const pathOf = (run: string): string => join(folder, `${encodeURIComponent(run).replaceAll('.', '%2E')}${suffix}`);
  return {
    instance: readOrCreateInstance(folder),
    get: async (run) => {
      try {
        return JSON.parse(await readFile(pathOf(run), 'utf8')) as StoredAnswer;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    set: async (run, answer) => {
      await mkdir(folder, { recursive: true });
      // Written beside and renamed, so that it is never half a file; the folder holds the name, so it is synced too.
      await writeSynced(`${pathOf(run)}.new`, 'w', JSON.stringify(answer));
      await rename(`${pathOf(run)}.new`, pathOf(run));
      await writeSynced(folder, 'r');
    },
    delete: (run) => rm(pathOf(run), { force: true }),
    keys: async () => {
      await mkdir(folder, { recursive: true });
      const files = (await readdir(folder)).filter((file) => file.endsWith(suffix));
      return files.map((file) => decodeURIComponent(file.slice(0, -suffix.length)));
    },
  };
};
