/** The months that an erasure did not reach, as it keeps them; and months that are begun and dropped without that others fail or wait. */
import type { Knex } from 'knex';

const lockTimeout = '500ms';

/** Returns the SQL of the function that makes months of events; `condition`: when ids may begin at the month's, once it has come. */
const makeEventMonths = (condition: string): string => `
  create or replace function make_event_months(at timestamptz) returns int language plpgsql as $$
  declare month timestamp; part text; made int := 0; was_there boolean;
  begin
    perform pg_advisory_xact_lock(4920732);
    was_there := to_regclass('events_' || to_char(at at time zone 'UTC', 'YYYY_MM')) is not null;
    for i in 0..2 loop
      month := date_trunc('month', at at time zone 'UTC') + make_interval(months => i);
      part := 'events_' || to_char(month, 'YYYY_MM');
      continue when to_regclass(part) is not null or event_month_starts((month + interval '1 month') at time zone 'UTC')
        <= (select coalesce(max(a.ends), 0) from archives a);
      execute format('create table %I (like events including defaults including constraints)', part);
      execute format('create trigger events_not_emptied before truncate on %I for each statement execute function events_append_only()', part);
      execute format('alter table events attach partition %I for values from (%s) to (%s)', part,
        event_month_starts(month at time zone 'UTC'), event_month_starts((month + interval '1 month') at time zone 'UTC'));
      made := made + 1;
    end loop;
    -- Called, so that the last id that was drawn is one that nobody draws.
    if ${condition} and (select last_value from events_id_seq) < event_month_starts(at) then
      perform setval('events_id_seq', event_month_starts(at), true);
      insert into event_turns (starts, at) values (event_month_starts(at), (extract(epoch from at) * 1000)::bigint) on conflict do nothing;
    end if;
    return made;
  end $$;`;

/** Returns the SQL of the function that drops months of what has ended; `after`: what it does after it has dropped one. */
const dropPastEndedMonths = (after: string): string => `
  create or replace function drop_past_ended_months(ended_kind text, now_ms bigint) returns int language plpgsql security definer
    set search_path from current set lock_timeout to '${lockTimeout}' as $$
  declare whole ended_tables; part regclass; dropped int := 0;
  begin
    select * into strict whole from ended_tables t where t.kind = ended_kind;
    for part in select p.inhrelid::regclass from pg_inherits p where p.inhparent = whole.name::regclass order by 1 loop
      continue when is_month_kept(part, whole, now_ms);
      execute format('lock table %s in share row exclusive mode', part);
      continue when is_month_kept(part, whole, now_ms);
      execute format('drop table %s', part);
      dropped := dropped + 1;
      ${after}
    end loop;
    return dropped;
  end $$;`;

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- Names of the archived months that the erasure did not reach when it finished, without those that a later one of the same
    -- record has reached since. null: it is under way, or the release before has finished it.
    alter table erasures add column if not exists unreached text[];
    update erasures e set unreached = coalesce((
      select array_agg(a.name order by a.starts) from archives a
      where a.archived_at < e.finished_at and a.chains @> jsonb_build_array(jsonb_build_object('env', e.env))), '{}')
    where e.finished_at is not null and e.unreached is null;
    -- A sequence is set for everybody at once, and a part is there for others only when it is committed: so in the next call.
    ${makeEventMonths('was_there')}
    -- A drop locks the whole until the transaction ends, so that the next month is looked at by the next call.
    ${dropPastEndedMonths('exit;')}
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    ${dropPastEndedMonths('')}
    ${makeEventMonths('true')}
    alter table erasures drop column unreached;
  `);
