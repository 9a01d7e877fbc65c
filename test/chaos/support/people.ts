/** People of an environment, signed in, and their requests, which are repeated under one key until they are answered. */
import { randomUUID } from 'node:crypto';
import { newToken, tokenHash } from '../../../shared/accounts/access/tokens.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { newClient, type Client } from './client.ts';
import { pause } from './pause.ts';
import { NoAnswer, type Answer } from './send.ts';
import type { Site } from './site.ts';
import type { Stage } from './stage.ts';

const patienceMs = 60_000;

/** A person with a session of twelve hours. `fresh`: with a fresh sign-in for as long. */
export const newPerson = async (
  site: Pick<Site, 'sql'>,
  stage: Stage,
  role: string,
  fresh: boolean,
): Promise<Client> => {
  const [id, token] = [newId('per'), newToken('person')];
  await site.sql(
    `insert into people (id, email, name, role, environments, created_at) select $1, $2, $1, id, '{*}', 0 from roles where name = $3`,
    [id, `${id}@example.com`, role],
  );
  const until = Date.now() + 12 * 3_600_000;
  await site.sql(
    'insert into tokens (hash, kind, principal, expires_at, fresh_until, created_at) values ($1, $2, $3, $4, $5, 0)',
    [tokenHash(token), 'person', id, until, fresh ? until : null],
  );
  await site.sql('update revisions set n = n + 1');
  return newClient(stage.journal, stage.bases, { id, token });
};

/** Sends a request until it is answered, a change under a key so that it is done once. `baseOf`: where the next try goes. */
export const ask = async (
  client: Client,
  baseOf: () => string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<Answer> => {
  const headers = method === 'GET' || path === '/available' ? {} : { 'idempotency-key': randomUUID() };
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      const answer = await client.once(method, `${baseOf()}${path}`, body, headers);
      if (answer.status !== 503 || Date.now() > deadline) return answer;
    } catch (error) {
      if (!(error instanceof NoAnswer) || Date.now() > deadline) throw error;
    }
    await pause(50);
  }
};
