/** The least that a chunk of a bulk costs: one statement that sets the state of 500 items and writes the same rows as ours. */

/** $1 environment, $2 ids, $3 states, $4 closed, $5 now, $6 actor, $7 bulk, $8 first seq, $9 entry ids. */
export const bulkChunkSql = `
  with asked as (select id, state, closed, entry, n from unnest($2::text[], $3::text[], $4::bool[], $9::text[]) with ordinality as a (id, state, closed, entry, n)),
  old as (
    select i.id, i.env, i.state as was, i.due_at as due_was, left((tsvector_to_array(i.terms))[1], length(i.env::text) + 8) as prefix, a.state, a.closed, a.entry, a.n
    from items i join asked a on a.id = i.id where i.env = $1 order by i.id for no key update of i
  ), w as (
    update items i set state = o.state, closed = o.closed, version = i.version + 1, updated_at = $5::bigint,
      due_at = case when o.closed then null else i.due_at end, snoozed_until = case when o.closed then null else i.snoozed_until end,
      terms = array_to_tsvector(array_append(tsvector_to_array(ts_delete(i.terms,
        array[o.prefix || 's' || o.was] || case when o.closed then array[o.prefix || 'd', o.prefix || 'z'] else '{}' end)), o.prefix || 's' || o.state))
    from old o where i.env = $1 and i.id = o.id
    returning i.*, o.was, o.due_was, o.entry, o.n
  ), answer as materialized (
    select w.*, nextval('events_id_seq') as event, json_build_object('id', w.id, 'inbox', w.inbox, 'title', w.title, 'state', w.state,
      'record', case when w.record_resource is not null then json_build_object('resource', w.record_resource, 'id', w.record_id, 'title', w.record_title) end,
      'tags', w.tags, 'assignee', w.assignee, 'occurrences', w.occurrences, 'users', w.users, 'firstSeen', w.first_seen, 'lastSeen', w.last_seen,
      'dueAt', w.due_at, 'fields', w.fields, 'snoozedUntil', w.snoozed_until, 'triaged', w.triaged, 'createdAt', w.created_at, 'updatedAt', w.updated_at,
      'version', w.version)::text as json
    from w
  ), happened as (
    insert into events (id, env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type, data, before, after, request_id, address)
    select event, $1, $5, 'agent', $6::text, 'bench', 'admin', 'item.state', 'item', id, inbox, id, entry, 'state', jsonb_build_object('from', was, 'to', state),
      jsonb_build_object('state', was), jsonb_build_object('state', state), 'req_01jd0000000000000000000000', '127.0.0.1' from answer
  ), told as (
    insert into outbox (id, env, at, parts, inbox, deltas, due_from, due_to)
    select event, $1, $5, '[{"type":"item","inbox":"' || inbox || '","change":"changed","item":' || json || ',"by":{"type":"agent","id":"' || $6 || '","name":"bench"}},'
      || json_build_object('type', 'timeline', 'inbox', inbox, 'change', 'created', 'item', id,
        'entry', json_build_object('id', entry, 'item', id, 'type', 'state', 'at', $5::bigint,
          'actor', json_build_object('type', 'agent', 'id', $6::text, 'name', 'bench'), 'data', json_build_object('from', was, 'to', state)))::text || ']',
      inbox, jsonb_build_object('=' || was, -1, '=' || state, 1), due_was, due_at
    from answer
  )
  insert into bulk_results (bulk, seq, item, outcome, before, after)
  select $7::text, $8::int + n - 1, id, 'changed', jsonb_build_object('state', was), jsonb_build_object('state', state) from answer`;
