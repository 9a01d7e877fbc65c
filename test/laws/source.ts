/** The source files and their imports, as the laws read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  'applink',
  'blocks',
  'environments',
  'access',
  'settings',
  'approvals',
  'items',
  'records',
  'replies',
  'triage',
  'flags',
  'actions',
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

const statement = /^(?:import|export)\s+(type\s)?([^;']*?)from\s+'([^']+)'/gm;
const dynamic = /\bimport\(\s*(?:new URL\(\s*)?'([^']+)'/g;

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

const importsOf = (file: string): Import[] => {
  const text = textOf(file);
  const target = (specifier: string): string =>
    specifier.startsWith('.') ? relative(root, resolve(root, dirname(file), specifier)) : specifier;
  return [
    ...[...text.matchAll(statement)].map(([, typeOnly, clause = '', specifier = '']) => ({
      file,
      to: target(specifier),
      typeOnly: typeOnly !== undefined,
      names: namesIn(clause),
    })),
    ...[...text.matchAll(dynamic)].map(([, specifier = '']) => ({
      file,
      to: target(specifier),
      typeOnly: false,
      names: ['*'],
    })),
  ];
};

/** Every import and re-export of every file, dynamic imports included. */
export const imports: readonly Import[] = files.flatMap(importsOf);
