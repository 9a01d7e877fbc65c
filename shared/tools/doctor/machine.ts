/** The checks of `npm run doctor` on this machine, on the configuration itself, and on the proxy and the mail server that it names. */
import { access, constants, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../platform/config/config.ts';
import { describeTlsRefusal } from '../../platform/log/refusals.ts';
import { visitMailServer } from '../../replies/smtp.ts';
import { describeConnectError } from '../services/connectError.mjs';
import { checkCertificate, fail, isLoopback, ok, warn, type Finding } from './finding.ts';

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

/** How long a connection to PUBLIC_URL may take, in ms. */
const connectMs = 5_000;

/** Returns the finding about the certificate that clients are shown at PUBLIC_URL; none without https. */
export const checkPublicCertificate = async ({ publicUrl }: Pick<Config, 'publicUrl'>): Promise<Finding[]> => {
  const { protocol, hostname, port, host } = new URL(publicUrl);
  if (protocol !== 'https:') return [];
  const [check, name] = ['publicUrl.certificate', hostname.replace(/^\[|\]$/g, '')];
  return new Promise((resolve) => {
    const servername = isIP(name) === 0 ? { servername: name } : {};
    const socket = connect({ host: name, port: Number(port === '' ? '443' : port), ...servername });
    socket.setTimeout(connectMs, () => socket.destroy(new Error('timed out')));
    socket.once('secureConnect', () => {
      resolve(checkCertificate(check, socket));
      socket.destroy();
    });
    socket.once('error', (error: Error) => {
      const refusal = describeTlsRefusal(error);
      resolve([
        refusal === null
          ? warn(
              check,
              `${host} can’t be looked at from here: ${describeConnectError(error)}; look at it where clients are`,
            )
          : fail(check, `clients refuse ${host}: ${refusal} (NODE_EXTRA_CA_CERTS names an authority that yours trust)`),
      ]);
    });
  });
};

/** Returns the findings about the mail server, which is asked as for a mail: that it lets the service in, and its certificate. */
export const checkMail = async ({ smtpUrl }: Pick<Config, 'smtpUrl'>): Promise<Finding[]> => {
  if (smtpUrl === null) return [];
  return visitMailServer(smtpUrl, (socket) => [
    ok('mail', `the mail server of SMTP_URL lets the service in`),
    ...checkCertificate('mail.certificate', socket),
  ]).catch((error: unknown) => [fail('mail', error instanceof Error ? error.message : String(error))]);
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
    : fail(
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
