/** Table of erasures, and the functions by which they remove from events, chain and stream what identifies a person. */
import type { Knex } from 'knex';

/**
 * Members that say what was done to what, by whom and when. Of any other member an erasure leaves the name: a text becomes
 * empty, and so do lists and objects; numbers become null.
 */
const keptMembers = `id,type,kind,status,code,version,erased,dryRun,change,count,total,item,
  run,approval,bulk,flag,action,resource,links,about,inbox,inboxes,label,by,
  approvedBy,decidedBy,requestedBy,barred,assignee,state,from,to,add,remove,tags,triaged,
  closed,occurrences,users,attempt,attempts,progress,firstSeen,lastSeen,dueAt,snoozedUntil,createdAt,updatedAt,
  requestedAt,decidedAt,startedAt,finishedAt,expiresAt`.replaceAll(/\s/g, '');

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- \`users\`: ids by which reports name the person; \`linked\`: items that only link to the record are erased too.
    -- \`erased\`: how much was erased until now; \`waits_for\`: what is not finished yet and has to end before.
    -- \`horizon\`: the last event id that was drawn before; what comes later is erased too as long as the erasure is under way.
    create table erasures (
      id            text collate "C" primary key,
      env           int not null references environments,
      resource      text collate "C" not null,
      record        text collate "C" not null,
      users         text[] not null,
      linked        boolean not null,
      erased        jsonb not null default '{}',
      waits_for     jsonb,
      horizon       bigint not null,
      actor_type    text not null,
      actor         text collate "C" not null,
      actor_name    text not null,
      role          text,
      request_id    text,
      address       text,
      requested_at  bigint not null,
      finished_at   bigint
    );
    create index erasures_list on erasures (env, id desc);
    create unique index erasures_running on erasures (env, resource, record) where finished_at is null;

    -- Returns an object without what may identify a person, marked as erased; one that holds nothing of the kind as it is.
    create function erased_json(value jsonb) returns jsonb language plpgsql immutable as $$
    declare member text; given jsonb; left_over jsonb; result jsonb := '{}';
    begin
      if jsonb_typeof(value) is distinct from 'object' then return value; end if;
      for member, given in select key, e.value from jsonb_each(value) e loop
        left_over := case
          when member = any('{${keptMembers}}'::text[]) or jsonb_typeof(given) in ('boolean', 'null') then given
          when member = 'record' then case jsonb_typeof(given) when 'object' then given || jsonb_build_object('title', null) else given end
          when member = 'occurrence' then case when jsonb_exists(given, 'title') then given || '{"title": "", "data": {}, "user": null}' else given end
          else case jsonb_typeof(given) when 'string' then '""' when 'array' then '[]' when 'object' then '{}' else 'null' end::jsonb
        end;
        result := result || jsonb_build_object(member, left_over);
      end loop;
      return case when result = value then value else result || '{"erased": true}' end;
    end $$;

    -- Returns an item, a run, an approval or an entry of a timeline without what may identify a person, in the form that it has.
    create function erased_thing(kind text, thing jsonb) returns jsonb language sql immutable as $$
      select case kind
        when 'item' then (erased_json(thing) - 'erased') || '{"title": "Erased"}'
        when 'run' then erased_json(thing) - 'erased'
        when 'approval' then (erased_json(thing) - 'erased') || '{"summary": "Erased"}'
        when 'entry' then jsonb_set(thing, '{data}', erased_json(thing -> 'data'))
        else thing end
    $$;

    -- Returns a live message of the stream without what may identify a person.
    create function erased_message(part jsonb) returns jsonb language sql immutable as $$
      select case when part ->> 'type' = 'timeline' then jsonb_set(part, '{entry}', erased_thing('entry', part -> 'entry'))
        when part ->> 'type' in ('item', 'run', 'approval')
        then jsonb_set(part, array[part ->> 'type'], erased_thing(part ->> 'type', part -> (part ->> 'type')))
        else part end
    $$;

    -- Returns a saved response without what may identify a person: it still says what was done, by ids.
    create function erased_response(body text) returns text language plpgsql immutable as $$
    declare member text; given jsonb; result jsonb := '{}';
    begin
      for member, given in select key, e.value from jsonb_each(body::jsonb) e loop
        result := result || jsonb_build_object(member, case
          when member in ('item', 'run', 'approval', 'entry') and jsonb_typeof(given) = 'object' then erased_thing(member, given)
          when member = 'entries' then (select coalesce(jsonb_agg(erased_thing('entry', entry)), '[]') from jsonb_array_elements(given) entry)
          when member = 'error' then '"Erased."'
          else erased_json(jsonb_build_object(member, given)) -> member
        end);
      end loop;
      return result::text;
    end $$;

    -- Only an erasure changes an event, and only what may identify a person.
    create or replace function events_append_only() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and current_setting('console.erasing', true) = 'on' then
        if to_jsonb(new) - '{data,before,after}'::text[] = to_jsonb(old) - '{data,before,after}'::text[] then return new; end if;
      end if;
      raise exception 'events are append-only';
    end $$;

    -- Erases of events what may identify a person, and overwrites their salts in the chain by zeros, so that it still proves
    -- the rest. Leaves out those that are not chained yet: their digest would prove what is gone. Returns how many it changed.
    create function erase_events(env_id int, ids bigint[]) returns int
    language plpgsql security definer set search_path from current as $$
    declare changed bigint[]; range record;
    begin
      if not exists (select from erasures where env = env_id and finished_at is null) then
        raise exception 'no erasure of this environment is under way';
      end if;
      perform set_config('console.erasing', 'on', true);
      with done as (
        update events e set data = erased_json(e.data), before = erased_json(e.before), after = erased_json(e.after)
        where e.id = any(ids) and e.env = env_id
          and (e.verb is null or e.id <= (select c.last from audit_chain c where c.env = env_id order by c.n desc limit 1))
          and (erased_json(e.data), erased_json(e.before), erased_json(e.after)) is distinct from (e.data, e.before, e.after)
        returning e.id
      ) select array_agg(id) into changed from done;
      perform set_config('console.erasing', 'off', true);
      for range in
        select r.n, r.first, r.last
        from (select c.n, c.last, coalesce(lag(c.last) over (order by c.n), 0) as first from audit_chain c where c.env = env_id) r
        where exists (select from unnest(changed) c(id) where c.id > r.first and c.id <= r.last)
      loop
        update audit_chain c set salts = (
          select string_agg(case when p.id = any(changed) then decode(repeat('00', 16), 'hex')
            else substring(c.salts from ((p.place - 1) * 16 + 1)::int for 16) end, ''::bytea order by p.place)
          from (
            select e.id, row_number() over (order by e.id) as place from events e
            where e.env = env_id and e.verb is not null and e.id > range.first and e.id <= range.last) p)
        where c.env = env_id and c.n = range.n;
      end loop;
      return coalesce(cardinality(changed), 0);
    end $$;
    revoke execute on function erase_events(int, bigint[]) from public;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop function erase_events(int, bigint[]);
    create or replace function events_append_only() returns trigger language plpgsql as $$
    begin
      raise exception 'events are append-only';
    end $$;
    drop function erased_response(text);
    drop function erased_message(jsonb);
    drop function erased_thing(text, jsonb);
    drop function erased_json(jsonb);
    drop table erasures;
  `);
