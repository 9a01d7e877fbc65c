/** Which person an identity of the provider is: linked at the first sign-in, by the verified e-mail address. For signInByProvider.ts. */
import { Fault } from '../../catalogue/errors.ts';
import type { OpenIdConfig } from '../../platform/config/openIdConfig.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../../platform/db/sql.ts';
import {
  deleteTokens,
  raiseRevision,
  recordAdminChange,
  systemAdministrator,
  type Administrator,
} from '../settings/adminChange.ts';
import { createPerson, normalizeEmail, readPerson, updatePerson, type PersonView } from '../settings/people.ts';
import { type Standing, type Identity, standingOf } from './claims.ts';
import { SignInRefusal } from './problems.ts';

const byIdentitySql = statement(
  'identity.find',
  `
  select p.id, p.removed_at is not null as removed from identities i join people p on p.id = i.person
  where i.issuer = $1 and i.subject = $2`,
);
const byEmailSql = statement(
  'identity.byEmail',
  `
  select p.id, p.removed_at is not null as removed,
    exists (select from identities i where i.person = p.id and i.issuer = $2) as linked
  from people p where p.email = $1`,
);
/** Last, as whoever changes a person locks the role of admins first. */
const lockSql = statement('identity.lock', 'select from people where id = $1 and removed_at is null for share');
const insertSql = statement(
  'identity.insert',
  'insert into identities (issuer, subject, person, created_at) values ($1, $2, $3, $4)',
);

interface Found {
  readonly id: string;
  readonly removed: boolean;
}

/** The person of an identity, and whether an earlier sign-in linked them. */
interface Match {
  readonly id: string;
  readonly isLinked: boolean;
}

interface Admission {
  readonly config: Pick<OpenIdConfig, 'groups' | 'createsPeople'>;
  readonly identity: Identity;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Whether a person may be made. */
  readonly mayCreate: boolean;
}

/** Returns what `work` does with the mapping's role and environments. Throws a SignInRefusal where they don't exist, or for the last admin. */
const withStanding = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fault && error.code === 'invalid') throw new SignInRefusal('misconfigured', error);
    throw error;
  }
};

/** In place of a password: the provider lets people in, and says what they may do. */
const providerAs = (at: number): Administrator => systemAdministrator('OpenID Connect', at);

const link = async (tx: Tx, { issuer, subject }: Identity, id: string, at: number): Promise<void> => {
  await executeStatement(tx, insertSql, [issuer, subject, id, at]);
  await recordAdminChange(tx, providerAs(at), {
    verb: 'person.link',
    target: { type: 'person', id },
    environments: (await readPerson(tx, id)).environments,
    before: null,
    after: { issuer },
  });
};

const create = async (tx: Tx, { identity, at }: Admission, email: string, standing: Standing): Promise<string> => {
  const { role, environments } = standing;
  const input = { email, name: identity.name ?? email, role, environments: [...environments], passwordHash: null };
  return (await withStanding(() => createPerson(tx, providerAs(at), input, environments))).id;
};

const matchByEmail = async (tx: Tx, admission: Admission, standing: Standing | null): Promise<Match> => {
  const { config, identity, mayCreate } = admission;
  if (identity.email === null) throw new SignInRefusal('email_unverified');
  const email = normalizeEmail(identity.email);
  const found = await queryRow<Found & { linked: boolean }>(tx, byEmailSql, [email, identity.issuer]);
  if (found?.removed === true) throw new SignInRefusal('removed');
  if (found?.linked === true) throw new SignInRefusal('other_identity');
  if (found !== undefined) return { id: found.id, isLinked: false };
  if (!config.createsPeople || !mayCreate) throw new SignInRefusal('unknown_person');
  if (standing === null) throw new SignInRefusal('no_group');
  return { id: await create(tx, admission, email, standing), isLinked: false };
};

/** Returns the person of an identity. Throws a SignInRefusal for a stranger, and for who was removed. */
const findPerson = async (tx: Tx, admission: Admission, standing: Standing | null): Promise<Match> => {
  const { issuer, subject } = admission.identity;
  const found = await queryRow<Found>(tx, byIdentitySql, [issuer, subject]);
  if (found === undefined) return matchByEmail(tx, admission, standing);
  if (found.removed) throw new SignInRefusal('removed');
  return { id: found.id, isLinked: true };
};

const identitySql = statement(
  'identity.person',
  'select person as id from identities where issuer = $1 and subject = $2',
);

/** Returns the person who is linked with an identity; undefined: nobody is. */
export const findLinked = async (db: Db, { issuer, subject }: Identity): Promise<string | undefined> =>
  (await queryRow<{ id: string }>(db, identitySql, [issuer, subject]))?.id;

const isSame = ({ role, environments }: PersonView, standing: Standing): boolean =>
  (role.id === standing.role || role.name === standing.role) &&
  [...environments].sort().join('\n') === [...standing.environments].sort().join('\n');

const applyStanding = async (tx: Tx, person: string, standing: Standing, at: number): Promise<void> => {
  if (isSame(await readPerson(tx, person), standing)) return;
  const patch = { role: standing.role, environments: [...standing.environments] };
  try {
    await withStanding(() => updatePerson(tx, providerAs(at), person, patch));
  } catch (error) {
    throw error instanceof Fault && error.code === 'conflict' ? new SignInRefusal('last_admin', error) : error;
  }
};

/**
 * Returns the person of an identity, with the role and the environments of their groups, and whether they may come in: who
 * is in no mapped group any more may not, and has no session left. Throws a SignInRefusal for everybody else.
 */
export const admit = async (
  tx: Tx,
  admission: Admission,
): Promise<{ readonly person: string; readonly isIn: boolean }> => {
  const { config, identity, at } = admission;
  const standing = config.groups === null ? null : standingOf(identity.groups, config.groups);
  const { id: person, isLinked } = await findPerson(tx, admission, standing);
  if (standing !== null) await applyStanding(tx, person, standing, at);
  if (!isLinked) await link(tx, identity, person, at);
  if ((await executeStatement(tx, lockSql, [person])) === 0) throw new SignInRefusal('removed');
  if (config.groups === null || standing !== null) return { person, isIn: true };
  await deleteTokens(tx, person);
  await raiseRevision(tx);
  return { person, isIn: false };
};
