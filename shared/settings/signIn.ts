/** Signs people in and out, and makes sessions fresh by the password. For api/routes/signIn.ts. */
import { includesEnvironment, type Caller } from '../access/principal.ts';
import { newToken, tokenHash } from '../access/tokens.ts';
import { fault, type ErrorCode } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Tx } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import { actorParameters, actorValues, eventInsert } from '../platform/journal/events.ts';
import { findAccount, lockAccount, readAccount, verifyAttempt, type Account } from './accounts.ts';
import { recordAdminChange, runAdminChange, toAdministrator } from './adminChange.ts';
import type { DomainDeps } from './deps.ts';
import { newBrowserToken, readBrowserToken } from './knownBrowser.ts';
import { idleSince } from './ownSessions.ts';
import { readPerson, type PersonView } from './people.ts';
import { clearSignInFailures, typedEmailDigest } from './signInThrottle.ts';

const insertSessionSql = statement(
  'signIn.open',
  `
  insert into tokens (hash, kind, principal, expires_at, fresh_until, created_at, last_used_at, address)
  values ($1, 'person', $2, $3, $4, $5, $5, $6)`,
);
const dropExpired = statement(
  'signIn.dropExpired',
  'delete from tokens where principal = $1 and (expires_at <= $2 or coalesce(last_used_at, created_at) <= $3)',
);
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

interface SignInRequest {
  readonly email: string;
  readonly password: string;
  /** The environment of the path, which may not exist. */
  readonly environment: string;
  readonly requestId: string;
  readonly address: string | null;
  /** The token of the client's browser (knownBrowser.ts); null: none. */
  readonly browser: string | null;
}

interface SignInResult {
  readonly token: string;
  readonly person: PersonView;
  readonly expiresAt: number;
  /** The token by which the browser is known the next time. */
  readonly browser: string;
}

type SignInDeps = Pick<DomainDeps, 'db' | 'bus' | 'clock' | 'config' | 'directory'>;

const insertSignInAudit = async (
  tx: Tx | SignInDeps['db'],
  { directory, clock }: SignInDeps,
  given: SignInRequest,
  { found, code }: { found: Account | undefined; code: ErrorCode | null },
): Promise<void> => {
  const env = directory.environment(given.environment)?.id ?? null;
  // A failed sign-in proves nothing, and what was typed may be anything, so the entry names no person.
  const { id, name, role } =
    found === undefined || code === 'unauthorized'
      ? { id: null, name: typedEmailDigest(given.email), role: null }
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
  const { email, address } = given;
  const found = await findAccount(db, email);
  const browser = readBrowserToken(given.browser, found, clock.now());
  const attempt = { email, address, known: browser === null ? null : `browser:${browser}` };
  const tried = { password: given.password, hash: found?.hash ?? null };
  const { isRight, counted } = await verifyAttempt(db, attempt, tried, clock.now());
  if (!isRight || found === undefined) {
    await insertSignInAudit(db, tools, given, { found, code: 'unauthorized' });
    throw wrongPasswordFault();
  }
  const env = directory.environment(given.environment);
  if (env === undefined || !includesEnvironment(found.environments, env.name)) {
    await insertSignInAudit(db, tools, given, { found, code: 'not_found' });
    throw fault('not_found');
  }
  const at = clock.now();
  const token = newToken('person');
  const expiresAt = at + limits.sessionMs;
  const person = await db.transaction(async (tx) => {
    if (!(await lockAccount(tx, found))) throw wrongPasswordFault();
    await executeStatement(tx, dropExpired, [found.id, at, idleSince(tools.config, at)]);
    await executeStatement(tx, insertSessionSql, [
      tokenHash(token),
      found.id,
      expiresAt,
      at + limits.freshMs,
      at,
      address,
    ]);
    await clearSignInFailures(tx, counted);
    await insertSignInAudit(tx, tools, given, { found, code: null });
    return readPerson(tx, found.id);
  });
  return { token, person, expiresAt, browser: newBrowserToken(found, at) };
};

interface OwnSession {
  readonly caller: Caller;
  /** SHA-256 of its token, base64. */
  readonly credential: string;
}

const changeOwnSession = (
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
  const account = await readAccount(db, principal.id);
  const attempt = { email: account.email, address, known: `session:${session.credential}` };
  const { isRight, counted } = await verifyAttempt(db, attempt, { password, hash: account.hash }, clock.now());
  if (!isRight) throw fault('forbidden', 'The password is wrong.');
  const until = clock.now() + limits.freshMs;
  await changeOwnSession(tools, session, 'person.freshSignIn', async (tx, hash) => {
    const locked = await lockAccount(tx, account);
    await clearSignInFailures(tx, counted);
    return locked ? executeStatement(tx, refreshSessionSql, [hash, until]) : 0;
  });
  return until;
};

/** Ends a session in all environments. */
export const signOut = (tools: SignInDeps, session: OwnSession): Promise<void> =>
  changeOwnSession(tools, session, 'person.signOut', (tx, hash) => executeStatement(tx, deleteSessionSql, [hash]));
