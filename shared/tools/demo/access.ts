/**
 * Renews the demo's credentials; used by load.ts. Only their hashes are stored, so lost ones are replaced: those known
 * that are still valid stay, the others are made again.
 */
import { randomBytes } from 'node:crypto';
import { parseTokenKind, tokenHash } from '../../access/tokens.ts';
import { responseObject, Type, type Static } from '../../platform/core/schema.ts';
import { compileCheck } from '../../platform/core/validate.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../../platform/db/sql.ts';
import type { Administrator } from '../../settings/adminChange.ts';
import { createAgent, listAgents, rotateAgent } from '../../settings/agents.ts';
import { createAppKey, listAppKeys, rotateAppKey } from '../../settings/appKeys.ts';
import { hashPassword } from '../../settings/passwords.ts';
import { updatePerson } from '../../settings/people.ts';
import { lockDemo } from './setUp.ts';
import type { DemoWorld } from './types.ts';

/** The content of `.data/access.json`, for the commands, clients and tests of this checkout. */
const accessSchema = responseObject({
  baseUrl: Type.String(),
  agents: responseObject({ admin: Type.String(), operator: Type.String(), viewer: Type.String() }),
  people: Type.Array(responseObject({ email: Type.String(), password: Type.String(), role: Type.String() })),
  appKey: Type.String(),
});
export type DemoAccess = Static<typeof accessSchema>;
export const parseAccess = compileCheck(accessSchema);

const appKeyName = 'Demo app';
const agentRoles = ['admin', 'operator', 'viewer'] as const;
type AgentRole = (typeof agentRoles)[number];

const agentHolds = statement(
  'demo.agentHolds',
  `
  select from tokens t join agents a on a.id = t.principal join roles r on r.id = a.role
  where t.hash = $1 and t.kind = 'agent' and coalesce(least(t.expires_at, a.expires_at) > $2::bigint, true) and a.revoked_at is null
    and ($3 = any(a.environments) or '*' = any(a.environments)) and r.name = $4`,
);
const appKeyHolds = statement(
  'demo.appKeyHolds',
  `
  select from tokens t join app_keys k on k.id = t.principal join environments e on e.id = k.env
  where t.hash = $1 and t.kind = 'app' and coalesce(t.expires_at > $2::bigint, true) and k.revoked_at is null and e.name = $3`,
);
/** Selects the first person of each role, in the order of the demo's list. */
const findPeople = statement(
  'demo.people',
  `
  select * from (
    select distinct on (r.id) p.id, p.email, p.password_hash is null as fresh, r.name as role, array_position($1::text[], p.email) as place
    from people p join roles r on r.id = p.role where p.email = any($1::text[]) and p.removed_at is null
    order by r.id, place) found
  order by place`,
);

interface PersonRow {
  readonly id: string;
  readonly email: string;
  /** Whether they have no password yet. */
  readonly fresh: boolean;
  readonly role: string;
}

interface AccessOptions {
  readonly environment: string;
  readonly world: DemoWorld;
  readonly baseUrl: string;
  /** The credentials of an earlier load; null: none. */
  readonly known: DemoAccess | null;
}

/** The known credentials that are still valid; null in place of the others. */
interface Held {
  readonly agents: Readonly<Record<AgentRole, string | null>>;
  readonly appKey: string | null;
  readonly people: readonly (PersonRow & { readonly password: string | null })[];
}

