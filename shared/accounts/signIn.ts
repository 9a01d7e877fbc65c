/** Signs people in and out, and makes sessions fresh by the password. For api/routes/signIn.ts. */
import { fault, type ErrorCode } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Tx } from '../platform/db/knex.ts';
import { executeStatement, statement } from '../platform/db/sql.ts';
import type { Caller } from './access/principal.ts';
import { findAccount, lockAccount, readAccount, verifyAttempt, type Account } from './accounts.ts';
import type { DomainDeps } from './deps.ts';
import { environmentsOf, everyEnvironment, openSession, renewSession } from './openSession.ts';
import { recordAdminChange, runAdminChange, toAdministrator } from './settings/adminChange.ts';
import { readPerson, type PersonView } from './settings/people.ts';
import { insertSignInAudit, type SignInAttemptPlace } from './signInAudit.ts';
import {
  countRefusedSignIn,
  newBrowserToken,
  readBrowserToken,
  clearSignInFailures,
  typedEmailDigest,
} from './signInThrottle.ts';

const deleteSessionSql = statement('signIn.close', 'delete from tokens where hash = $1');
interface SignInRequest extends SignInAttemptPlace {
  readonly email: string;
  readonly password: string;
  /** The token of the client's browser (signInThrottle.ts); null: none. */
  readonly browser: string | null;
}

export interface SignInResult {
  readonly token: string;
  readonly person: PersonView;
  /** Those of the person. */
  readonly environments: readonly string[];
  readonly expiresAt: number;
  /** The token by which the browser is known the next time. */
  readonly browser: string;
}

export type SignInDeps = Pick<DomainDeps, 'db' | 'bus' | 'clock' | 'config' | 'directory'>;

const auditSignIn = (
  tx: Tx | SignInDeps['db'],
  { directory, clock }: SignInDeps,
  given: SignInRequest,
  { found, code }: { found: Account | undefined; code: ErrorCode | null },
): Promise<void> => {
  // A failed sign-in proves nothing, and what was typed may be anything, so the entry names no person.
  const actor =
    found === undefined || code === 'unauthorized'
      ? { id: null, name: typedEmailDigest(given.email), role: null }
      : { id: found.id, name: found.name, role: found.role };
  return insertSignInAudit(tx, directory, given, {
    at: clock.now(),
    found,
    actor,
    refusal: code === null ? null : { code },
  });
};

const wrongPasswordFault = () => fault('unauthorized', 'The e-mail address or the password is wrong.');

/** Throws `forbidden` where people sign in by the provider alone. */
export const requirePasswordSignIn = ({ config }: SignInDeps): void => {
  if (config.passwordSignIn) return;
  countRefusedSignIn('password_off');
  throw fault('forbidden', 'Nobody signs in by password here: GET /sign-in/methods says how people do.');
};

/**
 * Opens a session for an address and its password. Throws `unauthorized`, in the same time whether the address exists or
 * not; `not_found` for an environment that the person has no access to; `rate_limited` for too many failures; `forbidden` where
 * passwords are not taken.
 */
export const signIn = async (tools: SignInDeps, given: SignInRequest): Promise<SignInResult> => {
  requirePasswordSignIn(tools);
  const { db, clock } = tools;
  const { email, address } = given;
  const found = await findAccount(db, email);
  const browser = readBrowserToken(given.browser, found, clock.now());
  const attempt = { email, password: given.password, address, known: browser === null ? null : `browser:${browser}` };
  const { isRight, counted } = await verifyAttempt(db, attempt, found?.hash ?? null, clock.now());
  if (!isRight || found === undefined) {
    await auditSignIn(db, tools, given, { found, code: 'unauthorized' });
    throw wrongPasswordFault();
  }
  const environments = environmentsOf(tools, found.environments);
  const isIn =
    given.environment === everyEnvironment ? environments.length > 0 : environments.includes(given.environment);
  if (!isIn) {
    countRefusedSignIn('no_access');
    await auditSignIn(db, tools, given, { found, code: 'not_found' });
    throw fault('not_found');
  }
  const at = clock.now();
  return db.transaction(async (tx) => {
    if (!(await lockAccount(tx, found))) throw wrongPasswordFault();
    const session = { person: found.id, at, freshUntil: at + limits.freshMs, address };
    const opened = await openSession(tx, tools.config, session);
    await clearSignInFailures(tx, counted);
    await auditSignIn(tx, tools, given, { found, code: null });
    return { ...opened, person: await readPerson(tx, found.id), environments, browser: newBrowserToken(found, at) };
  });
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
  requirePasswordSignIn(tools);
  const { db, clock } = tools;
  const { principal, address } = session.caller;
  const account = await readAccount(db, principal.id);
  const attempt = { email: account.email, password, address, known: `session:${session.credential}` };
  const { isRight, counted } = await verifyAttempt(db, attempt, account.hash, clock.now());
  if (!isRight) throw fault('forbidden', 'The password is wrong.');
  const until = clock.now() + limits.freshMs;
  await changeOwnSession(tools, session, 'person.freshSignIn', async (tx, hash) => {
    const locked = await lockAccount(tx, account);
    await clearSignInFailures(tx, counted);
    return locked ? renewSession(tx, hash, until) : 0;
  });
  return until;
};

/** Ends a session in all environments. */
export const signOut = (tools: SignInDeps, session: OwnSession): Promise<void> =>
  changeOwnSession(tools, session, 'person.signOut', (tx, hash) => executeStatement(tx, deleteSessionSql, [hash]));
