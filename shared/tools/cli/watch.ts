/** `npm run watch`: prints the demo's live messages, a line for each, until Ctrl-C. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readDataDir } from '../../platform/config/config.ts';
import { formatLiveMessage } from './liveLines.ts';
import { watchLive, type WatchTarget } from './liveWatch.ts';
import { misused, readOptions } from './options.mjs';

const accessFile = join(resolve(readDataDir()), 'access.json');

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Returns the demo's address and operator token, which `npm start` wrote. */
const demoTarget = async (): Promise<WatchTarget> => {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON that `npm start` wrote itself
    const { baseUrl, agents } = JSON.parse(await readFile(accessFile, 'utf8')) as {
      baseUrl: string;
      agents: { operator: string };
    };
    return { baseUrl, token: agents.operator };
  } catch {
    throw new Error(
      `There is no ${accessFile} that could be read: start the demo with npm start, or give --url and --token.`,
    );
  }
};

const watch = async (): Promise<number> => {
  const { text, has } = readOptions('watch');
  const [url, token, json] = [text('url'), text('token'), has('json')];
  if (url !== undefined && !/^https?:\/\//.test(url))
    return misused('watch', '--url must be an environment’s address, for example http://127.0.0.1:3000/api/env/demo');
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort());
  // The reader of our lines (`| head`) has closed the pipe.
  process.stdout.on('error', () => process.exit(0));
  const stopped = await watchLive({
    target: async () =>
      url !== undefined && token !== undefined
        ? { baseUrl: url, token }
        : { ...(await demoTarget()), ...(url && { baseUrl: url }), ...(token && { token }) },
    types: text('types'),
    inboxes: text('inboxes'),
    onMessage: (raw, message) => void process.stdout.write(`${json ? raw : formatLiveMessage(message)}\n`),
    onStatus: say,
    signal: stopping.signal,
  });
  return stopped ? 0 : 1;
};

try {
  process.exitCode = await watch();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
