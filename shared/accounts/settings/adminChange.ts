/**
 * Shared parts of all changes of roles, principals and environments: the administrator, the audit entry in the same
 * transaction, the revision that makes every process reload its directory, and tokens. Used by the settings endpoints,
 * the admin command and the demo.
 */
import { fault, invalidAt } from '../../catalogue/errors.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../../platform/db/sql.ts';
import { actorValues, change, event, writeChange } from '../../platform/journal/changeWriter.ts';
import { channels, type Bus } from '../../platform/redis/bus.ts';
import { includesEnvironment, toActorRef, type Caller } from '../access/principal.ts';
import { newToken, tokenHash, type PrincipalKind } from '../access/tokens.ts';
import { recordRightsChange } from './independence.ts';

/** Who makes a change, when, and where it is audited. */
export interface Administrator {
  readonly by: ActorRef;
  readonly role: string | null;
  /** The environment of the request; null: the admin command has none. */
  readonly env: number | null;
  /** Names of the environments that they have access to, or `*`; they can't give access to others. */
  readonly reach: readonly string[];
  readonly requestId: string | null;
  readonly address: string | null;
  readonly reason?: string | null;
  readonly at: number;
}

/** Returns the caller of a settings endpoint as administrator. `at`: epoch milliseconds. */
export const toAdministrator = (
  { env, principal, requestId, address, reason = null }: Caller,
  at: number,
): Administrator => ({
  by: toActorRef(principal),
  role: principal.role?.name ?? null,
  env: env.id,
  reach: principal.environments,
  requestId,
  address,
  reason,
  at,
});

/** Returns an administrator with all environments, for programs with access to the database: the admin command, the demo's loader. */
export const systemAdministrator = (name: string, at: number): Administrator => ({
  by: { type: 'system', id: null, name },
  role: null,
  env: null,
  reach: ['*'],
  requestId: null,
  address: null,
  at,
});

/** A change as the audit log has it, without any credential. */
interface AdminChange {
  readonly verb: string;
  readonly target: { readonly type: string; readonly id: string };
  /** Names of the environments that the change acts on, or `*`; each gets the entry, as does that of the request. */
  readonly environments: readonly string[];
  readonly before: object | null;
  readonly after: object | null;
}

const auditChange = change('administer.audit', {
  happened: event(
    {
      env: 'e.id',
      verb: '$verb',
      target_type: '$type',
      target: '$id',
      before: '$before::jsonb',
      after: '$after::jsonb',
    },
    {
      from: 'environments e',
      where: "e.id = $env::int or '*' = any($environments::text[]) or e.name = any($environments::text[])",
    },
  ),
});
const raiseRevisionSql = statement('administer.raise', 'update revisions set n = n + 1 where id = 1');
const revisionSql = statement('administer.revision', 'select n from revisions where id = 1');

/** Raises the revision, which makes every process reload its directory. Called last in a transaction, as it locks the only revision row. */
export const raiseRevision = async (tx: Tx): Promise<void> => {
  await executeStatement(tx, raiseRevisionSql);
};

/** Inserts the audit entries of a change and raises the revision. Called last in a transaction, as it locks the only revision row. */
export const recordAdminChange = async (
  tx: Tx,
  admin: Administrator,
  { verb, target, environments, before, after }: AdminChange,
): Promise<void> => {
  const { by, role, requestId, address, reason = null } = admin;
  await writeChange(tx, auditChange, {
    env: admin.env,
    environments,
    at: admin.at,
    verb,
    ...target,
    before,
    after: reason === null ? after : { ...after, reason },
    ...actorValues({ ...by, role, requestId, address }),
  });
  const actor = by.type === 'person' ? by.id : null;
  await recordRightsChange(tx, { verb, target: target.id, actor, at: admin.at });
  await raiseRevision(tx);
};

