// A lock file that survives crashes: its holder is named in it, and a dead holder's lock is taken over.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identity } from './identity.mjs';
import { pause, say } from './say.mjs';

/**
 * Takes the lock, or says who holds it.
 * @param {string} path
 * @returns {{ release(): void } | { heldBy: number }}
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
 * Does the work while holding the lock, waiting for whoever holds it.
 * @template T
 * @param {string} path
 * @param {string} waiting what to say once when somebody else holds it
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, waiting, work) {
  for (let said = false; ; said = true) {
    const lock = tryLock(path);
    if ('release' in lock) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (!said) say(`${waiting} (process ${lock.heldBy})`);
    await pause(200);
  }
}

/** @param {string} path */
function readHolder(path) {
  try {
    return /** @type {{ pid: number, identity: string }} */ (JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Moves it aside first: of two who saw the dead holder only one moves that file, and a fresh lock is put back. */
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
      // Somebody else locked meanwhile; the next attempt sees it.
    }
  }
  rmSync(aside, { force: true });
}
