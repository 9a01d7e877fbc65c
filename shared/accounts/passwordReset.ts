/** People set their password by a link, and ask for one that resets it. For api/routes/signIn.ts. */
import { fault } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { sleep } from '../platform/time/clock.ts';
import { tokenHash } from './access/tokens.ts';
import { findAccount, readAccount } from './accounts.ts';
import { environmentsOf, openSession } from './openSession.ts';
import { stageLinkMail, type LinkKind } from './passwordLinks.ts';
import { hashPassword, knownTurn } from './passwords.ts';
import { deleteTokens, recordAdminChange, runAdminChange, systemAdministrator } from './settings/adminChange.ts';
import { readPerson } from './settings/people.ts';
import { requirePasswordSignIn, type SignInDeps, type SignInResult } from './signIn.ts';
import type { SignInAttemptPlace } from './signInAudit.ts';
import { newBrowserToken, countReset } from './signInThrottle.ts';

const findSql = statement(
  'passwordLinks.find',
  'select person from password_links where hash = $1 and kind = $2 and expires_at > $3',
);
const takeSql = statement('passwordLinks.take', 'delete from password_links where hash = $1');
const isInvitedSql = statement(
  'passwordLinks.isInvited',
  `select 1 as found from password_links where person = $1 and kind = 'invitation'`,
);
const setPasswordSql = statement(
  'passwordLinks.setPassword',
  'update people set password_hash = $2 where id = $1 and removed_at is null',
);

/** ms that a request for a reset takes at least, so that the time does not show whether there is such a person. */
const resetMs = 300;

const stageReset = (
  { db, clock }: SignInDeps,
  { email, address, requestId }: SignInAttemptPlace & { readonly email: string },
): Promise<void> =>
  db.transaction(async (tx) => {
    const at = clock.now();
    if (!(await countReset(tx, { email, address }, at))) return;
    const account = await findAccount(tx, email);
    // Somebody who was never to have a password gets none by their mailbox.
    const isOfPasswords =
      account !== undefined &&
      (account.hash !== null || (await queryRow(tx, isInvitedSql, [account.id])) !== undefined);
    if (!isOfPasswords) return;
    await stageLinkMail(tx, { person: account.id, kind: 'reset', requestId, at });
    await recordAdminChange(
      tx,
      { ...systemAdministrator('sign-in', at), requestId, address },
      {
        verb: 'person.reset',
        target: { type: 'person', id: account.id },
        environments: account.environments,
        before: null,
        after: null,
      },
    );
  });

/** Mails a link to the person of an address, where there is one, the service sends mail and too many were not asked for. Tells nothing of it. */
export const requestReset = async (
  deps: SignInDeps,
  asked: SignInAttemptPlace & { readonly email: string },
): Promise<void> => {
  const { passwordSignIn, smtpUrl } = deps.config;
  const least = sleep(resetMs);
  try {
    if (passwordSignIn && smtpUrl !== null) await stageReset(deps, asked);
  } finally {
    await least;
  }
};

const voidLinkFault = () =>
  fault(
    'unauthorized',
    'This link is not valid: it was used, a newer one was sent, or its time is over. Ask for a new one.',
  );

/**
 * Sets the password of a link's person, ends their sessions and links, and opens a session. Throws `unauthorized` for a link
 * that is not valid, `invalid` for a common password, `forbidden` where passwords are not taken.
 */
export const redeemLink = async (
  deps: SignInDeps,
  kind: LinkKind,
  { token, password, requestId, address }: SignInAttemptPlace & { readonly token: string; readonly password: string },
): Promise<SignInResult> => {
  requirePasswordSignIn(deps);
  const { db, bus, clock, config } = deps;
  const hash = tokenHash(token);
  const found = await queryRow<{ person: string }>(db, findSql, [hash, kind, clock.now()]);
  if (found === undefined) throw voidLinkFault();
  const { person } = found;
  const passwordHash = await hashPassword(password, knownTurn(person));
  return runAdminChange(db, bus, async (tx) => {
    const at = clock.now();
    const isTaken = (await executeStatement(tx, takeSql, [hash])) > 0;
    if (!isTaken || (await executeStatement(tx, setPasswordSql, [person, passwordHash])) === 0) throw voidLinkFault();
    await deleteTokens(tx, person);
    const { name, role, environments } = await readAccount(tx, person);
    const session = { person, at, freshUntil: at + limits.freshMs, address };
    const opened = await openSession(tx, config, session);
    const view = await readPerson(tx, person);
    await recordAdminChange(
      tx,
      { by: { type: 'person', id: person, name }, role, env: null, reach: environments, requestId, address, at },
      {
        verb: 'person.password',
        target: { type: 'person', id: person },
        environments,
        before: null,
        after: { by: kind },
      },
    );
    return {
      ...opened,
      person: view,
      environments: environmentsOf(deps, environments),
      browser: newBrowserToken({ id: person, hash: passwordHash }, at),
    };
  });
};
