/** Makes the demo's environment, roles, people and manifest; what exists already is not changed. Used by load.ts. */
import { declareEnvironment } from '../../flags/redeclaredFlags.ts';
import type { Tx } from '../../platform/db/knex.ts';
import { executeStatement, statement } from '../../platform/db/sql.ts';
import type { Administrator } from '../../settings/adminChange.ts';
import { createEnvironment, listEnvironments } from '../../settings/environments/create.ts';
import { createPerson, listPeople, updatePerson } from '../../settings/people.ts';
import { createRole, listRoles } from '../../settings/roles.ts';
import manifest from './manifest.json' with { type: 'json' };
import type { DemoPerson, DemoWorld } from './types.ts';

/** Any number that nothing else in this database locks. */
const lock = statement('demo.lock', 'select pg_advisory_xact_lock(4920732)');

/** Locks the demo until the transaction ends: two loaders at once would make everything twice. */
export const lockDemo = async (tx: Tx): Promise<void> => {
  await executeStatement(tx, lock);
};

const setUpPeople = async (
  tx: Tx,
  admin: Administrator,
  environment: string,
  people: readonly DemoPerson[],
): Promise<void> => {
  const known = new Map((await listPeople(tx)).map((person) => [person.email, person]));
  for (const { email, name, role } of people) {
    const person = known.get(email);
    // Without a password: those that `npm start` prints get one with the other credentials.
    // The demo's admins have access to all environments, as an administrator can't give more than their own.
    if (person === undefined)
      await createPerson(tx, admin, { email, name, role, passwordHash: null }, [role === 'admin' ? '*' : environment]);
    else if (!person.environments.includes('*') && !person.environments.includes(environment)) {
      await updatePerson(tx, admin, person.id, { environments: [...person.environments, environment] });
    }
  }
};

export const setUpDemo = async (
  tx: Tx,
  admin: Administrator,
  environment: string,
  { people, roles }: DemoWorld,
): Promise<void> => {
  const environments = await listEnvironments(tx);
  const known = environments.find(({ name }) => name === environment);
  if (known === undefined) await createEnvironment(tx, admin, { name: environment });
  const names = new Set((await listRoles(tx)).map(({ name }) => name));
  for (const role of roles) if (!names.has(role.name)) await createRole(tx, admin, role);
  await setUpPeople(tx, admin, environment, people);
  if (known?.definedAt === undefined || known.definedAt === null) {
    await declareEnvironment(tx, admin, { environment, manifest, startedAt: admin.at });
  }
};
