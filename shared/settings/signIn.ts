/** Signs people in and out, and makes sessions fresh by the password. For api/routes/signIn.ts. */
import { includesEnvironment, type Caller } from '../access/principal.ts';
import { newToken, tokenHash } from '../access/tokens.ts';
import { fault, type ErrorCode } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { actorParameters, actorValues, eventInsert } from '../platform/journal/events.ts';
import { recordAdminChange, runAdminChange, toAdministrator } from './adminChange.ts';
import type { DomainDeps } from './deps.ts';
import { verifyPassword } from './passwords.ts';
import { normalizeEmail, readPerson, type PersonView } from './people.ts';
import { clearSignInFailures, throttleSignIn, type SignInAttempt } from './signInThrottle.ts';

interface Account {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly environments: readonly string[];
  readonly hash: string | null;
}

const account = `
  select p.id, p.email, p.name, r.name as role, p.environments, p.password_hash as hash
  from people p join roles r on r.id = p.role where p.removed_at is null`;
const byEmail = statement('signIn.byEmail', `${account} and p.email = $1`);
const byId = statement('signIn.byId', `${account} and p.id = $1`);
/** Locks the person until the session is written, as a new password or a removal must find and delete it. */
const lockPersonSql = statement(
  'signIn.hold',
  'select from people where id = $1 and password_hash = $2 and removed_at is null for share',
);
const insertSessionSql = statement(
  'signIn.open',
  `
  insert into tokens (hash, kind, principal, expires_at, fresh_until, created_at) values ($1, 'person', $2, $3, $4, $5)`,
);
const dropExpired = statement('signIn.dropExpired', 'delete from tokens where principal = $1 and expires_at <= $2');
const refreshSessionSql = statement('signIn.renew', 'update tokens set fresh_until = $2 where hash = $1');
const deleteSessionSql = statement('signIn.close', 'delete from tokens where hash = $1');
/** Inserts the audit entry in the environment of the path or, when that doesn't exist, in those of the person. */
const insertSignInAuditSql = statement(
  'signIn.audit',
  eventInsert(
    {
      env: 'e.id',
      at: '$3::bigint',
      verb: "'person.signIn'",
      target_type: "'person'",
      target: '$4',
      outcome: '$5',
      after: '$6::jsonb',
      ...actorParameters(7),
    },
    {
      from: 'environments e',
      where: "case when $1::int is null then '*' = any($2::text[]) or e.name = any($2::text[]) else e.id = $1::int end",
    },
  ),
);

interface SignInRequest extends SignInAttempt {
  readonly password: string;
  /** The environment of the path, which may not exist. */
  readonly environment: string;
  readonly requestId: string;
}

interface SignInResult {
  readonly token: string;
  readonly person: PersonView;
  readonly expiresAt: number;
}

type SignInDeps = Pick<DomainDeps, 'db' | 'bus' | 'clock' | 'directory'>;

const insertSignInAudit = async (
  tx: Tx | SignInDeps['db'],
  { directory, clock }: SignInDeps,
  given: SignInRequest,
  { found, code }: { found: Account | undefined; code: ErrorCode | null },
): Promise<void> => {
  const env = directory.environment(given.environment)?.id ?? null;
  // A failed sign-in proves nothing but the address that was typed, so the entry names no person.
  const { id, name, role } =
    found === undefined || code === 'unauthorized'
      ? { id: null, name: normalizeEmail(given.email), role: null }
      : found;
  const after = code === null ? null : JSON.stringify({ code });
  await executeStatement(tx, insertSignInAuditSql, [
    env,
    found?.environments ?? [],
    clock.now(),
    found?.id ?? null,
    code === null ? 'ok' : 'denied',
    after,
    ...actorValues({ type: 'person', id, name, role, requestId: given.requestId, address: given.address }),
  ]);
};

const wrongPasswordFault = () => fault('unauthorized', 'The e-mail address or the password is wrong.');

/**
 * Opens a session for an address and its password. Throws `unauthorized`, in the same time whether the address exists or
 * not; `not_found` for an environment that the person has no access to; `rate_limited` for too many failures.
 */
export const signIn = async (tools: SignInDeps, given: SignInRequest): Promise<SignInResult> => {
  const { db, clock, directory } = tools;
  await throttleSignIn(db, given, clock.now());
  const found = await queryRow<Account>(db, byEmail, [normalizeEmail(given.email)]);
  const isRight = await verifyPassword(given.password, found?.hash ?? null);
  if (!isRight || found === undefined || found.hash === null) {
    await insertSignInAudit(db, tools, given, { found, code: 'unauthorized' });
    throw wrongPasswordFault();
  }
  const { id, hash, environments } = found;
  const env = directory.environment(given.environment);
  if (env === undefined || !includesEnvironment(environments, env.name)) {
    await insertSignInAudit(db, tools, given, { found, code: 'not_found' });
    throw fault('not_found');
  }
  const at = clock.now();
  const token = newToken('person');
  const expiresAt = at + limits.sessionMs;
  const person = await db.transaction(async (tx) => {
    if ((await executeStatement(tx, lockPersonSql, [id, hash])) === 0) throw wrongPasswordFault();
    await executeStatement(tx, dropExpired, [id, at]);
    await executeStatement(tx, insertSessionSql, [tokenHash(token), id, expiresAt, at + limits.freshMs, at]);
    await clearSignInFailures(tx, given);
    await insertSignInAudit(tx, tools, given, { found, code: null });
    return readPerson(tx, id);
  });
  return { token, person, expiresAt };
};

interface OwnSession {
  readonly caller: Caller;
  /** SHA-256 of its token, base64. */
  readonly credential: string;
}

const endSession = (
  tools: SignInDeps,
  { caller, credential }: OwnSession,
  verb: string,
  work: (tx: Tx, hash: Buffer) => Promise<number>,
): Promise<void> => {
  const id = caller.principal.id ?? '';
  return runAdminChange(tools.db, tools.bus, async (tx) => {
    if ((await work(tx, Buffer.from(credential, 'base64'))) === 0) throw fault('unauthorized');
    const environments = [caller.env.name];
    await recordAdminChange(tx, toAdministrator(caller, tools.clock.now()), {
      verb,
      target: { type: 'person', id },
      environments,
      before: null,
      after: null,
    });
  });
};

/** Makes a session fresh and returns until when. Throws `forbidden` for a wrong password, not `unauthorized`, as the session stays valid. */
export const refreshSignIn = async (tools: SignInDeps, session: OwnSession, password: string): Promise<number> => {
  const { db, clock } = tools;
  const { principal, address } = session.caller;
  const found = await queryRow<Account>(db, byId, [principal.id]);
  if (found === undefined) throw fault('unauthorized');
  const attempt = { email: found.email, address };
  await throttleSignIn(db, attempt, clock.now());
  if (!(await verifyPassword(password, found.hash))) throw fault('forbidden', 'The password is wrong.');
  const until = clock.now() + limits.freshMs;
  await endSession(tools, session, 'person.freshSignIn', async (tx, hash) => {
    const locked = found.hash === null ? 0 : await executeStatement(tx, lockPersonSql, [found.id, found.hash]);
    await clearSignInFailures(tx, attempt);
    return locked === 0 ? 0 : executeStatement(tx, refreshSessionSql, [hash, until]);
  });
  return until;
};

/** Ends a session in all environments. */
export const signOut = (tools: SignInDeps, session: OwnSession): Promise<void> =>
  endSession(tools, session, 'person.signOut', (tx, hash) => executeStatement(tx, deleteSessionSql, [hash]));
