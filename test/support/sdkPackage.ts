/** The SDK as authors get it: the package is built and packed once for all tests, and installed into their folders. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { after } from 'mocha';
import { buildSdk } from '../../shared/tools/services/buildSdk.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const execute = promisify(execFile);

interface SdkPackage {
  /** The folder that was packed. */
  readonly folder: string;
  readonly tarball: string;
  /** The tarball of `ws`, as a machine without a network has no other. */
  readonly ws: string;
}

let built: Promise<SdkPackage> | undefined;
let place: string | undefined;
after(() => {
  if (place !== undefined) rmSync(place, { recursive: true, force: true });
});

const build = async (): Promise<SdkPackage> => {
  place = mkdtempSync(join(tmpdir(), 'console-sdk-package-'));
  const [tarball, { stdout: ws }] = await Promise.all([
    buildSdk(),
    execute('npm', ['pack', '--ignore-scripts', join(root, 'node_modules/ws')], { cwd: place }),
  ]);
  return { folder: join(dirname(tarball), 'package'), tarball, ws: join(place, ws.trim()) };
};

export const sdkPackage = (): Promise<SdkPackage> => (built ??= build());

/** The packages of this checkout that authors have in their projects, for a folder that can't download any. */
const authorsTools = ['typescript', '@typescript', 'tsx', '@types/node', 'undici-types'];

const linkTools = (folder: string): void => {
  for (const name of authorsTools) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
};

/** No registry: what is not in the command's own arguments is not found. */
const alone = ['--registry', 'http://127.0.0.1:9', '--fetch-retries', '0', '--no-audit', '--no-fund'];

/**
 * Installs the SDK into an author's project, from a tarball or from the address of one, beside links to TypeScript, tsx and the
 * types of Node.
 */
export const installSdk = async (folder: string, from?: string): Promise<void> => {
  const { tarball, ws } = await sdkPackage();
  await execute('npm', ['install', ...alone, from ?? tarball, ws], { cwd: folder });
  linkTools(folder);
};

/** Installs a new app of `console-sdk new` with the package that it brings along, beside links to the tools. */
export const installStarter = async (folder: string): Promise<void> => {
  const { ws } = await sdkPackage();
  const npm = (...args: string[]) => execute('npm', args, { cwd: folder });
  // What would be downloaded is linked instead.
  await npm('pkg', 'delete', 'devDependencies', 'dependencies.tsx');
  await npm('install', ...alone, ws);
  linkTools(folder);
};
