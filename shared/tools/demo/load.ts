/**
 * Loads the demo environment; run by `npm start` before anything serves, and by tests and benchmarks. May be run any
 * number of times: what is loaded stays, and lost credentials are replaced by new ones.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { toEnvironment, type Environment, type StoredEnvironment } from '../../environments/definition.ts';
import { systemClock } from '../../platform/core/clock.ts';
import { readConfigOrExit } from '../../platform/core/config.ts';
import { openDb, type Db, type Tx } from '../../platform/db/knex.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import { systemAdministrator } from '../../settings/adminChange.ts';
import { listAgents } from '../../settings/agents.ts';
import { listAppKeys } from '../../settings/appKeys.ts';
import { environmentSql } from '../../settings/directory.ts';
import { listPeople } from '../../settings/people.ts';
import { parseAccess, renewAccess, type DemoAccess } from './access.ts';
import { writeContent } from './content.ts';
import { demoWorld } from './generate.ts';
import type { Cast, DemoEventActor } from './rows.ts';
import { lockDemo, setUpDemo } from './setUp.ts';
import type { DemoWorld } from './types.ts';

interface DemoOptions {
  /** The demo's present, in epoch milliseconds; nothing happened after it. */
  readonly now: number;
  readonly environment?: string;
  /** 20,000 when absent. */
  readonly items?: number | undefined;
  /** The same seed and present give the same content. */
  readonly seed?: number | undefined;
  /** The host's address, without a trailing slash. */
  readonly publicUrl?: string;
  /** Credentials that an earlier load returned. */
  readonly known?: DemoAccess | null;
  readonly say?: (line: string) => void;
}

interface LoadedDemo {
  readonly access: DemoAccess;
  /** null: there were items already. */
  readonly loaded: { readonly records: number; readonly items: number; readonly entries: number } | null;
}

const hasItems = statement(
  'demo.hasItems',
  'select from items i join environments e on e.id = i.env where e.name = $1 limit 1',
);
const readEnvironment = statement('demo.environment', `${environmentSql} where e.name = $1`);

/** The first item is 120 days old; everything had been set up by then. */
const setUpBeforeMs = 130 * 86_400_000;

const castOf = async (tx: Tx, { id, name }: Environment, world: DemoWorld): Promise<Cast> => {
  const people = new Map((await listPeople(tx)).map((person) => [person.email, person]));
  const agents = (await listAgents(tx)).filter((agent) => agent.environments.includes(name));
  const key = (await listAppKeys(tx)).find((known) => known.environment === name);
  const need = <T>(found: T | undefined, what: string): T => {
    if (found === undefined) throw new Error(`The demo's ${what} is not there in environment ${String(id)}.`);
    return found;
  };
  const actor = (
    type: 'person' | 'agent',
    known: { id: string; name: string; role: { name: string } },
  ): DemoEventActor => ({ by: { type, id: known.id, name: known.name }, role: known.role.name });
  return {
    people: world.people.map(({ email }) => actor('person', need(people.get(email), email))),
    agents: world.agents.map(({ name: agent, role }) =>
      actor(
        'agent',
        need(
          agents.findLast((known) => known.name === agent && known.role.name === role),
          agent,
        ),
      ),
    ),
    app: { by: { type: 'app', id: need(key, 'app key').id, name: need(key, 'app key').name }, role: null },
    system: { by: { type: 'system', id: null, name: 'triage' }, role: null },
  };
};

/** Loads the demo into a migrated database and returns valid credentials. */
const loadDemo = async (db: Db, options: DemoOptions): Promise<LoadedDemo> => {
  const {
    now,
    environment = 'demo',
    items = 20_000,
    seed = 1,
    publicUrl = 'http://127.0.0.1:3000',
    known = null,
    say = () => undefined,
  } = options;
  const world = demoWorld(seed, now);
  const complete = (await queryRow(db, hasItems, [environment])) !== undefined;
  const admin = systemAdministrator('demo', complete ? now : now - setUpBeforeMs);
  if (!complete) {
    await db.transaction(async (tx) => {
      await lockDemo(tx);
      await setUpDemo(tx, admin, environment, world);
    });
  }
  const renewal = await renewAccess(db, admin, {
    environment,
    world,
    known,
    baseUrl: `${publicUrl}/api/env/${environment}`,
  });
  if (complete) return { access: await renewal.finish(), loaded: null };

  const { records } = world;
  const entries = await db.transaction(async (tx) => {
    await lockDemo(tx);
    const found = await queryRow<StoredEnvironment>(tx, readEnvironment, [environment]);
    if (found === undefined || (await queryRow(tx, hasItems, [environment])) !== undefined) return null;
    const { id, definition, ...rest } = toEnvironment(found);
    const cast = await castOf(tx, { id, definition, ...rest }, world);
    return writeContent(tx, { env: id, definition, cast, records, seed, now, items, say });
  });
  // Without it the planner has no statistics of the new rows for a minute; a role without the right gets only a warning.
  await db.raw('analyze items, events, records, counts');
  return {
    access: await renewal.finish(),
    loaded: entries === null ? null : { records: records.length, items, entries },
  };
};

const readAccess = async (file: string): Promise<DemoAccess | null> => {
  try {
    return parseAccess(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    // Missing or damaged: new credentials are made.
    return null;
  }
};

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

const main = async (): Promise<void> => {
  const started = performance.now();
  const { values } = parseArgs({
    options: { items: { type: 'string' }, seed: { type: 'string' }, now: { type: 'string' } },
  });
  const config = readConfigOrExit();
  const file = join(config.dataDir, 'access.json');
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const db = openDb({ url: config.migrateDatabaseUrl, poolSize: 2, applicationName: 'console-demo' });
  try {
    const options = {
      now: whole('now', values.now) ?? systemClock.now(),
      items: whole('items', values.items),
      seed: whole('seed', values.seed),
    };
    const known = await readAccess(file);
    const { access, loaded } = await loadDemo(db, { ...options, publicUrl: config.publicUrl, known, say });
    if (JSON.stringify(access) !== JSON.stringify(known)) await writeAccess(config.dataDir, file, access);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const count = (n: number): string => n.toLocaleString('en');
    if (loaded === null) say(`demo: is loaded (looked in ${seconds} s)`);
    else
      say(
        `demo: ${count(loaded.items)} items with ${count(loaded.entries)} timeline entries, ${count(loaded.records)} records, in ${seconds} s`,
      );
  } finally {
    await db.destroy();
  }
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
