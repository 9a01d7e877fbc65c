/** Loads the demo environment into a database; used by load.ts, tests and benchmarks. */
import { toEnvironment, type Environment, type StoredEnvironment } from '../../environments/definition.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import { systemAdministrator } from '../../settings/adminChange.ts';
import { listAgents } from '../../settings/agents.ts';
import { listAppKeys } from '../../settings/appKeys.ts';
import { environmentSql } from '../../settings/directory.ts';
import { listPeople } from '../../settings/people.ts';
import { renewAccess, type DemoAccess } from './access.ts';
import { writeContent } from './content.ts';
import { demoWorld } from './generate.ts';
import type { Cast, DemoEventActor } from './rows.ts';
import { lockDemo, setUpDemo } from './setUp.ts';
import type { DemoWorld } from './types.ts';

interface DemoOptions {
  /** The demo's present, in epoch milliseconds; nothing happened after it. */
  readonly now: number;
  readonly environment?: string;
  /** 5,000 when absent. */
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

/**
 * Collects statistics of the new rows, which the planner lacks otherwise until the workers run; of a tenth of the usual sample, which
 * is enough for rows as even as these. A role without the right gets only a warning.
 */
const analyze = (db: Db, tables: string): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.raw('set local default_statistics_target = 10');
    await tx.raw(`analyze ${tables}`);
  });

/** Loads the demo into a migrated database and returns valid credentials. */
export const loadDemo = async (db: Db, options: DemoOptions): Promise<LoadedDemo> => {
  const {
    now,
    environment = 'demo',
    items = 5_000,
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
    return writeContent(db, tx, { env: id, definition, cast, records, seed, now, items, say });
  });
  // On two connections at once: the partitions of `events` take as long as all others.
  await Promise.all([analyze(db, 'events'), analyze(db, 'items, item_words, records, counts')]);
  return {
    access: await renewal.finish(),
    loaded: entries === null ? null : { records: records.length, items, entries },
  };
};