const holding = async (db: Db, at: number, { environment, world, known }: AccessOptions): Promise<Held> => {
  const agent = async (role: AgentRole): Promise<string | null> => {
    const token = known?.agents[role] ?? '';
    return parseTokenKind(token) === 'agent' &&
      (await queryRow(db, agentHolds, [tokenHash(token), at, environment, role])) !== undefined
      ? token
      : null;
  };
  const key = known?.appKey ?? '';
  const keyHolds =
    parseTokenKind(key) === 'app' && (await queryRow(db, appKeyHolds, [tokenHash(key), at, environment])) !== undefined;
  const agents = { admin: await agent('admin'), operator: await agent('operator'), viewer: await agent('viewer') };
  const appKey = keyHolds ? key : null;
  // A valid token proves that the known credentials are of this database. Then only people without a password get one: any
  // other may have been changed on purpose since.
  const ours = appKey !== null || Object.values(agents).some((token) => token !== null);
  const told = new Map(ours ? known?.people.map(({ email, password }) => [email, password]) : []);
  const people = await queryRows<PersonRow>(db, findPeople, [world.people.map(({ email }) => email)]);
  const named = people.map((person) => ({ ...person, password: told.get(person.email) ?? null }));
  return { agents, appKey, people: named.filter(({ password, fresh }) => !ours || fresh || password !== null) };
};

const agentToken = async (
  tx: Tx,
  admin: Administrator,
  { environment, world }: AccessOptions,
  wanted: AgentRole,
): Promise<string> => {
  const name = world.agents.find(({ role }) => role === wanted)?.name ?? `Demo ${wanted}`;
  const known = (await listAgents(tx)).find(
    (agent) =>
      agent.name === name &&
      agent.role.name === wanted &&
      agent.environments.includes(environment) &&
      (agent.expiresAt ?? Infinity) > admin.at,
  );
  const { token } =
    known === undefined
      ? await createAgent(tx, admin, { name, role: wanted }, [environment])
      : await rotateAgent(tx, admin, known.id, 0);
  return token;
};

const appKeyToken = async (tx: Tx, admin: Administrator, environment: string): Promise<string> => {
  const known = (await listAppKeys(tx)).find((key) => key.name === appKeyName && key.environment === environment);
  const { token } =
    known === undefined
      ? await createAppKey(tx, admin, { name: appKeyName }, environment)
      : await rotateAppKey(tx, admin, known.id, 0);
  return token;
};

/** A renewal in progress; `finish` ends it, so that other work can run while passwords are hashed. */
interface Renewal {
  /** Writes what is missing, in a transaction of its own, and returns all credentials. */
  finish(): Promise<DemoAccess>;
}

interface NewPassword {
  readonly person: PersonRow;
  readonly password: string;
  readonly hash: string | null;
}

/** Returns each person's password: the known one, or a new one with its hash, the same for all, as a hash takes a third of a second. */
const passwordsOf = async (people: Held['people']): Promise<NewPassword[]> => {
  const fresh = randomBytes(12).toString('base64url');
  const hash = people.some(({ password }) => password === null) ? await hashPassword(fresh) : null;
  return people.map(({ password, ...person }) =>
    password === null ? { person, password: fresh, hash } : { person, password, hash: null },
  );
};

/** Begins to renew the credentials: valid ones are kept, the others get new ones in their place. */
export const renewAccess = async (db: Db, admin: Administrator, options: AccessOptions): Promise<Renewal> => {
  const held = await holding(db, admin.at, options);
  const passwords = passwordsOf(held.people);
  const { agents, appKey } = await db.transaction(async (tx) => {
    await lockDemo(tx);
    const agent = async (role: AgentRole): Promise<string> =>
      held.agents[role] ?? (await agentToken(tx, admin, options, role));
    return {
      agents: { admin: await agent('admin'), operator: await agent('operator'), viewer: await agent('viewer') },
      appKey: held.appKey ?? (await appKeyToken(tx, admin, options.environment)),
    };
  });
  return {
    finish: async () => {
      const people = await passwords;
      await db.transaction(async (tx) => {
        for (const { person, hash } of people)
          if (hash !== null) await updatePerson(tx, admin, person.id, { passwordHash: hash });
      });
      return {
        baseUrl: options.baseUrl,
        agents,
        people: people.map(({ person: { email, role }, password }) => ({ email, password, role })),
        appKey,
      };
    },
  };
};
