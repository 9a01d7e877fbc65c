/**
 * Renews the demo's credentials; used by loadDemo.ts. Only their hashes are stored, so lost ones are replaced: those known
 * that are still valid stay, the others are made again.
 */
import { randomBytes } from 'node:crypto';
import { tokenHash } from '../../accounts/access/tokens.ts';
import { hashPassword } from '../../accounts/passwords.ts';
import type { Administrator } from '../../accounts/settings/adminChange.ts';
import { createAgent, listAgents, rotateAgent } from '../../accounts/settings/agents.ts';
import { createAppKey, listAppKeys, rotateAppKey } from '../../accounts/settings/appKeys.ts';
import { updatePerson } from '../../accounts/settings/people.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../../platform/db/sql.ts';
import { responseObject, Type, type Static } from '../../platform/json/schema.ts';
import { compileCheck } from '../../platform/json/validate.ts';
import { agentName, people, type AgentRole } from './people.ts';

/** The content of `.data/access.json`, for the commands, clients and tests of this checkout. */
const accessSchema = responseObject({
  baseUrl: Type.String(),
  agents: responseObject({ admin: Type.String(), operator: Type.String(), viewer: Type.String() }),
  people: Type.Array(responseObject({ email: Type.String(), password: Type.String(), role: Type.String() })),
  appKey: Type.String(),
});
export type DemoAccess = Static<typeof accessSchema>;
export const parseAccess = compileCheck(accessSchema);

/** Any number that nothing else in this database locks. */
const lock = statement('demo.lock', 'select pg_advisory_xact_lock(4920732)');

/** Locks the demo until the transaction ends: two loaders at once would make everything twice. */
export const lockDemo = (tx: Tx): Promise<unknown> => executeStatement(tx, lock);

/** Selects those of the tokens that are valid, with the role of their agent; of an app key `app`. */
const validTokens = statement(
  'demo.validTokens',
  `
  select encode(t.hash, 'hex') as hash, coalesce(r.name, t.kind) as role
  from tokens t left join agents a on a.id = t.principal left join roles r on r.id = a.role
  left join app_keys k on k.id = t.principal left join environments e on e.id = k.env
  where t.hash in (select decode(h, 'hex') from unnest($1::text[]) h) and coalesce(least(t.expires_at, a.expires_at) > $2::bigint, true)
    and coalesce(a.revoked_at, k.revoked_at) is null and (e.name = $3 or $3 = any(a.environments) or '*' = any(a.environments))`,
);
/** Selects the first person of each role, in the order of the demo's list; `fresh`: they have no password yet. */
const findPeople = statement(
  'demo.people',
  `
  select * from (
    select distinct on (r.id) p.id, p.email, p.password_hash is null as fresh, r.name as role, array_position($1::text[], p.email) as place
    from people p join roles r on r.id = p.role where p.email = any($1::text[]) and p.removed_at is null
    order by r.id, place) found
  order by place`,
);
interface FoundPerson {
  readonly id: string;
  readonly email: string;
  readonly fresh: boolean;
  readonly role: string;
}

type TokenRole = AgentRole | 'app';

/** Makes a token anew, with its agent or app key where there is none. */
const renewToken = async (tx: Tx, admin: Administrator, environment: string, role: TokenRole): Promise<string> => {
  const name = agentName(role);
  if (role === 'app') {
    const key = (await listAppKeys(tx)).find((known) => known.name === name && known.environment === environment);
    const made =
      key === undefined ? createAppKey(tx, admin, { name }, environment) : rotateAppKey(tx, admin, key.id, 0);
    return (await made).token;
  }
  const known = (await listAgents(tx)).find(
    ({ name: called, role: has, environments, expiresAt }) =>
      called === name && has.name === role && environments.includes(environment) && (expiresAt ?? Infinity) > admin.at,
  );
  const made =
    known === undefined ? createAgent(tx, admin, { name, role }, [environment]) : rotateAgent(tx, admin, known.id, 0);
  return (await made).token;
};

interface AccessOptions {
  readonly environment: string;
  readonly baseUrl: string;
  /** The credentials of an earlier load; null: none. */
  readonly known: DemoAccess | null;
}

/** Renews what is missing. Returns what ends it and returns all credentials, so that other work can run while passwords are hashed. */
export const renewAccess = async (
  db: Db,
  admin: Administrator,
  { environment, baseUrl, known }: AccessOptions,
): Promise<() => Promise<DemoAccess>> => {
  const told: Partial<Record<TokenRole, string>> = known === null ? {} : { ...known.agents, app: known.appKey };
  const hashes = new Map(Object.entries(told).map(([role, token]) => [tokenHash(token).toString('hex'), role]));
  const valid = (
    await queryRows<{ hash: string; role: string }>(db, validTokens, [[...hashes.keys()], admin.at, environment])
  ).filter(({ hash, role }) => hashes.get(hash) === role);
  const [agents, appKey] = await db.transaction(async (tx) => {
    await lockDemo(tx);
    const token = async (role: TokenRole): Promise<string> =>
      (valid.some((one) => one.role === role) ? told[role] : undefined) ?? renewToken(tx, admin, environment, role);
    const own = { admin: await token('admin'), operator: await token('operator'), viewer: await token('viewer') };
    return [own, await token('app')] as const;
  });

  // A valid token proves that the known credentials are of this database. Then only people without a password get one: any
  // other may have been changed on purpose since. A new one is the same for all, as a hash takes a third of a second.
  const ours = valid.length > 0;
  const passwords = new Map(ours ? known?.people.map(({ email, password }) => [email, password]) : []);
  const found = await queryRows<FoundPerson>(db, findPeople, [people.map(({ email }) => email)]);
  const signIns = found.filter(({ email, fresh }) => !ours || fresh || passwords.has(email));
  const renewed = signIns.filter(({ email }) => !passwords.has(email));
  const password = randomBytes(12).toString('base64url');
  const hashing = renewed.length === 0 ? null : hashPassword(password);
  return async () => {
    const passwordHash = await hashing;
    await db.transaction(async (tx) => {
      if (passwordHash !== null) for (const { id } of renewed) await updatePerson(tx, admin, id, { passwordHash });
    });
    const shown = signIns.map(({ email, role }) => ({ email, password: passwords.get(email) ?? password, role }));
    return { baseUrl, agents, people: shown, appKey };
  };
};
