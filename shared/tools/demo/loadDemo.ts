/** Loads the demo environment into a database; used by load.ts, tests and benchmarks. */
import { environmentSql } from '../../accounts/directory.ts';
import { systemAdministrator, type Administrator } from '../../accounts/settings/adminChange.ts';
import { createEnvironment, listEnvironments } from '../../accounts/settings/environments/environments.ts';
import { createPerson, listPeople, updatePerson } from '../../accounts/settings/people.ts';
import { createRole, listRoles } from '../../accounts/settings/roles.ts';
import { toEnvironment, type StoredEnvironment } from '../../app/manifest/definition.ts';
import { declareEnvironment } from '../../flags/redeclaredFlags.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../../platform/db/sql.ts';
import type { EventActor } from '../../platform/journal/events.ts';
import { lockDemo, renewAccess, type DemoAccess } from './access.ts';
import { writeContent } from './content.ts';
import manifest from './manifest.json' with { type: 'json' };
import { agentName, people, roles } from './people.ts';
import { demoRecords } from './shop.ts';
import type { Cast } from './story.ts';

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

interface CastRow extends Omit<EventActor, 'requestId' | 'address'> {
  readonly known: string;
}
const readCast = statement(
  'demo.cast',
  `
  select p.email as known, 'person' as type, p.id, p.name, r.name as role from people p join roles r on r.id = p.role where p.email = any($1)
  union all
  select 'agent', 'agent', a.id, a.name, r.name from agents a join roles r on r.id = a.role
  where a.revoked_at is null and a.name = $2 and $3 = any(a.environments)
  union all
  select 'app key', 'app', k.id, k.name, null from app_keys k join environments e on e.id = k.env where k.revoked_at is null and e.name = $3`,
);

/** The first item is 120 days old; everything had been set up by then. */
const setUpBeforeMs = 130 * 86_400_000;

/** Makes environment, roles, people and manifest; what exists already is not changed. */
const setUp = async (tx: Tx, admin: Administrator, environment: string): Promise<void> => {
  const present = (await listEnvironments(tx)).find(({ name }) => name === environment);
  if (present === undefined) await createEnvironment(tx, admin, { name: environment });
  const names = (await listRoles(tx)).map(({ name }) => name);
  for (const role of roles) if (!names.includes(role.name)) await createRole(tx, admin, role);
  const known = new Map((await listPeople(tx)).map((person) => [person.email, person]));
  for (const { email, name, role } of people) {
    const found = known.get(email);
    // Without a password: those that `npm start` prints get one with the other credentials.
    // The demo's admins have access to all environments, as an administrator can't give more than their own.
    if (found === undefined)
      await createPerson(tx, admin, { email, name, role, passwordHash: null }, [role === 'admin' ? '*' : environment]);
    else if (!found.environments.includes('*') && !found.environments.includes(environment))
      await updatePerson(tx, admin, found.id, { environments: [...found.environments, environment] });
  }
  if ((present?.definedAt ?? null) === null)
    await declareEnvironment(tx, admin, { environment, manifest, startedAt: admin.at });
};

/** Returns who acts in the demo's stories. */
const castOf = async (tx: Tx, environment: string): Promise<Cast> => {
  const emails = people.map(({ email }) => email);
  const rows = await queryRows<CastRow>(tx, readCast, [emails, agentName('operator'), environment]);
  const cast = new Map(rows.map(({ known, ...actor }) => [known, { ...actor, requestId: null, address: null }]));
  const need = (known: string): EventActor => {
    const found = cast.get(known);
    if (found === undefined) throw new Error(`The demo's ${known} is not there in ${environment}.`);
    return found;
  };
  const system = { type: 'system', id: null, name: 'triage', role: null, requestId: null, address: null } as const;
  return { people: emails.map(need), agent: need('agent'), app: need('app key'), system };
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
export const loadDemo = async (
  db: Db,
  {
    now,
    environment = 'demo',
    items = 5_000,
    seed = 1,
    publicUrl = 'http://127.0.0.1:3000',
    known = null,
  }: DemoOptions,
): Promise<LoadedDemo> => {
  const isComplete = (await queryRow(db, hasItems, [environment])) !== undefined;
  const admin = systemAdministrator('demo', isComplete ? now : now - setUpBeforeMs);
  if (!isComplete)
    await db.transaction(async (tx) => {
      await lockDemo(tx);
      await setUp(tx, admin, environment);
    });
  const finish = await renewAccess(db, admin, { environment, known, baseUrl: `${publicUrl}/api/env/${environment}` });
  if (isComplete) return { access: await finish(), loaded: null };

  const records = demoRecords(seed, now).stored;
  const entries = await db.transaction(async (tx) => {
    await lockDemo(tx);
    const found = await queryRow<StoredEnvironment>(tx, readEnvironment, [environment]);
    if (found === undefined || (await queryRow(tx, hasItems, [environment])) !== undefined) return null;
    const [env, cast] = [toEnvironment(found), await castOf(tx, environment)];
    return writeContent(db, tx, { env, cast, records, seed, now, items });
  });
  // On two connections at once: the partitions of `events` take as long as all others.
  await Promise.all([analyze(db, 'events'), analyze(db, 'items, item_words, records, counts')]);
  return { access: await finish(), loaded: entries === null ? null : { records: records.length, items, entries } };
};
