/** Creates, updates and removes people. Callers hash passwords, as hashing takes too long for a transaction. Used by the row of people (peopleResource.ts), by sign-in and by the admin command. */
import { fault } from '../../catalogue/errors.ts';
import { isUniqueViolation } from '../../platform/db/errors.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import {
  namedStatement,
  queryNamedRows,
  executeStatement,
  queryRow,
  queryRows,
  statement,
} from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import { responseObject, strictObject, Type, type Static } from '../../platform/json/schema.ts';
import {
  displayNameSchema,
  emailSchema,
  environmentsSchema,
  passwordSchema,
  reach,
  roleRef,
  roleSchema,
  stampSchema,
} from '../schema.ts';
import { deleteTokens, lockRole, resolveEnvironmentNames, voidLinks, type Administrator } from './adminChange.ts';
import { recordRightsChange } from './independence.ts';
import { requireAdminRemains, stageUnassigning } from './lostAccess.ts';
import { patchOf } from './resource.ts';
import { settingsStore } from './store.ts';

export const personView = responseObject({
  id: Type.String({ description: 'Id.' }),
  email: Type.String({ description: 'The address that they sign in with.' }),
  name: Type.String({ description: 'Their name.' }),
  role: roleRef,
  environments: reach,
  createdAt: stampSchema('createdAt'),
});
export const personInput = strictObject({
  email: emailSchema,
  name: displayNameSchema,
  role: roleSchema,
  password: Type.Optional(passwordSchema),
  invite: Type.Optional(Type.Literal(true, { description: 'They get a link and choose their password.' })),
  environments: Type.Optional(environmentsSchema),
});
export const personPatch = patchOf(personInput);

export type PersonView = Static<typeof personView>;

/** `passwordHash` null: the person can't sign in until an admin sets a password. */
export type NewPerson = Omit<Static<typeof personInput>, 'password' | 'invite'> & {
  readonly passwordHash: string | null;
};
export type PersonChange = Omit<Static<typeof personPatch>, 'password'> & { readonly passwordHash?: string };

/** Returns an e-mail address as it is stored and looked up. */
export const normalizeEmail = (email: string): string => email.normalize('NFC').toLowerCase();

const store = settingsStore({
  type: 'person',
  prefix: 'per',
  scope: 'reach',
  table: { name: 'people', ends: 'removed_at' },
  order: ['name', 'id'],
  view: personView,
  input: Type.Omit(personInput, ['password', 'invite']),
  audited: ['email', 'name', 'role', 'environments'],
});

/** A person who is created with the address of a removed one gets the same row, so that earlier entries are still theirs. */
const insertPersonSql = namedStatement(
  'administer.people.insert',
  () => `
  insert into people (id, email, name, role, password_hash, environments, created_at) values ($id, $email, $name, $role, $password_hash, $environments, $at)
  on conflict (email) do update set name = excluded.name, role = excluded.role, password_hash = excluded.password_hash,
    environments = excluded.environments, created_at = excluded.created_at, removed_at = null
  where people.removed_at is not null
  returning id`,
);

/** Shared views are their colleagues’ too, and stay. */
const deletePrivateViewsSql = statement(
  'administer.people.views',
  'delete from saved_views where owner = $1 and not shared',
);
/** Deletes the links of a removed person: the address may belong to somebody else by now. */
const unlinkSql = statement('administer.people.unlink', 'delete from identities where person = $1');

const withoutPasswordSql = statement(
  'administer.people.withoutPassword',
  'select 1 as found from people where id = $1 and password_hash is null',
);
const setPasswordSql = statement('administer.people.password', 'update people set password_hash = $2 where id = $1');
const removeSql = statement(
  'administer.people.remove',
  'update people set removed_at = $2, password_hash = null where id = $1',
);
const namesSql = statement('administer.people.names', 'select id, name from people where id = any($1)');

/** Returns the people who are not removed, by name. */
export const listPeople = store.list;

/** Returns the people whom the caller sees. */
export const listSeenPeople = store.listSeen;

/** Returns the names of people by id, also of those who were removed. */
export const readPeopleNames = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> =>
  new Map((await queryRows<{ id: string; name: string }>(db, namesSql, [ids])).map(({ id, name }) => [id, name]));

export const readPerson = async (db: Db | Tx, id: string): Promise<PersonView> => {
  const person = await store.find(db, id);
  if (person === undefined) throw fault('not_found');
  return person;
};

const emailTakenFault = (email: string) =>
  fault('conflict', `There is already a person with the e-mail address ${email}.`);

