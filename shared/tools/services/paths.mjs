// The folders of this checkout that the commands use; used by every file of this folder.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout's top folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** Tools fetched for this checkout alone (a Redis from the distribution's packages) and locks around shared work. */
export const toolsDir = resolve(root, '.services');

/**
 * Returns the folder of the servers' data, from DATA_DIR; a relative path starts at the checkout, not at the caller's folder.
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string} an absolute path
 */
export function dataDir(env = process.env) {
  return resolve(root, env.DATA_DIR || '.data');
}
