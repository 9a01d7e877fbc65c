/** Sign-in by the OpenID Connect provider, and fresh sign-in by it: its beginning, and its end. For api/routes/openIdSignIn.ts and api/middleware/pages.ts. */
import { Fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import type { Config } from '../../platform/config/config.ts';
import type { OpenIdConfig } from '../../platform/config/openIdConfig.ts';
import { isSerializationFailure, isUniqueViolation } from '../../platform/db/errors.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import type { Bus } from '../../platform/redis/bus.ts';
import type { Clock } from '../../platform/time/clock.ts';
import { findAccountById, readAccount, type Account } from '../accounts.ts';
import type { Directory } from '../directory.ts';
import { environmentsOf, everyEnvironment, openSession, renewSession } from '../openSession.ts';
import { recordAdminChange, runAdminChange } from '../settings/adminChange.ts';
import { insertSignInAudit, type SignInAttemptPlace } from '../signInAudit.ts';
import { typedEmailDigest } from '../signInThrottle.ts';
import type { Identity } from './claims.ts';
import { sealFlow, type Flow } from './flow.ts';
import { admit, findLinked } from './identities.ts';
import { SignInRefusal, type SignInProblem } from './problems.ts';
import type { Demand, OpenId } from './provider.ts';

interface Tools {
  readonly db: Db;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly config: Config;
  readonly directory: Directory;
}

/** A sign-in that has been sent to the provider. */
interface BegunSignIn {
  readonly url: string;
  /** For the browser's cookie. */
  readonly flow: string;
}

interface Beginning {
  readonly environment: string;
  readonly returnTo: string;
  readonly session: string | null;
  readonly demand: Demand;
}

/** Returns the provider's address and the cookie of the sign-in. Throws a SignInRefusal. */
export const beginSignIn = async (
  { directory, clock }: Tools,
  { provider }: OpenId,
  beginning: Beginning,
): Promise<BegunSignIn> => {
  const { url, secrets } = await provider.begin(beginning.demand);
  const flow = sealFlow(directory, { ...beginning, ...secrets, startedAt: clock.now() });
  if (flow === null) throw new SignInRefusal('no_access');
  return { url, flow };
};

/** By how much the provider's clock may be behind, in ms. */
const clockToleranceMs = 60_000;

const sessionOfSql = statement(
  'openId.session',
  `select principal from tokens where hash = $1 and kind = 'person' and expires_at > $2 for update`,
);

interface Finish {
  readonly tools: Tools;
  readonly flow: Flow;
  readonly identity: Identity;
  readonly place: SignInAttemptPlace;
}

const freshUntil = ({ signedInAt }: Identity, at: number): number | null => {
  const until = signedInAt === null ? 0 : Math.min(at, signedInAt) + limits.freshMs;
  return until > at ? until : null;
};

/** Makes the session of the flow fresh. Throws a SignInRefusal unless it is still this person's. */
const renew = async (tx: Tx, { tools, flow, identity, place }: Finish, account: Account, at: number): Promise<void> => {
  const hash = Buffer.from(flow.session ?? '', 'base64');
  const held = await queryRow<{ principal: string }>(tx, sessionOfSql, [hash, at]);
  if (held?.principal !== account.id) throw new SignInRefusal('other_person');
  await renewSession(tx, hash, freshUntil(identity, at) ?? at);
  const env = tools.directory.environment(flow.environment);
  await recordAdminChange(
    tx,
    {
      by: { type: 'person', id: account.id, name: account.name },
      role: account.role,
      env: env?.id ?? null,
      reach: account.environments,
      requestId: place.requestId,
      address: place.address,
      at,
    },
    {
      verb: 'person.freshSignIn',
      target: { type: 'person', id: account.id },
      environments: [],
      before: null,
      after: null,
    },
  );
};

const open = async (tx: Tx, { tools, identity, place }: Finish, account: Account, at: number): Promise<string> => {
  const session = { person: account.id, at, freshUntil: freshUntil(identity, at), address: place.address };
  const { token } = await openSession(tx, tools.config, session);
  await insertSignInAudit(tx, tools.directory, place, { at, found: account, actor: account, refusal: null });
  return token;
};

interface Settled {
  /** null: the session of the flow is fresh, and none was opened. */
  readonly token: string | null;
  readonly problem: SignInProblem | null;
  /** Where to go, as the sign-in began in no environment in particular; null: where it began. */
  readonly environment: string | null;
}

const settle = async (tx: Tx, config: OpenIdConfig, finish: Finish): Promise<Settled> => {
  const { tools, flow, identity } = finish;
  const at = tools.clock.now();
  const { person, isIn } = await admit(tx, { config, identity, at, mayCreate: flow.session === null });
  const account = await readAccount(tx, person);
  const refuse = (problem: SignInProblem): Settled => ({ token: null, problem, environment: null });
  if (!isIn) return refuse('no_group');
  const environments = environmentsOf(tools, account.environments);
  const [first = null] = environments;
  const isAny = flow.environment === everyEnvironment;
  if (isAny ? first === null : !environments.includes(flow.environment)) return refuse('no_access');
  if (flow.session === null)
    return { token: await open(tx, finish, account, at), problem: null, environment: isAny ? first : null };
  await renew(tx, finish, account, at);
  return { token: null, problem: null, environment: null };
};

/** Settles again when somebody else made the same person or link at the same time. */
const settleTwice = async (config: OpenIdConfig, finish: Finish): Promise<Settled> => {
  const { db, bus } = finish.tools;
  const run = (): Promise<Settled> => runAdminChange(db, bus, (tx) => settle(tx, config, finish));
  try {
    return await run();
  } catch (error) {
    const isConflict = error instanceof Fault && error.code === 'conflict';
    const isRace = isConflict || isUniqueViolation(error) || isSerializationFailure(error);
    if (!isRace) throw error;
    return run();
  }
};

/** Returns the account of an identity; undefined for a stranger, and for who was removed. */
const accountOf = async ({ tools: { db }, identity }: Finish): Promise<Account | undefined> => {
  const person = await findLinked(db, identity);
  return person === undefined ? undefined : findAccountById(db, person);
};

const auditRefusal = async (finish: Finish, problem: SignInProblem): Promise<void> => {
  const { tools, identity, place } = finish;
  const found = await accountOf(finish);
  // Who is not let in is nobody of ours; the address may be anybody's.
  const stranger = identity.claimedEmail ?? `${identity.issuer} ${identity.subject}`;
  await insertSignInAudit(tools.db, tools.directory, place, {
    at: tools.clock.now(),
    found,
    actor: found ?? { id: null, name: typedEmailDigest(stranger), role: null },
    refusal: { code: 'forbidden', problem },
  });
};

/** Returns whether the person signed in after the flow began; null where only another question can tell. */
const isNew = ({ startedAt, demand }: Flow, { signedInAt }: Identity): boolean | null => {
  if (signedInAt === null) return false;
  if (signedInAt >= startedAt - clockToleranceMs) return true;
  return demand === 'new' ? null : false;
};

/** The end of a sign-in. */
type EndedSignIn =
  | { readonly type: 'done'; readonly token: string | null; readonly environment: string | null }
  /** The provider let somebody in whom it remembered, and is asked more plainly. */
  | { readonly type: 'again'; readonly begun: BegunSignIn };

/** Opens a session for whom the provider names, or makes that of the flow fresh. Throws a SignInRefusal. */
export const endSignIn = async (
  tools: Tools,
  openId: OpenId,
  flow: Flow,
  { search, ...request }: { readonly search: string; readonly requestId: string; readonly address: string | null },
): Promise<EndedSignIn> => {
  const identity = await openId.provider.finish(search, flow, request.address);
  const finish = { tools, flow, identity, place: { ...request, environment: flow.environment } };
  if (flow.session !== null) {
    const found = isNew(flow, identity);
    if (found === null)
      return { type: 'again', begun: await beginSignIn(tools, openId, { ...flow, demand: 'newByPrompt' }) };
    if (!found) throw new SignInRefusal('not_fresh');
  }
  try {
    const { token, problem, environment } = await settleTwice(openId.config, finish);
    if (problem !== null) throw new SignInRefusal(problem);
    return { type: 'done', token, environment };
  } catch (error) {
    if (error instanceof SignInRefusal) await auditRefusal(finish, error.problem);
    throw error;
  }
};
