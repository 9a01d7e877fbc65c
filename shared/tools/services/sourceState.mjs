// Names the state of sources, so that what was built from them is built again only when they have changed. Used by
// compile.mjs, buildConsole.mjs and buildSdk.mjs.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * Returns a name for the present state of the packages and of the files of some folders: their paths, times and sizes.
 * @param {string[]} folders from the checkout's top; those that are missing are left out
 * @param {RegExp} isSource which names of files count
 */
export const stateOfSources = (folders, isSource) => {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const folder of folders.filter((name) => existsSync(join(root, name))))
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !isSource.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const { mtimeMs, size } = statSync(path);
      hash.update(`${path}\n${mtimeMs}\n${size}\n`);
    }
  return hash.digest('hex').slice(0, 16);
};
