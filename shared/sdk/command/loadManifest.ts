/** Reads what a file declares, for the command `check`. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beginChecking } from '../checking.ts';
import type { App } from '../defineApp.ts';
import { handlerProblems } from '../handlerProblems.ts';
import type { LinkProblem } from '../problems.ts';

export interface Declared {
  readonly manifest: unknown;
  /** The problems of the app's handlers, which a manifest has none of. */
  readonly problems: LinkProblem['details'];
}

const isApp = (value: unknown): value is App =>
  typeof value === 'object' &&
  value !== null &&
  'manifest' in value &&
  'actions' in value &&
  value.actions instanceof Map;

/** Lets this process import TypeScript, by tsx where the project has it. Without it a Node that strips types does. */
const supportTypeScript = async (file: string): Promise<void> => {
  try {
    // What `require` resolves to registers itself by a path that is not there.
    const path = createRequire(pathToFileURL(file))
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- https://tsx.is/dev-api/register-esm
    const { register } = (await import(pathToFileURL(path).href)) as { readonly register: () => unknown };
    register();
  } catch {
    if (!('typescript' in process.features) || process.features.typescript === false)
      throw new Error(`This Node can't read ${file}: install tsx beside it, or use Node 22.18 or newer.`);
  }
};

/** Resolves to what a module exports, or to the app that it connects, whichever is first: it may wait for the connection. */
const importModule = (file: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    beginChecking((app) => {
      resolve({ app });
    });
    import(pathToFileURL(file).href).then(resolve, reject);
  });

/**
 * Returns the manifest of a `.json` file, or what there is of the one app that a module exports or connects. `connect` dials nobody meanwhile;
 * whatever else the module does when it is imported, it does. Throws when there is no app.
 */
export const loadManifest = async (given: string): Promise<Declared> => {
  const file = resolve(given);
  if (file.endsWith('.json')) return { manifest: JSON.parse(await readFile(file, 'utf8')) as unknown, problems: [] };
  if (/\.[mc]?tsx?$/.test(file)) await supportTypeScript(file);
  const module = await importModule(file);
  const exported: unknown[] = typeof module === 'object' && module !== null ? Object.values(module) : [];
  const [app, ...others] = new Set(exported.filter(isApp));
  if (app === undefined || others.length > 0)
    throw new Error(
      `${given} has to export or connect one app of defineApp; it exports ${app === undefined ? 'none' : 'several'}.${
        exported.some((value) => typeof value === 'function')
          ? ' Functions are not called: check the module that calls the one that makes the app.'
          : ''
      }`,
    );
  return { manifest: JSON.parse(JSON.stringify(app.manifest)) as unknown, problems: handlerProblems(app) };
};