/** Runs `work` in a transaction, returns its result, and after the commit sends the wake signal that makes every process reload. */
export const runAdminChange = async <T>(
  db: Db,
  bus: Pick<Bus, 'publish'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> => {
  const { result, revision } = await db.transaction(async (tx) => {
    const done = await work(tx);
    return { result: done, revision: (await queryRow<{ n: number }>(tx, revisionSql))?.n ?? 0 };
  });
  bus.publish(channels.revision, String(revision));
  return result;
};

const findRole = statement('administer.role', 'select id, name from roles where id = $1 or name = $1 for key share');

export interface RoleRef {
  readonly id: string;
  readonly name: string;
}

/** Returns the role of an id or a name, locked against deletion until the transaction ends. Throws `invalid` for an unknown one. */
export const lockRole = async (tx: Tx, given: string): Promise<RoleRef> => {
  const role = await queryRow<RoleRef>(tx, findRole, [given]);
  if (role === undefined) throw invalidAt('role', `there is no role ${JSON.stringify(given)}`);
  return role;
};

const existingEnvironmentsSql = statement(
  'administer.environments',
  'select name from environments where name = any($1)',
);

const reachesEverything = ({ reach }: Administrator): boolean => reach.includes('*');

const beyondReachSql = statement(
  'administer.beyondReach',
  'select 1 as found from environments where name <> all($1) limit 1',
);

/** Throws `forbidden` unless the administrator has access to all environments: for what they share. */
export const requireWholeReach = async (tx: Tx, admin: Administrator): Promise<void> => {
  if (reachesEverything(admin) || (await queryRow(tx, beyondReachSql, [admin.reach])) === undefined) return;
  throw fault('forbidden', 'Roles are shared by all environments; only who has access to all of them may change them.');
};

/**
 * Returns the given environment names, each once, or `*` alone. Throws `invalid` for one that doesn't exist, and the same
 * for one that the administrator has no access to.
 */
export const resolveEnvironmentNames = async (
  tx: Tx,
  admin: Administrator,
  given: readonly string[],
): Promise<string[]> => {
  if (given.includes('*')) {
    if (given.length > 1) throw invalidAt('environments', 'must be "*" alone, or names');
    if (!reachesEverything(admin))
      throw invalidAt('environments.0', 'must be environments that you have access to, by name');
    return ['*'];
  }
  const found = await queryRows<{ name: string }>(tx, existingEnvironmentsSql, [given]);
  const unknown = given.findIndex(
    (name) => !includesEnvironment(admin.reach, name) || !found.some((environment) => environment.name === name),
  );
  if (unknown !== -1)
    throw invalidAt(`environments.${String(unknown)}`, `there is no environment ${JSON.stringify(given[unknown])}`);
  return [...new Set(given)];
};

interface EnvironmentScope {
  readonly environments: readonly string[];
}

/** Returns whether the administrator sees a principal with these environments: at least one of them is theirs too. */
export const sharesReach = ({ reach }: Pick<Administrator, 'reach'>, { environments }: EnvironmentScope): boolean =>
  environments.includes('*') || environments.some((name) => includesEnvironment(reach, name));

/**
 * Prevents administrators from taking over a principal with more access than their own. Throws `not_found` for a principal
 * that they don't see, `forbidden` for one with access to environments that are not theirs.
 */
export const requireReach = (admin: Administrator, thing: EnvironmentScope): void => {
  if (reachesEverything(admin)) return;
  if (!sharesReach(admin, thing)) throw fault('not_found');
  if (!thing.environments.every((name) => includesEnvironment(admin.reach, name)))
    throw fault('forbidden', 'It has access to environments that you have none to.');
};

const insertToken = statement(
  'administer.token',
  'insert into tokens (hash, kind, principal, created_at) values ($1, $2, $3, $4)',
);
const deleteTokensSql = statement('administer.dropTokens', 'delete from tokens where principal = $1');
const voidLinksSql = statement('administer.voidLinks', 'delete from password_links where person = $1');
const endTokens = statement(
  'administer.endTokens',
  `
  update tokens set expires_at = least(coalesce(expires_at, $2::bigint), $2::bigint) where principal = $1`,
);

/** Inserts a new token and returns it. Only its hash is stored, so that it can't be shown a second time. */
export const issueToken = async (tx: Tx, kind: PrincipalKind, principal: string, at: number): Promise<string> => {
  const token = newToken(kind);
  await executeStatement(tx, insertToken, [tokenHash(token), kind, principal, at]);
  return token;
};

/** Deletes the links by which a person could set their password. */
export const voidLinks = async (tx: Tx, person: string): Promise<void> => {
  await executeStatement(tx, voidLinksSql, [person]);
};

/** Deletes every token and session of a principal, and a person's links to set their password. */
export const deleteTokens = async (tx: Tx, principal: string): Promise<void> => {
  await executeStatement(tx, deleteTokensSql, [principal]);
  await voidLinks(tx, principal);
};

/** Returns a new token. The old ones expire after `grace` milliseconds, or earlier if they would have. */
export const replaceToken = async (
  tx: Tx,
  kind: 'agent' | 'app',
  principal: string,
  { at, grace }: { at: number; grace: number },
): Promise<string> => {
  if (grace === 0) await deleteTokens(tx, principal);
  else await executeStatement(tx, endTokens, [principal, at + grace]);
  return issueToken(tx, kind, principal, at);
};
