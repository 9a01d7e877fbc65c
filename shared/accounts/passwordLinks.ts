/**
 * Links by which people set their password: invitations, and resets. A link's token is random and works once; only its hash is
 * stored. A mail is a job, which makes the token when it sends it. For passwordReset.ts, the endpoint of people, and
 * workers/jobs/index.ts.
 */
import { randomBytes } from 'node:crypto';
import type { JobPayloads } from '../catalogue/jobs.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { newId } from '../platform/ids.ts';
import { stagedJobInsert } from '../platform/journal/inserts.ts';
import { tokenHash } from './access/tokens.ts';

export type LinkKind = JobPayloads['passwordMail']['kind'];

/** For how long a link of each kind works, in ms. */
export const linkMs: Readonly<Record<LinkKind, number>> = { invitation: 7 * 86_400_000, reset: 3_600_000 };

const upsertSql = statement(
  'passwordLinks.upsert',
  `
  insert into password_links (person, kind, hash, expires_at, created_at) values ($1, $2, $3, $4, $5)
  on conflict (person, kind) do update
  set hash = excluded.hash, expires_at = excluded.expires_at, created_at = excluded.created_at`,
);
/** The job is one of the environment that is named, or of the first one that the person has. */
const stageMailSql = statement(
  'passwordLinks.stageMail',
  stagedJobInsert(
    {
      id: '$1',
      env: 'e.id',
      name: "'passwordMail'",
      payload: "jsonb_build_object('person', p.id, 'kind', $3::text)",
      subject: 'p.id',
      request_id: '$4',
      due_at: '$5::bigint',
      created_at: '$5::bigint',
    },
    {
      from: `people p cross join lateral (
        select e.id from environments e where p.environments && array['*', e.name] order by e.id limit 1) e`,
      where: 'p.id = $2',
    },
  ),
);

/** Makes a link, which voids the person's former one of the kind, and returns its address. */
export const issueLink = async (
  db: Db | Tx,
  publicUrl: string,
  { person, kind, at }: { readonly person: string; readonly kind: LinkKind; readonly at: number },
): Promise<string> => {
  const token = randomBytes(24).toString('base64url');
  await executeStatement(db, upsertSql, [person, kind, tokenHash(token), at + linkMs[kind], at]);
  // What follows the # is sent to no server, so that no log has it.
  return `${publicUrl}/#${kind}=${token}`;
};

interface MailRequest {
  readonly person: string;
  readonly kind: LinkKind;
  readonly requestId: string | null;
  readonly at: number;
}

/** Stages the job that mails a link; a former link of the kind is void at once. */
export const stageLinkMail = async (tx: Tx, { person, kind, requestId, at }: MailRequest): Promise<void> => {
  await executeStatement(tx, upsertSql, [person, kind, null, at + linkMs[kind], at]);
  await executeStatement(tx, stageMailSql, [newId('job', at), person, kind, requestId, at]);
};

const recipientSql = statement(
  'passwordLinks.recipient',
  'select name, email from people where id = $1 and removed_at is null',
);

/** Returns whom a link is mailed to; undefined for a person who was removed. */
export const findRecipient = (
  db: Db,
  person: string,
): Promise<{ readonly name: string; readonly email: string } | undefined> => queryRow(db, recipientSql, [person]);
