/** An image of the product whose processes can be started: made in a folder (imageFolder.ts) or by Buildah (imageBuildah.ts). */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageConfig } from './dockerfile.ts';
import { until } from './until.ts';

export interface Image {
  /** The folder that is the image's root. */
  readonly root: string;
  readonly config: ImageConfig;
  /** Returns the path of a file of the image as its processes see it. */
  inside(path: string): string;
  /** Starts a command as the image's user, with the image's environment and what is given, and nothing of ours. */
  start(command: readonly string[], env: Readonly<Record<string, string>>): ChildProcess;
  /** Signals the process of such a command. */
  signal(child: ChildProcess, signal: NodeJS.Signals): void;
  remove(): Promise<void>;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the image to its end. */
export const runInImage = async (
  image: Image,
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> => {
  const child = image.start(command, env);
  const said = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => void (said.out += piece));
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => void (said.err += piece));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
};

export interface Service {
  /** Sends the image's signal to stop; resolves with the exit code and the log. */
  stop(): Promise<Ended>;
  /** SIGKILL, unless it is gone. */
  kill(): Promise<void>;
}

/** Starts a service of the image; resolves once its log says `ready`. */
export const startInImage = async (
  image: Image,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: string,
): Promise<Service> => {
  const child = image.start(command, env);
  const said = { out: '', err: '' };
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => void (said.out += piece));
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => void (said.err += piece));
  const closed = once(child, 'close') as Promise<[number | null]>;
  const service: Service = {
    stop: async () => {
      image.signal(child, image.config.stopSignal as NodeJS.Signals);
      const [code] = await closed;
      return { code, ...said };
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
  await until(
    `${command.join(' ')} says: ${ready}`,
    () => {
      if (child.exitCode !== null) throw new Error(`${command.join(' ')} has ended: ${said.err}`);
      return said.err.includes(ready);
    },
    60_000,
  ).catch(async (error: unknown) => {
    await service.kill();
    throw error;
  });
  return service;
};

/** Starts a process with its outputs piped to us. */
export const spawnPiped = (
  command: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly uid?: number; readonly gid?: number },
): ChildProcess => {
  const [file = '', ...args] = command;
  return spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
};

/** Returns the bytes of the files below a folder. */
export const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
