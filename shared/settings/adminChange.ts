/**
 * What every change of roles, principals and environments shares: who makes it, its audit entry in the same transaction,
 * the revision by which each process learns of it, and tokens. Used by the settings endpoints, the admin command and the demo.
 */
import { actorParameters, actorValues, eventInsert } from '../platform/journal/events.ts';
import { fault, invalidAt } from '../catalogue/errors.ts';
import type { ActorRef } from '../catalogue/events.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, queryRows, executeStatement, statement } from '../platform/db/sql.ts';
import { channels, type Bus } from '../platform/redis/bus.ts';
import { toActorRef, includesEnvironment, type Caller } from '../access/principal.ts';
import { newToken, tokenHash, type PrincipalKind } from '../access/tokens.ts';

/** Who makes a change, when, and where it is audited. */
export interface Administrator {
  readonly by: ActorRef;
  readonly role: string | null;
  /** The environment of the request; null (the admin command has none): every environment that the change concerns. */
  readonly env: number | null;
  /** Names of the environments that they have access to, or `*`: nobody hands on more than their own. */
  readonly reach: readonly string[];
  readonly requestId: string | null;
  readonly address: string | null;
  readonly at: number;
}

export const toAdministrator = ({ env, principal, requestId, address }: Caller, at: number): Administrator => ({
  by: toActorRef(principal),
  role: principal.role?.name ?? null,
  env: env.id,
  reach: principal.environments,
  requestId,
  address,
  at,
});

/** Whoever may reach the database: the admin command, the demo's loader. */
export const systemAdministrator = (name: string, at: number): Administrator => ({
  by: { type: 'system', id: null, name },
  role: null,
  env: null,
  reach: ['*'],
  requestId: null,
  address: null,
  at,
});

/** A change as the audit log tells it. Never with a credential in it. */
interface AdminChange {
  readonly verb: string;
  readonly target: { readonly type: string; readonly id: string };
  /** Names of the environments that it concerns, or `*`. */
  readonly environments: readonly string[];
  readonly before: object | null;
  readonly after: object | null;
}

/** In SQL: whether `e` is the environment of $1 or, when that is null, one of those named in $2. */
export const auditedEnvironmentsSql =
  "case when $1::int is null then '*' = any($2::text[]) or e.name = any($2::text[]) else e.id = $1::int end";

const insertAuditSql = statement(
  'administer.audit',
  eventInsert(
    {
      env: 'e.id',
      at: '$3::bigint',
      verb: '$4',
      target_type: '$5',
      target: '$6',
      before: '$7::jsonb',
      after: '$8::jsonb',
      ...actorParameters(9),
    },
    { from: 'environments e', where: auditedEnvironmentsSql },
  ),
);
const raiseRevisionSql = statement('administer.raise', 'update revisions set n = n + 1 where id = 1');
const revisionSql = statement('administer.revision', 'select n from revisions where id = 1');

/** Audits a change and raises the revision; the last thing in its transaction, as it locks the one revision row. */
export const recordAdminChange = async (
  tx: Tx,
  admin: Administrator,
  { verb, target, environments, before, after }: AdminChange,
): Promise<void> => {
  const json = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
  await executeStatement(tx, insertAuditSql, [
    admin.env,
    environments,
    admin.at,
    verb,
    target.type,
    target.id,
    json(before),
    json(after),
    ...actorValues({ ...admin.by, role: admin.role, requestId: admin.requestId, address: admin.address }),
  ]);
  await executeStatement(tx, raiseRevisionSql);
};

/** Does `work` in a transaction and, once that has committed, tells every process to look. */
export const runAdminChange = async <T>(
  db: Db,
  bus: Pick<Bus, 'publish'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> => {
  const { answer, revision } = await db.transaction(async (tx) => {
    const done = await work(tx);
    return { answer: done, revision: (await queryRow<{ n: number }>(tx, revisionSql))?.n ?? 0 };
  });
  bus.publish(channels.revision, String(revision));
  return answer;
};

const findRole = statement('administer.role', 'select id, name from roles where id = $1 or name = $1 for key share');

export interface RoleRef {
  readonly id: string;
  readonly name: string;
}

/** The role of an id or a name, which can't be deleted before this transaction has ended. */
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

/**
 * Environments by name, each once, or `*` alone; `400 invalid` for one that doesn't exist or that the administrator has
 * no access to, which is the same to them.
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

/** Whether what reaches those environments is there for the administrator: one of them is theirs too. */
export const sharesReach = ({ reach }: Pick<Administrator, 'reach'>, { environments }: EnvironmentScope): boolean =>
  environments.includes('*') || environments.some((name) => includesEnvironment(reach, name));

/**
 * Whoever takes over what reaches further than they do reaches further themselves. Throws `404` for what isn't there for
 * them, `403` for what reaches environments that are not theirs too.
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
const endTokens = statement(
  'administer.endTokens',
  `
  update tokens set expires_at = least(coalesce(expires_at, $2::bigint), $2::bigint) where principal = $1`,
);

/** A new token, which is told once: only its hash is kept. */
export const issueToken = async (tx: Tx, kind: PrincipalKind, principal: string, at: number): Promise<string> => {
  const token = newToken(kind);
  await executeStatement(tx, insertToken, [tokenHash(token), kind, principal, at]);
  return token;
};

/** Ends every token and session of a principal at once. */
export const deleteTokens = async (tx: Tx, principal: string): Promise<void> => {
  await executeStatement(tx, deleteTokensSql, [principal]);
};

/** A new token; the old ones go on working for `grace` ms, never longer than they would have. */
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
