/** People sign in: a session for an e-mail address and its password, kept fresh by the password, ended by signing out. */
import { fault, type ErrorCode } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import type { Tx } from '../platform/db/knex.ts';
import { row, run, statement } from '../platform/db/sql.ts';
import type { DomainDeps } from './deps.ts';
import { administered, administratorOf, settle } from './administer.ts';
import { verifyPassword } from './passwords.ts';
import { emailKey, readPerson, type PersonView } from './people.ts';
import { inEnvironment, type Caller } from '../access/principal.ts';
import { newToken, tokenHash } from '../access/tokens.ts';
import { forgiveTry, takeTry, type Tried } from './tries.ts';

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
/** Held until the session is written: a new password or a removal in the meantime would have to end it. */
const hold = statement('signIn.hold', 'select from people where id = $1 and password_hash = $2 and removed_at is null for share');
const open = statement('signIn.open', `
  insert into tokens (hash, kind, principal, expires_at, fresh_until, created_at) values ($1, 'person', $2, $3, $4, $5)`);
const dropExpired = statement('signIn.dropExpired', 'delete from tokens where principal = $1 and expires_at <= $2');
const renew = statement('signIn.renew', 'update tokens set fresh_until = $2 where hash = $1');
const close = statement('signIn.close', 'delete from tokens where hash = $1');
/** In the environment of the path; one that doesn't exist keeps no log, so then in those of the person. */
const audit = statement('signIn.audit', `
  insert into events (env, at, actor_type, actor, actor_name, role, verb, target_type, target, outcome, after, request_id, address)
  select e.id, $3::bigint, 'person', $4, $5, $6, 'person.signIn', 'person', $7, $8, $9::jsonb, $10, $11 from environments e
  where case when $1::int is null then '*' = any($2::text[]) or e.name = any($2::text[]) else e.id = $1::int end`);

export interface SignIn extends Tried {
  readonly password: string;
  /** As the path names it. */
  readonly environment: string;
  readonly requestId: string;
}

export interface SignedIn {
  readonly token: string;
  readonly person: PersonView;
  readonly expiresAt: number;
}

type Tools = Pick<DomainDeps, 'db' | 'bus' | 'clock' | 'directory'>;

const audited = async (tx: Tx | Tools['db'], { directory, clock }: Tools, given: SignIn, { found, code }: { found: Account | undefined; code: ErrorCode | null }): Promise<void> => {
  const env = directory.environment(given.environment)?.id ?? null;
  // Who failed has shown nothing of who they are but the address that they typed.
  const [actor, name, role] = found === undefined || code === 'unauthorized' ? [null, emailKey(given.email), null] : [found.id, found.name, found.role];
  const after = code === null ? null : JSON.stringify({ code });
  await run(tx, audit, [
    env, found?.environments ?? [], clock.now(), actor, name, role, found?.id ?? null, code === null ? 'ok' : 'denied', after, given.requestId, given.address,
  ]);
};

const wrong = () => fault('unauthorized', 'The e-mail address or the password is wrong.');

/**
 * A session for who knows the password. Throws `401 unauthorized` in the same time whether the address exists or not,
 * whatever the environment; `404` for an environment that isn't the person's; `429` when guesses come too fast.
 */
export const signIn = async (tools: Tools, given: SignIn): Promise<SignedIn> => {
  const { db, clock, directory } = tools;
  await takeTry(db, given, clock.now());
  const found = await row<Account>(db, byEmail, [emailKey(given.email)]);
  const isRight = await verifyPassword(given.password, found?.hash ?? null);
  if (!isRight || found === undefined || found.hash === null) {
    await audited(db, tools, given, { found, code: 'unauthorized' });
    throw wrong();
  }
  const { id, hash, environments } = found;
  const env = directory.environment(given.environment);
  if (env === undefined || !inEnvironment(environments, env.name)) {
    await audited(db, tools, given, { found, code: 'not_found' });
    throw fault('not_found');
  }
  const at = clock.now();
  const token = newToken('person');
  const expiresAt = at + limits.sessionMs;
  const person = await db.transaction(async (tx) => {
    if ((await run(tx, hold, [id, hash])) === 0) throw wrong();
    await run(tx, dropExpired, [id, at]);
    await run(tx, open, [tokenHash(token), id, expiresAt, at + limits.freshMs, at]);
    await forgiveTry(tx, given);
    await audited(tx, tools, given, { found, code: null });
    return readPerson(tx, id);
  });
  return { token, person, expiresAt };
};

interface OwnSession {
  readonly caller: Caller;
  /** SHA-256 of its token, base64. */
  readonly credential: string;
}

const ended = (tools: Tools, { caller, credential }: OwnSession, verb: string, work: (tx: Tx, hash: Buffer) => Promise<number>): Promise<void> => {
  const id = caller.principal.id ?? '';
  return administered(tools.db, tools.bus, async (tx) => {
    if ((await work(tx, Buffer.from(credential, 'base64'))) === 0) throw fault('unauthorized');
    const environments = [caller.env.name];
    await settle(tx, administratorOf(caller, tools.clock.now()), { verb, target: { type: 'person', id }, environments, before: null, after: null });
  });
};

/** Makes a session fresh again; answers until when. Throws `403 forbidden` for a wrong password: the session itself is well. */
export const renewSignIn = async (tools: Tools, session: OwnSession, password: string): Promise<number> => {
  const { db, clock } = tools;
  const { principal, address } = session.caller;
  const found = await row<Account>(db, byId, [principal.id]);
  if (found === undefined) throw fault('unauthorized');
  const tried = { email: found.email, address: address ?? '' };
  await takeTry(db, tried, clock.now());
  if (!(await verifyPassword(password, found.hash))) throw fault('forbidden', 'The password is wrong.');
  const until = clock.now() + limits.freshMs;
  await ended(tools, session, 'person.freshSignIn', async (tx, hash) => {
    const held = found.hash === null ? 0 : await run(tx, hold, [found.id, found.hash]);
    await forgiveTry(tx, tried);
    return held === 0 ? 0 : run(tx, renew, [hash, until]);
  });
  return until;
};

/** Ends a session, everywhere. */
export const signOut = (tools: Tools, session: OwnSession): Promise<void> =>
  ended(tools, session, 'person.signOut', (tx, hash) => run(tx, close, [hash]));
