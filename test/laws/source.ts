/** The source files and their imports, as the laws read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf } from '../services/imports.mjs';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The top folders that hold source files. */
export const folders = ['api', 'workers', 'shared', 'migrations', 'test'];

/** Paths from the root of all TypeScript files. */
export const files: readonly string[] = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file)),
);

/** The folders of shared/ in order; docs/architecture.md has the same list. */
export const layers = [
  'catalogue',
  'platform',
  'app',
  'accounts',
  'approvals',
  'items',
  'records',
  'replies',
  'flags',
  'runs',
  'bulk',
  'views',
  'decisions',
  'erasure',
  'deps.ts',
  'sdk',
  'tools',
];

/** Returns the names of the files and folders in `folder`, a path from the root. */
export const entriesOf = (folder: string): string[] => readdirSync(join(root, folder));

/** Returns the text of a file by its path from the root. */
export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

export interface Import {
  readonly file: string;
  /** A path from the root, or a package's name. */
  readonly to: string;
  readonly typeOnly: boolean;
  /** The names that are imported, as the other file exports them; `*` for all of them. */
  readonly names: readonly string[];
}

const namesIn = (clause: string): string[] => {
  const listed = /\{([^}]*)\}/.exec(clause)?.[1];
  if (listed === undefined) return ['*'];
  return listed
    .split(',')
    .map(
      (part) =>
        part
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)[0] ?? '',
    )
    .filter((part) => part !== '');
};

/** Every import and re-export of every file, dynamic imports included. */
export const imports: readonly Import[] = files.flatMap((file) =>
  importsOf(file).map(({ to, typeOnly, clause }) => ({ file, to, typeOnly, names: namesIn(clause) })),
);
