/** The checks of `npm run doctor` on this machine and on the configuration itself. */
import { access, constants, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../platform/core/config.ts';
import { fail, isLoopback, ok, warn, type Finding } from './finding.ts';

/** The versions that package.json names under `engines`. */
export const checkNode = (version: string): Finding => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22;
  return fits
    ? ok('node', `Node.js ${version}`)
    : fail('node', `Node.js ${version} is not supported: install 20.19 or newer of 20, or 22.12 or newer`);
};

export const checkPublicUrl = ({ publicUrl, trustProxy }: Pick<Config, 'publicUrl' | 'trustProxy'>): Finding[] => {
  const { protocol, hostname } = new URL(publicUrl);
  if (protocol !== 'https:')
    return [
      isLoopback(hostname)
        ? warn(
            'publicUrl',
            `PUBLIC_URL is ${publicUrl}: for others than this machine set it to the proxy’s https address`,
          )
        : fail('publicUrl', `PUBLIC_URL is ${publicUrl}, so tokens travel unencrypted: serve it by https`),
    ];
  return [
    ok('publicUrl', `PUBLIC_URL is ${publicUrl}`),
    trustProxy === null
      ? warn(
          'trustProxy',
          'PUBLIC_URL is https, so a proxy is in front, and TRUST_PROXY is not set: all clients seem to have its address and share its limits; set the number of proxies or their networks',
        )
      : ok('trustProxy', 'TRUST_PROXY is set'),
  ];
};

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Returns the folder itself, or the nearest one above it that exists. */
const nearestFolder = async (path: string): Promise<string> =>
  (await isThere(path)) || dirname(path) === path ? path : nearestFolder(dirname(path));

/** The program behind `npm start`, as the sources and the build of a checkout see it from here. */
const launchers = ['../services/launch.mjs', '../../../../shared/tools/services/launch.mjs'];

/**
 * Returns the finding about the folder that `npm start` writes; none in an image or an installed package, which have no
 * `npm start`, as API, workers and migrations write no files. `here`: the address of this module.
 */
export const checkDataDir = async (dataDir: string, here = import.meta.url): Promise<Finding[]> => {
  const found = await Promise.all(launchers.map((path) => isThere(fileURLToPath(new URL(path, here)))));
  if (!found.includes(true)) return [];
  const folder = await nearestFolder(resolve(dataDir));
  const finding = await access(folder, constants.W_OK | constants.X_OK).then(
    () => ok('dataDir', `DATA_DIR ${dataDir} can be written`),
    () =>
      warn(
        'dataDir',
        `DATA_DIR ${dataDir} can’t be written (${folder}), so npm start does not work here; API, workers and migrations do`,
      ),
  );
  return [finding];
};

/** Sizes below which calls wait for each other: changes are gathered on up to three connections, and one reader has a third. */
const [changesLeast, readsLeast] = [4, 3];

export const checkPoolSizes = ({ poolSize, readPoolSize }: Pick<Config, 'poolSize' | 'readPoolSize'>): Finding => {
  const sizes = `POOL_SIZE is ${String(poolSize)}, READ_POOL_SIZE ${String(readPoolSize)}`;
  return poolSize >= changesLeast && readPoolSize >= readsLeast
    ? ok('poolSizes', sizes)
    : warn(
        'poolSizes',
        `${sizes}: requests wait for each other and may be answered 503; take the defaults, 6 and 6, unless you have measured less to be better (docs/production.md)`,
      );
};

/** Open files below which a process may run out of them: each stream, app and request has one. */
const openFilesLeast = 1_024;

/** Returns the finding about the limit of open files, by the text of Linux's /proc/self/limits. */
export const checkOpenFiles = (limits: string): Finding => {
  const [, found = 'unknown'] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  return Number(found) < openFilesLeast
    ? warn(
        'openFiles',
        `a process may open ${found} files: each stream, app and request needs one, so set at least ${String(openFilesLeast)} (ulimit -n, LimitNOFILE)`,
      )
    : ok('openFiles', `a process may open ${found} files`);
};

/** Returns the same for this process; none where the system does not say its limits. */
export const checkOwnOpenFiles = (): Promise<Finding[]> =>
  readFile('/proc/self/limits', 'utf8').then(
    (limits) => [checkOpenFiles(limits)],
    () => [],
  );
