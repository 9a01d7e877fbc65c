/**
 * Runs the sample app; started by `npm start` with BASE_URL, APP_KEY, DATA_DIR, and in SHOP_NOW the time (epoch ms) up to which a
 * new shop has a past. `npm run app:offline` and `app:online` write what is wanted into a file and send SIGUSR2; what is, stands in another file, for them to read.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openSample } from './sample.ts';

const { BASE_URL: url, APP_KEY: key, DATA_DIR = '.data', SHOP_NOW: now } = process.env;
if (url === undefined || key === undefined) {
  console.error(
    'BASE_URL (of an environment) and APP_KEY are needed. `npm start` gives both; they stand in .data/access.json too.',
  );
  process.exit(1);
}

const dir = join(resolve(DATA_DIR), 'sample-app');
mkdirSync(dir, { recursive: true });
const say = (line: string): void => {
  console.log(`${new Date().toISOString()} ${line}`);
};

const wantsOffline = (): boolean => {
  try {
    return readFileSync(join(dir, 'wanted'), 'utf8').trim() === 'offline';
  } catch {
    return false;
  }
};
const tell = (is: 'online' | 'offline' | 'connecting'): void => {
  say(is);
  writeFileSync(join(dir, 'status.json.new'), JSON.stringify({ pid: process.pid, is }));
  renameSync(join(dir, 'status.json.new'), join(dir, 'status.json'));
};

const sample = await openSample({
  url,
  key,
  dir,
  ...(now === undefined ? {} : { now: Number(now) }),
  onError: ({ kind, message, cause }) => {
    say(`${kind}: ${message}${cause instanceof Error ? ` ${cause.stack ?? cause.message}` : ''}`);
  },
  onPresence: (online) => {
    tell(online ? 'online' : 'connecting');
  },
});

const follow = async (): Promise<void> => {
  if (!wantsOffline()) return sample.goOnline();
  await sample.goOffline();
  tell('offline');
};
process.on('SIGUSR2', () => void follow());

let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    void sample.stop().finally(() => process.exit(0));
  });
}
// From here on it handles signals; a parent may wait for this.
tell('connecting');
// Offline it holds no socket, and must not end for that.
setInterval(() => undefined, 2 ** 30);
await follow();
