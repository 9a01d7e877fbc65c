/** Creates, updates and removes people. Callers hash passwords, as hashing takes too long for a transaction. For the settings endpoints and the admin command. */
import { fault } from '../catalogue/errors.ts';
import { newId } from '../platform/core/ids.ts';
import { isUniqueViolation } from '../platform/db/errors.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { PersonRow } from '../platform/db/models.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import {
  deleteTokens,
  lockRole,
  recordAdminChange,
  requireReach,
  resolveEnvironmentNames,
  type Administrator,
  type RoleRef,
} from './adminChange.ts';
import { recordRightsChange } from './independence.ts';
import { requireAdminRemains } from './lastAdmin.ts';
import type { PersonInput, PersonPatch } from './schema.ts';

export interface PersonView {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: RoleRef;
  readonly environments: readonly string[];
  readonly createdAt: number;
}

/** `passwordHash` null: the person can't sign in until an admin sets a password. */
type NewPerson = Omit<PersonInput, 'password'> & { readonly passwordHash: string | null };
type PersonChange = Omit<PersonPatch, 'password'> & { readonly passwordHash?: string };

/** Returns an e-mail address as it is stored and looked up. */
export const normalizeEmail = (email: string): string => email.normalize('NFC').toLowerCase();

const people = (db: Db | Tx) => PersonRow.query(db).whereNull('removed_at').withGraphFetched('itsRole');

const toPersonView = ({ id, email, name, itsRole, environments, createdAt }: PersonRow): PersonView => ({
  id,
  email,
  name,
  role: { id: itsRole.id, name: itsRole.name },
  environments,
  createdAt,
});

/** A person who is created with the address of a removed one gets the same row, so that earlier entries are still theirs. */
const insertPersonSql = statement(
  'administer.people.insert',
  `
  insert into people (id, email, name, role, password_hash, environments, created_at) values ($1, $2, $3, $4, $5, $6, $7)
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

/** Returns the people who are not removed, by name. */
export const listPeople = async (db: Db | Tx): Promise<PersonView[]> =>
  (await people(db).orderBy(['name', 'id'])).map(toPersonView);

const requirePerson = (person: PersonRow | undefined): PersonView => {
  if (person === undefined) throw fault('not_found');
  return toPersonView(person);
};

export const readPerson = async (db: Db | Tx, id: string): Promise<PersonView> =>
  requirePerson(await people(db).findById(id));

/** Returns a person, locked for a change. Throws `not_found` and `forbidden` as `requireReach` does. */
const lockPerson = async (tx: Tx, admin: Administrator, id: string): Promise<PersonView> => {
  const person = requirePerson(await people(tx).findById(id).forUpdate());
  requireReach(admin, person);
  return person;
};

const personAuditJson = ({ email, name, role, environments }: PersonView): object => ({
  email,
  name,
  role: role.name,
  environments,
});

const recordPersonChange = (
  tx: Tx,
  admin: Administrator,
  verb: string,
  before: PersonView | null,
  after: PersonView | null,
): Promise<void> => {
  const environments = [...(before?.environments ?? []), ...(after?.environments ?? [])];
  const id = (after ?? before)?.id ?? '';
  return recordAdminChange(tx, admin, {
    verb: `person.${verb}`,
    target: { type: 'person', id },
    environments,
    before: before && personAuditJson(before),
    after: after && personAuditJson(after),
  });
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
  const made = await queryRow<{ id: string }>(tx, insertPersonSql, [
    newId('per', admin.at),
    email,
    input.name,
    role.id,
    input.passwordHash,
    where,
    admin.at,
  ]);
  if (made === undefined) throw emailTakenFault(email);
  await executeStatement(tx, unlinkSql, [made.id]);
  const person = await readPerson(tx, made.id);
  await recordPersonChange(tx, admin, 'create', null, person);
  return person;
};

const lastAdminMessage = ({ name }: PersonView, where: string): string =>
  `${name} is the last admin of ${where}; make another person admin there first.`;

const applyPersonChange = async (
  tx: Tx,
  admin: Administrator,
  id: string,
  patch: PersonChange,
): Promise<PersonView> => {
  const role = patch.role === undefined ? null : await lockRole(tx, patch.role);
  const before = await lockPerson(tx, admin, id);
  const environments =
    patch.environments === undefined
      ? before.environments
      : await resolveEnvironmentNames(tx, admin, patch.environments);
  const email = patch.email === undefined ? before.email : normalizeEmail(patch.email);
  const after: PersonView = {
    ...before,
    email,
    name: patch.name ?? before.name,
    role: role ?? before.role,
    environments,
  };
  if (patch.passwordHash === undefined && JSON.stringify(after) === JSON.stringify(before)) return before;
  try {
    const { passwordHash } = patch;
    await PersonRow.query(tx)
      .findById(id)
      .patch({
        email,
        name: after.name,
        role: after.role.id,
        environments: [...environments],
        ...(passwordHash === undefined ? {} : { passwordHash }),
      });
  } catch (error) {
    throw isUniqueViolation(error) ? emailTakenFault(email) : error;
  }
  if (patch.passwordHash !== undefined) await deleteTokens(tx, id);
  // OpenID Connect links a first sign-in by its address, so that a changed address can hand the account over.
  if (email !== before.email)
    await recordRightsChange(tx, {
      verb: 'person.email',
      target: id,
      actor: admin.by.type === 'person' ? admin.by.id : null,
      at: admin.at,
    });
  await recordPersonChange(tx, admin, patch.passwordHash === undefined ? 'update' : 'password', before, after);
  return after;
};

/** Changes a person and returns them. A new password deletes their sessions. Throws `conflict` when an environment would lose its last admin. */
export const updatePerson = (tx: Tx, admin: Administrator, id: string, patch: PersonChange): Promise<PersonView> =>
  patch.role === undefined && patch.environments === undefined
    ? applyPersonChange(tx, admin, id, patch)
    : requireAdminRemains(tx, () => applyPersonChange(tx, admin, id, patch), lastAdminMessage);

/** Removes a person, deletes their sessions, and returns them as they were. Throws `conflict` for the last admin of an environment. */
export const removePerson = (tx: Tx, admin: Administrator, id: string): Promise<PersonView> =>
  requireAdminRemains(
    tx,
    async () => {
      const person = await lockPerson(tx, admin, id);
      await PersonRow.query(tx).findById(id).patch({ removedAt: admin.at, passwordHash: null });
      await deleteTokens(tx, id);
      await executeStatement(tx, deletePrivateViewsSql, [id]);
      await recordPersonChange(tx, admin, 'revoke', person, null);
      return person;
    },
    lastAdminMessage,
  );
