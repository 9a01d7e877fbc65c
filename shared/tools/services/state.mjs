// The state file, which `npm start` writes for the other commands: addresses and pids of what runs in this checkout.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identity } from './identity.mjs';

/**
 * @typedef {object} State
 * @property {number} launcher pid
 * @property {string} [launcherIdentity]
 * @property {string} baseUrl of the host, for example http://127.0.0.1:3000
 * @property {{ DATABASE_URL: string, MIGRATE_DATABASE_URL: string, REDIS_URL: string }} env
 * @property {Record<string, number>} pids by name
 */

const file = (/** @type {string} */ dir) => join(dir, 'state.json');

/**
 * Writes the state, readable for its owner only, as it contains the passwords of the database.
 * @param {string} dir DATA_DIR
 * @param {State} state
 */
export function writeState(dir, state) {
  const fresh = `${file(dir)}.new`;
  writeFileSync(fresh, `${JSON.stringify({ ...state, launcherIdentity: identity(state.launcher) }, undefined, 2)}\n`, {
    mode: 0o600,
  });
  renameSync(fresh, file(dir));
}

/**
 * @param {string} dir DATA_DIR
 * @returns {State | undefined} undefined when nothing runs
 */
export function readState(dir) {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that `writeState` wrote
    const state = /** @type {State} */ (JSON.parse(readFileSync(file(dir), 'utf8')));
    return identity(state.launcher) === state.launcherIdentity ? state : undefined;
  } catch {
    return undefined;
  }
}

/** @param {string} dir DATA_DIR */
export function clearState(dir) {
  rmSync(file(dir), { force: true });
}
