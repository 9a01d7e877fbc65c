// Reads from the text of source files what they import; used by quickTests.mjs and by the laws (test/laws/source.ts).
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from '../../shared/tools/services/paths.mjs';

const statement = /^(?:import|export)\s+(type\s)?(?:([^;']*?)from\s+)?'([^']+)'/gm;
const dynamic = /\bimport\(\s*(?:new URL\(\s*)?'([^']+)'/g;

/**
 * Returns the imports and re-exports of a file, dynamic imports included.
 * @param {string} file a path from the root
 * @returns {{ to: string, typeOnly: boolean, clause: string }[]} to: a path from the root, or a package's name; clause: the names
 */
export const importsOf = (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const target = (/** @type {string} */ specifier) =>
    specifier.startsWith('.') ? relative(root, resolve(root, dirname(file), specifier)) : specifier;
  return [
    ...[...text.matchAll(statement)].map(([, type, clause = '', specifier = '']) => ({
      to: target(specifier),
      typeOnly: type !== undefined,
      clause,
    })),
    ...[...text.matchAll(dynamic)].map(([, specifier = '']) => ({
      to: target(specifier),
      typeOnly: false,
      clause: '',
    })),
  ];
};
