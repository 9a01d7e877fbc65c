/** A PostgreSQL with one tablespace on a disk of its own, which a test fills: a file system in memory that nobody else sees. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { root } from '../../shared/tools/services/paths.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';

interface SmallDisk {
  readonly url: string;
  readonly ownerUrl: string;
  /** The folder of the disk. */
  readonly disk: string;
  close(): Promise<void>;
}

/** Mounts, in a name space of this process alone. */
const mount = (mb: number): string[] => [
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  'sh',
  '-c',
  `mount -t tmpfs -o size=${String(mb)}m,mode=777 tmpfs "$0" && exec "$@"`,
];

/** Returns whether this machine lets an account mount in a name space of its own. */
export const canMount = async (folder: string): Promise<boolean> => {
  await mkdir(folder, { recursive: true });
  return (await runProcess([...mount(1), folder, 'true'])).code === 0;
};

/** Starts the server where it sees the disk; it ends with its standard input, so with the tests too. */
const source = `
  const { startPostgres } = await import(${JSON.stringify(pathToFileURL(join(root, 'shared/tools/services/postgres.mjs')).href)});
  const { url, ownerUrl, stop } = await startPostgres({ dir: process.argv[1] });
  process.stdin.resume().on('end', () => stop('immediate').then(() => process.exit(0)));
  console.log(JSON.stringify({ url, ownerUrl }));
`;

export const startOnSmallDisk = async (dir: string, mb: number): Promise<SmallDisk> => {
  const disk = join(dir, 'disk');
  await mkdir(disk, { recursive: true });
  const run = [disk, process.execPath, '--input-type=module', '--eval', source, join(dir, 'postgres')];
  const [command = '', ...args] = [...mount(mb), ...run];
  const child = spawn(command, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(() => Promise.reject(new Error('PostgreSQL on the small disk did not start.'))),
  ])) as [string];
  // The child prints exactly this.
  const { url, ownerUrl } = JSON.parse(line) as { url: string; ownerUrl: string };
  return {
    url,
    ownerUrl,
    disk,
    close: async () => {
      child.stdin.end();
      await exited;
    },
  };
};
