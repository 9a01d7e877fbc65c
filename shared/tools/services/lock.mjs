// Lock files that survive crashes: a lock names its holder, and the lock of an ended process is taken over. Used by
// the launcher's commands: one `npm start`, one install, one fetch of a program and one pair of servers at a time.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identity } from './identity.mjs';
import { pause, say } from './say.mjs';

/** @typedef {{ release(): void }} Lock */

/**
 * Takes the lock, or returns the process that has it.
 * @param {string} path
 * @returns {Lock | { heldBy: number }}
 */
export function tryLock(path) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, identity: identity(process.pid) }));
  try {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      try {
        // A link appears at once and complete, so nobody reads a half-written lock.
        linkSync(mine, path);
        return { release: () => rmSync(path, { force: true }) };
      } catch (error) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node’s file functions throw has a code
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      }
      const holder = readHolder(path);
      if (holder && identity(holder.pid) === holder.identity) return { heldBy: holder.pid };
      dropDead(path);
    }
    return { heldBy: readHolder(path)?.pid ?? 0 };
  } finally {
    rmSync(mine, { force: true });
  }
}

/**
 * Returns the process that has the lock; undefined when none has.
 * @param {string} path
 * @returns {number | undefined}
 */
export function lockHolder(path) {
  const holder = readHolder(path);
  return holder && identity(holder.pid) === holder.identity ? holder.pid : undefined;
}

/**
 * Takes the lock as soon as no other process has it.
 * @param {string} path
 * @param {string} waiting printed once when another process has the lock
 * @param {() => boolean} [isNeedless] called before each try; true ends the wait without the lock
 * @returns {Promise<Lock | undefined>} undefined when the lock became needless
 */
export async function waitForLock(path, waiting, isNeedless = () => false) {
  for (let said = false; !isNeedless(); said = true) {
    const lock = tryLock(path);
    if ('release' in lock) return lock;
    if (!said) say(`${waiting} (process ${lock.heldBy})`);
    await pause(200);
  }
  return undefined;
}

/**
 * Runs `work` while this process has the lock, and returns its result.
 * @template T
 * @param {string} path
 * @param {string} waiting printed once when another process has the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, waiting, work) {
  const lock = await waitForLock(path, waiting);
  try {
    return await work();
  } finally {
    lock?.release();
  }
}

/**
 * @param {string} path
 * @returns {{ pid: number, identity: string } | undefined} undefined when there is no lock
 */
function readHolder(path) {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- locks are only written by `tryLock`, and appear complete
    return /** @type {{ pid: number, identity: string }} */ (JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Removes the lock of an ended process. It is moved aside first, as only one process can; a newer lock is put back. */
function dropDead(/** @type {string} */ path) {
  const aside = `${path}.dead.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const holder = readHolder(aside);
  if (holder && identity(holder.pid) === holder.identity) {
    try {
      linkSync(aside, path);
    } catch {
      // Another process has the lock by now; the next attempt reads it.
    }
  }
  rmSync(aside, { force: true });
}
