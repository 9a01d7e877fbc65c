/**
 * Has Buildah build the image, in a chroot and without a registry of images: on a base of Debian's packages with the Node and npm
 * that run here. Needs root, Debian or Ubuntu, and the registry of packages; takes minutes, and some GB of disk.
 */
import { type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root as checkout, toolsDir } from '../../shared/tools/services/paths.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { findProgram } from '../services/systemPrograms.mjs';
import type { ImageConfig } from './dockerfile.ts';
import { spawnPiped, type Image } from './image.ts';

const run = async (command: string[], env: NodeJS.ProcessEnv = process.env): Promise<string> => {
  const { code, output, stdout } = await runProcess(command, { env });
  if (code !== 0) throw new Error(`${command.join(' ')} failed:\n${output}`);
  return stdout;
};

/** Returns a tarball of a small Debian with Node and npm; kept for the next run. */
const makeBase = async (): Promise<string> => {
  const file = join(toolsDir, `image-base-${process.version}.tar`);
  if (existsSync(file)) return file;
  const { command, env } = await findProgram('mmdebstrap');
  const made = `${file}-${String(process.pid)}.tar`;
  const release = /VERSION_CODENAME=(\w+)/.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'stable';
  const debian = [command, '--quiet', '--variant=minbase', '--include=ca-certificates,libstdc++6', release, made];
  await run(debian, { ...process.env, ...env });
  // A prefix of Node: bin and lib.
  const prefix = dirname(dirname(process.execPath));
  const node = ['bin/node', 'bin/npm', 'lib/node_modules/npm'];
  await run(['tar', '--append', '-f', made, '--transform', 's,^,usr/local/,SH', '-C', prefix, ...node]);
  renameSync(made, file);
  return file;
};

/**
 * Returns the command of a Buildah that keeps everything in `folder`. A fetched one finds its libraries by a cache of its own in
 * a mount namespace, as it starts itself again with an empty environment.
 */
const buildahIn = async (folder: string): Promise<string[]> => {
  const { command, env } = await findProgram('buildah');
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const storage = `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/images"\nrunroot = "${folder}/run"\n`;
  const settings = [
    'BUILDAH_ISOLATION=chroot',
    `CONTAINERS_CONF=${file('containers.conf', '')}`,
    `CONTAINERS_REGISTRIES_CONF=${file('registries.conf', '')}`,
    `CONTAINERS_STORAGE_CONF=${file('storage.conf', storage)}`,
  ];
  const libraries = env['LD_LIBRARY_PATH'];
  if (libraries === undefined) return ['env', ...settings, command];
  const cache = join(folder, 'ld.so.cache');
  const list = file('ld.so.conf', ['include /etc/ld.so.conf', ...libraries.split(':'), ''].join('\n'));
  await run(['/sbin/ldconfig', '-X', '-f', list, '-C', cache]);
  const inNamespace = 'mount --bind "$1" /etc/ld.so.cache && shift && exec "$@"';
  return ['unshare', '--mount', 'sh', '-c', inNamespace, 'sh', cache, 'env', ...settings, command];
};

/** Returns what npm needs to be told in the build to reach its registry as here. */
const registryOptions = async (folder: string): Promise<string[]> => {
  const setting = async (name: string): Promise<string> => run(['npm', 'config', 'get', name]);
  const [registry, authorities] = [await setting('registry'), await setting('cafile')];
  const hasOwn = authorities !== '' && authorities !== 'null';
  const npmrc = join(folder, 'npmrc');
  writeFileSync(npmrc, `registry=${registry}\n${hasOwn ? `cafile=${authorities}\n` : ''}`);
  const mount = hasOwn ? ['--volume', `${dirname(authorities)}:${dirname(authorities)}:ro`] : [];
  return ['--secret', `id=npmrc,src=${npmrc}`, ...mount];
};

/** What Buildah says of an image in Docker's format. */
interface Inspected {
  readonly Docker: {
    readonly config: {
      readonly Env: readonly string[];
      readonly User: string;
      readonly WorkingDir: string;
      readonly Cmd: readonly string[];
      readonly StopSignal: string;
      readonly Healthcheck: { readonly Test: readonly string[] };
    };
  };
}

const readConfig = (text: string): ImageConfig => {
  const { config } = (JSON.parse(text) as Inspected).Docker;
  const [kind, ...healthCheck] = config.Healthcheck.Test;
  if (kind !== 'CMD') throw new Error(`The check of health is not a command: ${String(kind)}`);
  const env = Object.fromEntries(config.Env.map((pair) => [pair.split('=')[0] ?? '', pair.replace(/^[^=]*=/, '')]));
  return {
    env,
    workdir: config.WorkingDir,
    user: config.User,
    command: config.Cmd,
    healthCheck,
    stopSignal: config.StopSignal,
  };
};

/** Returns the process that Buildah started last: its own stop a container by SIGKILL, whatever they are sent. */
const innermost = (pid: number): number => {
  const children = readdirSync(`/proc/${String(pid)}/task`).flatMap((task) =>
    readFileSync(`/proc/${String(pid)}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
  return children[0] === undefined ? pid : innermost(children[0]);
};

/** Builds the image and makes a container of it. */
export const buildImage = async (): Promise<Image> => {
  if (process.getuid?.() !== 0)
    throw new Error('Buildah needs root here: run the test without IMAGE=buildah, or as root.');
  const folder = mkdtempSync(join(tmpdir(), 'console-buildah-'));
  const remove = (): Promise<void> => Promise.resolve(rmSync(folder, { recursive: true, force: true }));
  try {
    const buildah = await buildahIn(folder);
    const policy = join(folder, 'policy.json');
    writeFileSync(policy, '{ "default": [{ "type": "insecureAcceptAnything" }] }');
    const local = ['--signature-policy', policy, '--pull-never'];
    const base = await run([...buildah, 'from', ...local, 'scratch']);
    await run([...buildah, 'add', '--quiet', base, await makeBase(), '/']);
    await run([...buildah, 'commit', '--quiet', '--rm', '--signature-policy', policy, base, 'localhost/base']);
    const options = ['--format', 'docker', '--build-arg', 'BASE=localhost/base', ...(await registryOptions(folder))];
    await run([...buildah, 'build', ...local, ...options, '--tag', 'localhost/console-api', checkout]);
    const container = await run([...buildah, 'from', ...local, 'localhost/console-api']);
    return {
      root: await run([...buildah, 'mount', container]),
      config: readConfig(await run([...buildah, 'inspect', '--type', 'image', 'localhost/console-api'])),
      inside: (path) => path,
      start: (command, env) => {
        const given = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
        return spawnPiped([...buildah, 'run', ...given, container, '--', ...command], {
          cwd: folder,
          env: process.env,
        });
      },
      signal: (child: ChildProcess, signal) => void process.kill(innermost(child.pid ?? 0), signal),
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
};
