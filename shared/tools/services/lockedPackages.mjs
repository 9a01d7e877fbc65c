// The packages that package-lock.json names, and a folder in which npm installs them with the least work. Used by install.mjs.
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './paths.mjs';

/**
 * @typedef {object} Entry
 * @property {string} [name] where it is not the folder's
 * @property {string} [version]
 * @property {string} [integrity]
 * @property {string} [resolved]
 * @property {boolean} [optional]
 * @property {boolean} [dev]
 * @property {boolean} [devOptional]
 *
 * @typedef {Record<string, Entry>} Packages by the folder from the checkout's top
 */

/**
 * Development packages that a start needs too, without the packages that they depend on: the library of the reference page, of
 * which a file is read, and the compiler, of which the program for this machine writes the types of the SDK.
 */
const filesOnly = ['redoc', 'typescript', `@typescript/typescript-${process.platform}-${process.arch}`];

/** Returns whether a package is one that only a process that sends traces loads, a seventh of all files; prom-client loads the first. */
const isForTraces = (/** @type {string} */ name) => name !== '@opentelemetry/api' && name.startsWith('@opentelemetry/');

/**
 * @typedef {object} Needs What is needed beside the product itself.
 * @property {boolean} dev the packages for development, and all others
 * @property {boolean} traces what sends traces
 */

/** Any host, as npm is told to replace it with the registry that it is configured with. */
const anyRegistry = 'https://registry.invalid';

/**
 * @param {string} folder that has package-lock.json, or node_modules with npm's own list of what it installed
 * @returns {Packages | undefined} undefined when there is none
 */
export function readPackages(folder, name = 'package-lock.json') {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- npm has written the file
    return /** @type {{ packages?: Packages }} */ (JSON.parse(readFileSync(join(folder, name), 'utf8'))).packages;
  } catch {
    return undefined;
  }
}

/**
 * Returns those of the lock's packages that are needed: all, or those of the product with those of which files are read.
 * @param {Packages} packages
 * @param {Needs} needs
 * @returns {Packages}
 */
export function neededPackages(packages, { dev, traces }) {
  const { '': _project, ...all } = packages;
  if (dev) return all;
  const product = Object.entries(all).filter(
    ([place, { dev: forDevelopment, name = nameOf(place) }]) => !forDevelopment && (traces || !isForTraces(name)),
  );
  return { ...Object.fromEntries(product), ...Object.fromEntries(filesOnly.map((name) => alone(packages, name))) };
}

/**
 * @param {Packages} packages
 * @param {string} name
 * @returns {[string, Entry]}
 */
function alone(packages, name) {
  const { version = '', integrity = '' } = packages[`node_modules/${name}`] ?? {};
  return [`node_modules/${name}`, { version, integrity }];
}

/**
 * Makes a folder for `npm ci --replace-registry-host=always`. Its lock has addresses, which the checkout's has not: without
 * them, npm asks the registry about each package, or reads what it was told earlier, before it looks into its cache.
 * @param {string} folder
 * @param {Packages} packages of the checkout's lock
 * @param {Needs} needs
 */
export function writeInstallFolder(folder, packages, needs) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const manifest = readManifest();
  const { devDependencies: _development, ...product } = manifest;
  const files = Object.fromEntries(filesOnly.map((name) => [name, packages[`node_modules/${name}`]?.version ?? '']));
  const dependencies = Object.entries({ ...product.dependencies, ...files });
  const project = needs.dev
    ? manifest
    : {
        ...product,
        dependencies: Object.fromEntries(dependencies.filter(([name]) => needs.traces || !isForTraces(name))),
      };
  /** @type {Record<string, object>} */
  const locked = { '': project };
  for (const [place, entry] of Object.entries(neededPackages(packages, needs)))
    locked[place] = { ...entry, resolved: addressOf(place, entry) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, packages: locked }));
  if (existsSync(join(root, '.npmrc'))) copyFileSync(join(root, '.npmrc'), join(folder, '.npmrc'));
}

/** @returns {Record<string, Record<string, string>>} the parts of package.json by their names */
function readManifest() {
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the project's own file
  return /** @type {Record<string, Record<string, string>>} */ (JSON.parse(text));
}

/** Returns the name of the package in a folder. */
const nameOf = (/** @type {string} */ place) => place.slice(place.lastIndexOf('node_modules/') + 13);

/**
 * Returns the address that registries give to a package's archive.
 * @param {string} place
 * @param {Entry} entry
 */
function addressOf(place, { name = nameOf(place), version }) {
  return `${anyRegistry}/${name}/-/${name.slice(name.indexOf('/') + 1)}-${version}.tgz`;
}
