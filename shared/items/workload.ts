/** Counts the open items that people have, in the inboxes that a caller sees. For api/routes/people.ts. */
import type { Caller } from '../accounts/access/principal.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRows, statement } from '../platform/db/sql.ts';
import { visibleInboxes } from './filters/filters.ts';

const countSql = statement(
  'items.workload',
  `
  select assignee, count(*)::int as n from items
  where env = $1 and assignee = any($2) and assignee is not null and not closed
    and (inbox, state) in (select * from unnest($3::text[], $4::text[]))
  group by assignee`,
);

/** Returns how many items in a state of kind open each of the people has, by their ids; nobody who has none. */
export const countOpenItems = async (
  db: Db,
  caller: Caller,
  people: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const open = visibleInboxes(caller).flatMap(({ name, states, retiredStates }) =>
    [...states, ...retiredStates].flatMap((state) =>
      state.kind === 'open' ? [{ inbox: name, state: state.name }] : [],
    ),
  );
  const rows = await queryRows<{ assignee: string; n: number }>(db, countSql, [
    caller.env.id,
    people,
    open.map(({ inbox }) => inbox),
    open.map(({ state }) => state),
  ]);
  return new Map(rows.map(({ assignee, n }) => [assignee, n]));
};
