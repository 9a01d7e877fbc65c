/**
 * Follows the Dockerfile in a folder that takes the place of the image's root, with the Node and the user rights that are there:
 * shows that what the image is made of is complete, where nothing can build an image. Packages are not installed, which would
 * need a registry, but those of this checkout that `npm ci` would install; all else is done as it stands there.
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { root as checkout } from '../../shared/tools/services/paths.mjs';
import { readImageConfig, readPairs, readStages, type Stage } from './dockerfile.ts';
import { spawnPiped, type Image } from './image.ts';

const execute = promisify(execFile);
const textOf = (file: string): string => readFileSync(join(checkout, file), 'utf8');

/** Copies what .dockerignore, which names what is not ignored, leaves of the checkout. */
const copyContext = (folder: string): void => {
  const wanted = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => new RegExp(`^${line.slice(1).replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`));
  for (const name of readdirSync(checkout).filter((each) => wanted.some((pattern) => pattern.test(each))))
    cpSync(join(checkout, name), join(folder, name), { recursive: true });
};

/** Copies as COPY does: of a folder what is in it. */
const copyInto = (sources: readonly string[], target: string): void => {
  for (const source of sources) {
    const to = statSync(source).isDirectory() || !target.endsWith('/') ? target : join(target, basename(source));
    cpSync(source, to, { recursive: true, verbatimSymlinks: true });
  }
};

type Packages = Record<string, { readonly dev?: true; readonly optional?: true; readonly devOptional?: true }>;

/** Gives a folder the packages that `npm ci` would install: links to all, or copies of those that the product runs on. */
const takePackages = (folder: string, command: string): void => {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  if (!command.includes('--omit=dev --omit=optional')) {
    symlinkSync(join(checkout, 'node_modules'), join(folder, 'node_modules'));
    return;
  }
  const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Packages };
  for (const [place, { dev, optional, devOptional }] of Object.entries(packages))
    if (place !== '' && dev !== true && optional !== true && devOptional !== true)
      cpSync(join(checkout, place), join(folder, place), {
        recursive: true,
        // Packages within a package have entries of their own.
        filter: (path) => path !== join(checkout, place, 'node_modules'),
      });
};

interface Place {
  /** The folder that is the root of a stage. */
  readonly rootOf: (stage: string) => string;
  readonly context: string;
}

const followStage = async ({ name, instructions }: Stage, { rootOf, context }: Place): Promise<void> => {
  const root = rootOf(name);
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: join(root, 'root') };
  let workdir = root;
  for (const { word, text } of instructions)
    switch (word) {
      case 'WORKDIR':
        workdir = join(root, text);
        mkdirSync(workdir, { recursive: true });
        break;
      case 'ENV':
        Object.assign(env, Object.fromEntries(readPairs(text)));
        break;
      case 'COPY': {
        const [, stage] = /^--from=(\S+)\s/.exec(text) ?? [];
        const paths = text.replace(/^--\S+\s+/, '').split(/\s+/);
        const source = stage === undefined ? context : rootOf(stage);
        copyInto(
          paths.slice(0, -1).map((path) => join(source, path)),
          join(workdir, paths.at(-1) ?? ''),
        );
        break;
      }
      case 'RUN': {
        const command = text.replace(/^--\S+\s+/, '');
        if (command.startsWith('npm ci ')) takePackages(workdir, command);
        else await execute('sh', ['-c', command], { cwd: workdir, env });
        break;
      }
      case 'LABEL':
      case 'USER':
      case 'EXPOSE':
      case 'STOPSIGNAL':
      case 'HEALTHCHECK':
      case 'CMD':
        break;
      default:
        throw new Error(`Nothing here follows ${word} of the Dockerfile.`);
    }
};

/** Makes the image's root. The folder is for the caller to remove. */
export const makeImageFolder = async (): Promise<Image> => {
  const stages = readStages(textOf('Dockerfile'));
  const last = stages.at(-1);
  if (last === undefined) throw new Error('The Dockerfile has no stage.');
  const folder = mkdtempSync(join(tmpdir(), 'console-image-'));
  const place: Place = { rootOf: (stage) => join(folder, stage || 'image'), context: join(folder, 'context') };
  const remove = (): Promise<void> => Promise.resolve(rmSync(folder, { recursive: true, force: true }));
  try {
    copyContext(place.context);
    for (const stage of stages) await followStage(stage, place);
    for (const each of [place.context, ...stages.slice(0, -1).map(({ name }) => place.rootOf(name))])
      rmSync(each, { recursive: true });
  } catch (error) {
    await remove();
    throw error;
  }
  const root = place.rootOf(last.name);
  // The image's user reads it.
  chmodSync(folder, 0o755);
  const config = readImageConfig(last);
  const [uid = 0, gid = 0] = config.user.split(':').map(Number);
  const account = process.getuid?.() === 0 ? { uid, gid } : {};
  return {
    root,
    config,
    inside: (path) => join(root, path),
    start: (command, env) =>
      spawnPiped(command, {
        cwd: join(root, config.workdir),
        env: { PATH: process.env['PATH'], ...config.env, ...env },
        ...account,
      }),
    signal: (child, signal) => void child.kill(signal),
    remove,
  };
};
