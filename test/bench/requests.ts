/** The requests that the load generator sends: texts of GETs, and changes of state for random items. */
import { environment, type Database } from './database.ts';
import type { Changed, Requests } from './plan.ts';

export const get = (path: string, token?: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: bench\r\n${token === undefined ? '' : `authorization: Bearer ${token}\r\n`}\r\n`;

export const post = (path: string, token: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`;

/** Inboxes in which any state follows any other, and the states that the items go through. */
const cycles: Readonly<Record<string, readonly string[]>> = {
  support: ['open', 'waiting', 'closed'],
  errors: ['open', 'awaiting_release', 'resolved'],
  signups: ['review', 'contacted', 'accepted'],
};
export const closedStates = ['closed', 'resolved', 'accepted'];

/**
 * Items with the states that come after the one that each is in, in a random order: four of five are among the twentieth with the
 * newest activity, as people work on what is new.
 */
export const itemsToChange = async ({ sql, env, share }: Database, count = 20_000): Promise<Changed[]> => {
  const inboxes = Object.keys(cycles);
  const [size] = await sql<{ n: number }>('select count(*)::int as n from items where env = $1', [env]);
  const newest = Math.floor((size?.n ?? 0) / 20 / inboxes.length);
  const found = await sql<{ id: string; inbox: string; state: string }>(
    `
    with new as (
      select n.* from unnest($2::text[]) as g(inbox) cross join lateral (
        select id, inbox, state from items i where i.env = $1 and i.inbox = g.inbox order by last_seen desc, id desc limit $5) n),
    other as (select id, inbox, state from items tablesample system (${share(count)}) where env = $1 and inbox = any ($2))
    select * from (
      (select * from new order by random() limit $3)
      union (select * from other order by random() limit $4)) i order by random()`,
    [env, inboxes, Math.round(count * 0.8), Math.round(count * 0.2), newest],
  );
  return found.map(({ id, inbox, state }) => {
    const cycle = cycles[inbox] ?? [];
    const at = cycle.indexOf(state) + 1;
    return { id, states: [...cycle.slice(at), ...cycle.slice(0, at)] };
  });
};

/** Changes as an agent makes them. */
export const changing = (token: string, items: readonly Changed[], keys = false): Requests => ({
  kind: 'states',
  before: `POST /api/env/${environment}/items/`,
  after: `/state HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`,
  items,
  keys,
});

/** The same for programs/changeLimit.ts, which requires no token. */
export const changingLimit = (items: readonly Changed[], keys = false): Requests => ({
  kind: 'states',
  before: 'POST /items/',
  after: '/state HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n',
  items,
  keys,
});
