/** The least that a change of state costs: one prepared statement that writes item, event, outbox row and saved answer. */
const item = `json_build_object('id', w.id, 'inbox', w.inbox, 'title', w.title, 'state', w.state,
  'record', case when w.record_resource is not null then json_build_object('resource', w.record_resource, 'id', w.record_id, 'title', w.record_title) end,
  'tags', w.tags, 'assignee', w.assignee, 'occurrences', w.occurrences, 'users', w.users, 'firstSeen', w.first_seen, 'lastSeen', w.last_seen,
  'dueAt', w.due_at, 'fields', w.fields, 'snoozedUntil', w.snoozed_until, 'triaged', w.triaged, 'createdAt', w.created_at, 'updatedAt', w.updated_at,
  'version', w.version)::text`;

/** What stands before each term of an item: environment, week and inbox (shared/items/search/terms.ts). */
const prefix = 'left((tsvector_to_array(i.terms))[1], length(i.env::text) + 8)';

/**
 * $1 environment, $2 item, $3 state, $4 whether it is a closed one, $5 now, $6 actor, $7 entry's id, $8 request id;
 * with `keys`: $9 idempotency key. The terms are changed where they differ.
 */
export const changeSql = (keys: boolean): string => `
  with old as (select i.*, ${prefix} as prefix from items i where env = $1::int and id = $2::text for no key update),
  w as (
    update items i set state = $3::text, closed = $4, version = i.version + 1, updated_at = $5::bigint,
      due_at = case when $4 then null else i.due_at end, snoozed_until = case when $4 then null else i.snoozed_until end,
      terms = array_to_tsvector(array_append(tsvector_to_array(ts_delete(i.terms,
        array[old.prefix || 's' || old.state] || case when $4::bool then array[old.prefix || 'd', old.prefix || 'z'] else '{}' end)), old.prefix || 's' || $3::text))
    from old where i.env = $1 and i.id = $2
    returning i.*, old.state as was, old.due_at as due_was
  ), answer as materialized (select w.*, ${item} as json from w),
  happened as (
    insert into events (env, at, actor_type, actor, actor_name, role, verb, target_type, target, inbox, item, entry, type, data, before, after, request_id, address)
    select $1, $5, 'agent', $6::text, 'bench', 'admin', 'item.state', 'item', $2, inbox, $2, $7::text, 'state', jsonb_build_object('from', was, 'to', state),
      jsonb_build_object('state', was), jsonb_build_object('state', state), $8::text, '127.0.0.1' from answer
    returning id
  ), told as (
    insert into outbox (id, env, at, parts, inbox, deltas, due_from, due_to)
    select h.id, $1, $5, '[{"type":"item","inbox":"' || inbox || '","change":"changed","item":' || json || ',"by":{"type":"agent","id":"' || $6 || '","name":"bench"}},'
      || json_build_object('type', 'timeline', 'inbox', inbox, 'change', 'created', 'item', $2::text,
        'entry', json_build_object('id', $7::text, 'item', $2::text, 'type', 'state', 'at', $5::bigint,
          'actor', json_build_object('type', 'agent', 'id', $6::text, 'name', 'bench'), 'data', json_build_object('from', was, 'to', state)))::text || ']',
      inbox, jsonb_build_object('=' || was, -1, '=' || state, 1), due_was, due_at
    from answer, happened h
  )${
    keys
      ? `, kept as (
    insert into idempotency_keys (principal, key, fingerprint, status, body, etag, created_at)
    select $6, $9::text, '\\x00', 200, '{"item":' || json || ',"changed":true}', version, $5 from answer
  )`
      : ''
  }
  select json from answer`;
