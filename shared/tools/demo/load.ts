/**
 * Loads the demo environment; run by `npm start` before anything serves, and by tests and benchmarks. May be run any
 * number of times: what is loaded stays, and lost credentials are replaced by new ones.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfigOrExit } from '../../platform/config/config.ts';
import { openDb } from '../../platform/db/knex.ts';
import { withoutTimeLimits } from '../../platform/db/sessionSettings.ts';
import { systemClock } from '../../platform/time/clock.ts';
import { parseAccess, type DemoAccess } from './access.ts';
import { loadDemo } from './loadDemo.ts';

/** Returns what an earlier load wrote; null: it is missing or damaged, and new credentials are made. */
const readAccess = (file: string): Promise<DemoAccess | null> =>
  readFile(file, 'utf8')
    .then((text) => parseAccess(JSON.parse(text)))
    .catch(() => null);

/** Writes the credentials, readable for their owner only, into a new file that is then renamed, so that no half is read. */
const writeAccess = async (dataDir: string, file: string, access: DemoAccess): Promise<void> => {
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(access, undefined, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
};

const whole = (option: string, given: string | undefined): number | undefined => {
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(given)) throw new Error(`--${option} must be a whole number, not ${JSON.stringify(given)}.`);
  return Number(given);
};

const started = performance.now();
const options = { items: { type: 'string' }, seed: { type: 'string' }, now: { type: 'string' } } as const;
const { values } = parseArgs({ options });
const { dataDir, migrateDatabaseUrl: url, publicUrl } = readConfigOrExit();
const file = join(dataDir, 'access.json');
// The loader may generate a batch for longer than a transaction of the service may idle.
const db = openDb({ url, poolSize: 2, applicationName: 'console-demo', settings: withoutTimeLimits });
try {
  const known = await readAccess(file);
  const { access, loaded } = await loadDemo(db, {
    now: whole('now', values.now) ?? systemClock.now(),
    items: whole('items', values.items),
    seed: whole('seed', values.seed),
    publicUrl,
    known,
  });
  if (JSON.stringify(access) !== JSON.stringify(known)) await writeAccess(dataDir, file, access);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const [items, entries, records] = [loaded?.items, loaded?.entries, loaded?.records].map((n) =>
    n?.toLocaleString('en'),
  );
  const told = `${items ?? ''} items with ${entries ?? ''} timeline entries, ${records ?? ''} records, in ${seconds} s`;
  process.stdout.write(`demo: ${loaded === null ? `is loaded (looked in ${seconds} s)` : told}\n`);
} finally {
  await db.destroy();
}
