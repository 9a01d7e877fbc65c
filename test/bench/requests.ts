/** The requests that the load generator sends: texts of GETs, and changes of state for random items. */
import { environment, type Database } from './database.ts';
import type { Changed, Requests } from './plan.ts';

export const get = (path: string, token?: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: bench\r\n${token === undefined ? '' : `authorization: Bearer ${token}\r\n`}\r\n`;

/** Inboxes in which any state follows any other, and the states that the items go through. */
const cycles: Readonly<Record<string, readonly string[]>> = {
  support: ['open', 'waiting', 'closed'],
  errors: ['open', 'awaiting_release', 'resolved'],
  signups: ['review', 'contacted', 'accepted'],
};
export const closedStates = ['closed', 'resolved', 'accepted'];

/** Random items with the states that come after the one that each is in. */
export const itemsToChange = async ({ sql, env, share }: Database, count = 20_000): Promise<Changed[]> => {
  const found = await sql<{ id: string; inbox: string; state: string }>(
    `select id, inbox, state from items tablesample system (${share(count * 4)}) where env = $1 and inbox = any ($2) order by random() limit $3`,
    [env, Object.keys(cycles), count],
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
