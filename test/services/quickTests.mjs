// Which tests need neither servers nor programs of their own: those of `npm run test:quick`. Used by testLanes.mjs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../shared/tools/services/paths.mjs';
import { importsOf } from './imports.mjs';

const servers = 'test/support/database.ts';
const programs = 'node:child_process';
/** Laws may start programs, as theirs take milliseconds. */
const laws = 'test/laws/';

/**
 * Returns the tests that load, themselves or through what they import, neither servers nor programs. A test file joins by its
 * imports: there is no list to keep.
 * @param {string[]} files tests, as paths from the root
 * @returns {string[]}
 */
export const quickTests = (files) => {
  /** @type {Map<string, string[]>} */
  const imports = new Map();
  const importedBy = (/** @type {string} */ file) => {
    const known = imports.get(file);
    if (known) return known;
    const isSource = /\.(?:tsx?|mjs)$/.test(file) && existsSync(join(root, file));
    const found = isSource ? importsOf(file).flatMap(({ to, typeOnly }) => (typeOnly ? [] : [to])) : [];
    imports.set(file, found);
    return found;
  };
  return files.filter((file) => {
    // A set goes through what is added to it meanwhile.
    const loaded = new Set([file]);
    for (const each of loaded) for (const to of importedBy(each)) loaded.add(to);
    return !loaded.has(servers) && (!loaded.has(programs) || file.startsWith(laws));
  });
};
