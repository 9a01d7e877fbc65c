/** Bulks in the functions of erasures (0042): a bulk of nothing but what is erased loses the input of its action. */
import type { Knex } from 'knex';

/** Things that are erased in messages and saved responses, without bulks and with them. */
const [before, after] = [`'item', 'run', 'approval'`, `'item', 'run', 'approval', 'bulk'`];

/** Returns the SQL of the functions for messages and responses with these things. */
const functionsOf = (things: string): string => `
    create or replace function erased_message(part jsonb) returns jsonb language sql immutable as $$
      select case when part ->> 'type' = 'timeline' then jsonb_set(part, '{entry}', erased_thing('entry', part -> 'entry'))
        when part ->> 'type' in (${things})
        then jsonb_set(part, array[part ->> 'type'], erased_thing(part ->> 'type', part -> (part ->> 'type')))
        else part end
    $$;
    create or replace function erased_response(body text) returns text language plpgsql immutable as $$
    declare member text; given jsonb; result jsonb := '{}';
    begin
      for member, given in select key, e.value from jsonb_each(body::jsonb) e loop
        result := result || jsonb_build_object(member, case
          when member in (${things}, 'entry') and jsonb_typeof(given) = 'object' then erased_thing(member, given)
          when member = 'entries' then (select coalesce(jsonb_agg(erased_thing('entry', entry)), '[]') from jsonb_array_elements(given) entry)
          when member = 'error' then '"Erased."'
          else erased_json(jsonb_build_object(member, given)) -> member
        end);
      end loop;
      return result::text;
    end $$;`;

/** Returns the SQL of the function for one thing; `bulk`: a further case. */
const thingOf = (bulk: string): string => `
    create or replace function erased_thing(kind text, thing jsonb) returns jsonb language sql immutable as $$
      select case kind
        when 'item' then (erased_json(thing) - 'erased') || '{"title": "Erased"}'
        when 'run' then erased_json(thing) - 'erased'
        when 'approval' then (erased_json(thing) - 'erased') || '{"summary": "Erased"}'
        when 'entry' then jsonb_set(thing, '{data}', erased_json(thing -> 'data'))
        ${bulk}
        else thing end
    $$;`;

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    ${thingOf(`when 'bulk' then jsonb_set(thing, '{operation,input}', '{}', false)`)}
    ${functionsOf(after)}`);

export const down = (knex: Knex): Promise<unknown> => knex.raw(`${functionsOf(before)}${thingOf('')}`);
