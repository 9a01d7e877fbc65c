/** Stores that keep the answers of runs over a restart of the app, for `connect`: the interface, and a store in files. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RpcError } from '../app/link/protocol.ts';
import { isObject, isRpcError } from './peer.ts';

/** The answer of a run: its result, or the error that it failed with, and the number of the attempt that gave it. */
export interface StoredAnswer {
  /** Counts from 1. */
  readonly attempt: number;
  readonly answer: { readonly result?: unknown; readonly error?: RpcError };
}

/**
 * Keeps answers until the service has them. Best written in the transaction of the effect, beside the run's id: then the
 * effect and its answer are there together or not at all.
 *
 * Every method may reject; the answer is then kept in memory alone, and `onError` gets a problem of kind `store`. When `get`
 * rejects, the run is refused as retryable, as it may have been done already.
 */
export interface AnswerStore {
  /**
   * The instance that the app registers as, 1 to 100 characters, the same after a restart. The service waits 60 s for this
   * instance when an answer is missing, and takes the answer from no other unless the store is shared.
   */
  readonly instance?: string | undefined;
  /**
   * Whether all instances of the app in one environment use this store, such as a table of the app's database. The service then
   * takes an answer from any of them, also of an instance that was killed. Needs `keys`, which each instance calls every 20 s. Leave
   * `instance` out, as each process needs a name of its own.
   */
  readonly shared?: boolean | undefined;
  /** Where the answers are, for the message that two processes use it: `the folder ./answers`. */
  readonly location?: string | undefined;
  /** Resolves with the answer of a run; null or undefined when there is none. */
  get(run: string): Promise<StoredAnswer | null | undefined>;
  /**
   * Stores an answer. Resolves when it is durable; the service gets the answer after that. In a shared store a failure replaces
   * only the failure of an earlier attempt, as another instance may have done the run meanwhile.
   */
  set(run: string, answer: StoredAnswer): Promise<unknown>;
  /** Deletes an answer that the service has, of a shared store only the one of `attempt`. Does nothing when there is none. */
  delete(run: string, attempt?: number): Promise<unknown>;
  /**
   * Resolves with the runs that have an answer, which are then sent after a restart. Called until it and `get` of each have
   * succeeded. Without it answers are sent when the service dispatches the run again.
   */
  keys?(): Promise<readonly string[]>;
}

/** Returns whether what a store gave is an answer. The service gets the attempt of a shared one. */
export const isStoredAnswer = (value: unknown, { shared = false }: AnswerStore): value is StoredAnswer => {
  if (!isObject(value) || !isObject(value['answer'])) return false;
  if (shared && !Number.isSafeInteger(value['attempt'])) return false;
  const { error } = value['answer'];
  return error === undefined || isRpcError(error);
};

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

/** Returns the name in the file `instance`, which is made the first time; undefined when the folder can't be used, with which `set` fails later. */
const readOrCreateInstance = (folder: string): string | undefined => {
  const path = join(folder, 'instance');
  try {
    mkdirSync(folder, { recursive: true });
    try {
      const known = readFileSync(path, 'utf8').trim();
      if (known !== '') return known.slice(0, 100);
    } catch {
      // There is no file yet.
    }
    const made = randomUUID();
    writeFileSync(path, `${made}\n`);
    return made;
  } catch {
    return undefined;
  }
};

/**
 * Returns a store of one file per answer in `folder`, which it creates when needed. Each file is synced to the disk before the
 * service gets the answer. Only one process at a time may use a folder. Never throws; a folder that can't be used shows as a
 * problem of kind `store`.
 *
 * @example
 * const client = connect({ app, url, key, store: fileStore('./answers') });
 */
export const fileStore = (folder: string): AnswerStore => {
  const pathOf = (run: string): string => join(folder, `${encodeURIComponent(run).replaceAll('.', '%2E')}${suffix}`);
  return {
    instance: readOrCreateInstance(folder),
    location: `the folder ${folder}`,
    get: async (run) => {
      try {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `set` has written the file
        return JSON.parse(await readFile(pathOf(run), 'utf8')) as StoredAnswer;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
        throw error;
      }
    },
    set: async (run, answer) => {
      await mkdir(folder, { recursive: true });
      // Written under another name and renamed, so that there is never half a file. The folder holds the name, so it is synced too.
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
