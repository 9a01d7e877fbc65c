/** Environments that are closed while they move to another installation, and ids of each installation's own. */
import type { Knex } from 'knex';

/** Changes a part of the function that makes the months of events. */
const replaceInMonths = (from: string, to: string): string => `
  do $$ begin
    execute replace(pg_get_functiondef('make_event_months(timestamptz)'::regprocedure), $from$${from}$from$, $to$${to}$to$);
  end $$;
`;

const former = "setval('events_id_seq', event_month_starts(at), true)";
const ofCell =
  "setval('events_id_seq', event_month_starts(at) + (select seqstart - 1 from pg_sequence where seqrelid = 'events_id_seq'::regclass), true)";

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- Since when it is closed, in epoch ms; null: it is open. The database that it was moved to.
    alter table environments add column closed_at bigint, add column moved_to text;

    -- What API processes write in a closed environment fails as if PostgreSQL were unavailable: the client tries again.
    create function refuse_closed() returns trigger language plpgsql as $$
    begin
      raise exception 'the environment is closed' using errcode = 'cannot_connect_now';
    end $$;

    -- Gives an installation its own numbers of environments and, in each month, its own ids of events: an eighth of them. Those of
    -- the one without a number are the first.
    create function number_cell(cell int) returns void language plpgsql as $$
    begin
      if cell not between 1 and 7 or exists (select from environments) then
        raise exception 'number a cell from 1 to 7, before its first environment';
      end if;
      execute format('alter sequence environments_id_seq restart with %s', cell * 100000000 + 1);
      execute format('alter sequence events_id_seq start with %s', cell * 2::bigint ^ 33 + 1);
      perform setval('events_id_seq', event_month_starts(now()) + (cell * 2::bigint ^ 33)::bigint, true);
    end $$;
    revoke execute on function number_cell(int) from public;
    ${replaceInMonths(former, ofCell)}
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    ${replaceInMonths(ofCell, former)}
    drop function number_cell(int);
    drop function refuse_closed() cascade;
    alter table environments drop column closed_at, drop column moved_to;
  `);