/** Creates a person. `environments`: where they may act when the input has none. Throws `conflict` for a known address. */
export const createPerson = async (
  tx: Tx,
  admin: Administrator,
  input: NewPerson,
  environments: readonly string[],
): Promise<PersonView> => {
  const email = normalizeEmail(input.email);
  const role = await lockRole(tx, input.role);
  const where = await resolveEnvironmentNames(tx, admin, input.environments ?? environments);
  const [made] = await queryNamedRows<{ id: string }>(tx, insertPersonSql, {
    id: newId('per', admin.at),
    email,
    name: input.name,
    role: role.id,
    password_hash: input.passwordHash,
    environments: where,
    at: admin.at,
  });
  if (made === undefined) throw emailTakenFault(email);
  await executeStatement(tx, unlinkSql, [made.id]);
  const person = await readPerson(tx, made.id);
  await store.record(tx, admin, 'create', null, person);
  return person;
};

const agentsOfSql = statement(
  'administer.people.agents',
  'select id, name from agents where created_by = $1 and revoked_at is null order by name, id',
);

/** A person after a change, and how many items the change takes from them, as they don't see their inboxes any more. */
interface ChangedPerson {
  readonly person: PersonView;
  readonly unassigned: number;
}

/** A removed person, as they were; `agents`: those that they made, which stay. */
interface RemovedPerson extends ChangedPerson {
  readonly agents: readonly { readonly id: string; readonly name: string }[];
}

const lastAdminMessage = ({ person: { name } }: ChangedPerson, where: string): string =>
  `${name} is the last admin of ${where}; make another person admin there first.`;

/** Throws `conflict` for a person who has a password: only they choose another one by a link. */
const requireNoPassword = async (tx: Tx, { id, name }: PersonView): Promise<void> => {
  const without = await queryRow(tx, withoutPasswordSql, [id]);
  if (without === undefined) throw fault('conflict', `${name} has a password already and needs no invitation.`);
};

const applyPersonChange = async (
  tx: Tx,
  admin: Administrator,
  id: string,
  { invite, passwordHash, ...patch }: PersonChange,
): Promise<ChangedPerson> => {
  if (patch.role !== undefined) await lockRole(tx, patch.role);
  const before = await store.lock(tx, admin, id);
  if (invite) await requireNoPassword(tx, before);
  const email = patch.email === undefined ? before.email : normalizeEmail(patch.email);
  const after = await store.write(tx, admin, before, { ...patch, email }).catch((error: unknown) => {
    throw isUniqueViolation(error) ? emailTakenFault(email) : error;
  });
  if (passwordHash === undefined && !invite && after === before) return { person: before, unassigned: 0 };
  if (passwordHash !== undefined) {
    await executeStatement(tx, setPasswordSql, [id, passwordHash]);
    await deleteTokens(tx, id);
  }
  // OpenID Connect links a first sign-in by its address, so that a changed address can hand the account over.
  if (email !== before.email) {
    await voidLinks(tx, id);
    await recordRightsChange(tx, {
      verb: 'person.email',
      target: id,
      actor: admin.by.type === 'person' ? admin.by.id : null,
      at: admin.at,
    });
  }
  const isMoved = after.role.id !== before.role.id || patch.environments !== undefined;
  const unassigned = isMoved ? await stageUnassigning(tx, admin, [id], id) : 0;
  const verb = invite ? 'invite' : passwordHash === undefined ? 'update' : 'password';
  await store.record(tx, admin, verb, before, after);
  return { person: after, unassigned };
};

/** Changes a person and returns them. A new password deletes their sessions. Throws `conflict` when an environment would lose its last admin. */
export const updatePerson = (tx: Tx, admin: Administrator, id: string, patch: PersonChange): Promise<ChangedPerson> =>
  patch.role === undefined && patch.environments === undefined
    ? applyPersonChange(tx, admin, id, patch)
    : requireAdminRemains(tx, () => applyPersonChange(tx, admin, id, patch), lastAdminMessage);

/** Removes a person, deletes their sessions, and returns them as they were. Throws `conflict` for the last admin of an environment. */
export const removePerson = (tx: Tx, admin: Administrator, id: string): Promise<RemovedPerson> =>
  requireAdminRemains(
    tx,
    async () => {
      const person = await store.lock(tx, admin, id);
      await executeStatement(tx, removeSql, [id, admin.at]);
      await deleteTokens(tx, id);
      await executeStatement(tx, deletePrivateViewsSql, [id]);
      const unassigned = await stageUnassigning(tx, admin, [id], id);
      const agents = await queryRows<{ id: string; name: string }>(tx, agentsOfSql, [id]);
      await store.record(tx, admin, 'revoke', person, null);
      return { person, unassigned, agents };
    },
    lastAdminMessage,
  );
