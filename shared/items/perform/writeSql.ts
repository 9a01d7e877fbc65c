/**
 * The text of the one statement by which items change (see write.ts): changed rows, each only at the version that was
 * decided on, their events, live messages, staged jobs, bulk results and the saved response.
 */
import { getOrCreate } from '../../platform/core/maps.ts';
import { statement, type Statement } from '../../platform/db/sql.ts';
import { bulkResultInsert } from '../../platform/journal/bulkResults.ts';
import {
  actorOfRow,
  actorParameterCount,
  actorParameters,
  actorRecord,
  eventInsert,
  withEventIds,
} from '../../platform/journal/events.ts';
import {
  savedResponseInsert,
  savedResponseOfRow,
  savedResponseParameters,
  savedResponseRecord,
} from '../../platform/journal/idempotency.ts';
import { sameColumns } from '../../platform/journal/insertText.ts';
import { outboxInsert } from '../../platform/journal/outbox.ts';
import { stagedJobInsert } from '../../platform/journal/stagedJobs.ts';

/** The parts of the statement that a batch needs. */
export interface WriteShape {
  /** Changes of several callers, one of each: who, when and the verb are columns of the items, and a locked item is passed over. */
  readonly gathered: boolean;
  readonly create: boolean;
  readonly many: boolean;
  readonly users: boolean;
  readonly jobs: boolean;
  readonly saved: boolean;
  readonly results: boolean;
  readonly deliveries: boolean;
  /** Rows of occurrences, which creations and occurrences have, and no other change. */
  readonly occurrences: boolean;
  /** Items whose title and fields an occurrence replaces. */
  readonly content: boolean;
  /** Items whose links an update changes. */
  readonly links: boolean;
  /** Rows of item_words: new items have one, and items whose title and fields are replaced. */
  readonly texts: boolean;
  /** A request that is traced: outbox rows name it. */
  readonly traced: boolean;
}

/**
 * Tags and terms come as one text each: a JSON array inside a record costs PostgreSQL 60 µs, some 20 times its text. No
 * tag holds a comma; no word holds white space and no tag a comma, so that no term holds both in a row.
 */
export const itemTermSeparator = ',\n';
/** JSON text has no control characters. */
export const livePartSeparator = '\u001e';
const tagsOf = (row: string): string => `string_to_array(${row}.tags, ',')`;
const termsOf = (row: string): string => `array_to_tsvector(string_to_array(${row}.terms, E',\\n'))`;

const changing = `id text, version int, state text, closed boolean, tags text, assignee text, occurrences int, users int, last_seen bigint,
  due_at bigint, snoozed_until bigint, triaged boolean, triage jsonb, occurred_entry jsonb, updated_at bigint, terms text`;
const content = 'title text, title_key text, fields json';
const staying = `inbox text, record_resource text, record_id text, record_title text, links jsonb,
  first_seen bigint, key text, created_at bigint`;

/**
 * Rows of many are locked in one order, so that two batches never wait for each other; `place` saves a second look-up. Of
 * several callers each item is looked up by itself: no plan reads more, whatever it expects of the array.
 */
const updateItemsSql = ({ gathered, many, content: replaced, links }: WriteShape): string => `
  ${gathered ? `held as (select h.id, h.place from given g cross join lateral (select i.id, i.ctid as place from items i where i.env = $1 and i.id = g.id and i.version = g.version - 1 for update skip locked) h),` : many ? 'held as (select i.id, i.ctid as place from items i join given g on g.id = i.id where i.env = $1 and i.version = g.version - 1 order by i.id for update of i),' : ''}
  written as (
    update items i set version = g.version, state = g.state, closed = g.closed, tags = ${tagsOf('g')}, assignee = g.assignee,
      occurrences = g.occurrences, users = g.users, last_seen = g.last_seen, due_at = g.due_at,
      snoozed_until = g.snoozed_until, triaged = g.triaged, triage = g.triage, occurred_entry = g.occurred_entry,
      updated_at = g.updated_at, terms = ${termsOf('g')}${replaced ? ', title = g.title, title_key = g.title_key, fields = g.fields' : ''}${links ? ', links = g.links' : ''}
    from given g ${many ? 'join held using (id) where i.ctid = held.place' : 'where i.env = $1 and i.id = g.id and i.version = g.version - 1'}
    returning i.id)`;

const insertItemsSql = `
  written as (
    insert into items (env, id, version, inbox, title, title_key, state, closed, record_resource, record_id, record_title, links, tags,
      assignee, occurrences, users, first_seen, last_seen, due_at, fields, snoozed_until, triaged, triage, key, occurred_entry,
      created_at, updated_at, terms)
    select $1, id, version, inbox, title, title_key, state, closed, record_resource, record_id, record_title, links, ${tagsOf('given')},
      assignee, occurrences, users, first_seen, last_seen, due_at, fields, snoozed_until, triaged, triage, key, occurred_entry,
      created_at, updated_at, ${termsOf('given')} from given
    returning id)`;

/** Columns that only the first event of a change has: it is the one in the audit log. */
const onFirstEvent = (value: string): string => `case when n = 0 then ${value} end`;

/** Parameters that one caller takes: when, the verb, the actor. */
const callerParameterCount = 2 + actorParameterCount;
const oneCaller = { at: '$5::bigint', verb: '$6', ...actorParameters(7) };
const callerOfRow = { ...sameColumns(['at', 'verb'], 'numbered'), ...actorOfRow('numbered') };
const callerRecord = `at bigint, verb text, ${actorRecord}`;
/** Of gathered rows that are traced, beside their callers. */
const traceRecord = ', traceparent text';
const callerOf = ({ gathered }: WriteShape): typeof oneCaller => (gathered ? callerOfRow : oneCaller);

const eventsSql = (shape: WriteShape): string => {
  const { at, verb, ...actor } = callerOf(shape);
  return eventInsert(
    {
      ...sameColumns(['id', 'inbox', 'item', 'entry', 'type', 'data', 'before', 'after']),
      env: '$1',
      at,
      ...actor,
      role: onFirstEvent(actor.role),
      request_id: onFirstEvent(actor.request_id),
      address: onFirstEvent(actor.address),
      verb: onFirstEvent(verb),
      target_type: onFirstEvent("'item'"),
      target: onFirstEvent('item'),
      ...(shape.occurrences ? { is_update: 'coalesce(is_update, false)' } : {}),
    },
    { from: 'numbered' },
  );
};

const outboxSql = (shape: WriteShape, traceparent: string | null): string =>
  outboxInsert(
    {
      ...sameColumns(['id', 'parts', 'inbox', 'deltas', 'due_from', 'due_to', 'awake_from', 'awake_to']),
      env: '$1',
      at: callerOf(shape).at,
      whole: 'true',
      ...(traceparent === null ? {} : { traceparent }),
    },
    { from: 'numbered', where: 'parts is not null' },
  );

const occurrencesSql = (given: string): string => `
  insert into occurrences (env, item, at, id, title, data, who, overflow)
  select $1, o.item, o.at, o.id, o.title, o.data, o.who, o.overflow
  from json_to_recordset(${given}::json) as o(item text, at bigint, id text, title text, data json, who text, overflow boolean)
  join written w on w.id = o.item`;

/** An item's own row is replaced with its content. Further texts are indexed by a sweep (workers/sweeps/indexTexts.ts). */
const textsSql = (given: string): string => `
  insert into item_words (env, item, source, words)
  select $1, t.item, t.source, array_to_tsvector(string_to_array(t.words, E'\\n'))
  from json_to_recordset(${given}::json) as t(item text, source text, words text)
  join written w on w.id = t.item
  on conflict (env, item, source) do update set words = excluded.words`;

const jobsSql = (jobs: string): string =>
  stagedJobInsert(
    {
      ...sameColumns(['id', 'name', 'payload', 'subject', 'request_id', 'due_at', 'created_at', 'traceparent'], 'j'),
      env: '$1',
    },
    {
      from: `json_to_recordset(${jobs}::json) as j(id text, item text, name text, payload jsonb, subject text, request_id text, due_at bigint, created_at bigint, traceparent text)
      join written w on w.id = j.item`,
    },
  );

const resultsSql = (bulk: string, results: string): string =>
  bulkResultInsert(
    {
      bulk,
      ...sameColumns(['seq', 'item', 'outcome', 'error', 'code'], 'r'),
      ...sameColumns(['before', 'after'], 'e'),
    },
    {
      from: `json_to_recordset(${results}::json) as r(seq int, item text, outcome text, error text, code text)
      left join numbered e on e.item = r.item and e.n = 0`,
      where: `r.outcome <> 'changed' or e.id is not null`,
    },
  );

/** Saved responses of several callers, each kept if its item was written. */
const savedOfManySql = (given: string): string =>
  savedResponseInsert(
    { ...savedResponseOfRow('s'), created_at: 's.at' },
    {
      from: `json_to_recordset(${given}::json) as s(item text, at bigint, ${savedResponseRecord}) join written w on w.id = s.item`,
      orderBy: 's.principal, s.key',
    },
  );

const savedOfOneSql = (firstParameter: number): string =>
  savedResponseInsert(
    { ...savedResponseParameters(firstParameter), created_at: oneCaller.at },
    { where: '(select count(*) from written) = (select count(*) from given)' },
  );

/**
 * Event ids are drawn from rows of `written`, so after the item's row lock: per item, ids follow versions. Parameters:
 * $1 environment, $2 items, $3 events, $4 live messages, of one caller $5 when, $6 the verb, then who, then as the shape
 * requires: the trace, users, occurrences, texts, jobs, bulk and its results, deliveries, saved responses. Live messages are the greater part of it all: cutting a text at a sign that
 * no JSON holds costs a fifth of parsing them.
 */
const writeSqlText = (shape: WriteShape): string => {
  const { gathered } = shape;
  let parameter = gathered ? 4 : 4 + callerParameterCount;
  const next = (): string => {
    parameter += 1;
    return `$${String(parameter)}`;
  };
  const traceparent = shape.traced ? (gathered ? 'traceparent' : next()) : null;
  const parts = [
    `given as (select * from json_to_recordset($2::json) as g(${changing}${shape.create || shape.content ? `, ${content}` : ''}${shape.create ? `, ${staying}` : ''}${shape.links ? ', links jsonb' : ''}${gathered ? `, ${callerRecord}${shape.traced ? traceRecord : ''}` : ''}))`,
    shape.create ? insertItemsSql : updateItemsSql(shape),
    `numbered as materialized (
      ${withEventIds(
        `(
        select e.*, l.parts${
          gathered
            ? `, ${Object.keys(callerOfRow)
                .map((column) => `g.${column}`)
                .join(', ')}${shape.traced ? ', g.traceparent' : ''}`
            : ''
        } from json_to_recordset($3::json) as e(n int, item text, inbox text, entry text, type text, live int, data jsonb,
          before jsonb, after jsonb, deltas jsonb, due_from bigint, due_to bigint, awake_from bigint, awake_to bigint${shape.occurrences ? ', is_update boolean' : ''})
        join written w on w.id = e.item${gathered ? ' join given g on g.id = e.item' : ''}
        left join string_to_table($4, E'\\x1e') with ordinality as l(parts, live) on l.live = e.live
        order by e.item, e.n) e`,
        'e.*',
      )})`,
    `happened as (${eventsSql(shape)})`,
    `told as (${outboxSql(shape, traceparent)})`,
  ];
  if (shape.users) {
    parts.push(`met as (insert into item_users (env, item, who)
      select $1, u.item, u.who from json_to_recordset(${next()}::json) as u(item text, who text) join written w on w.id = u.item
      on conflict do nothing)`);
  }
  if (shape.occurrences) parts.push(`occurred as (${occurrencesSql(next())})`);
  if (shape.texts) parts.push(`indexed as (${textsSql(next())})`);
  if (shape.jobs) parts.push(`staged as (${jobsSql(next())})`);
  if (shape.results) parts.push(`resulted as (${resultsSql(next(), next())})`);
  if (shape.deliveries) {
    parts.push(`delivered as (insert into deliveries (env, delivery, item, created, created_at)
      select $1, d.delivery, d.item, d.created, $5::bigint from json_to_recordset(${next()}::json) as d(delivery text, item text, created boolean)
      join written w on w.id = d.item)`);
  }
  if (shape.saved) parts.push(`kept as (${gathered ? savedOfManySql(next()) : savedOfOneSql(parameter + 1)})`);
  return `with ${parts.join(',\n')}\nselect id from written`;
};

const statements = new Map<string, Statement>();
/** Returns the statement of a shape: the same text with arrays of one or five hundred. */
export const getWriteStatement = (shape: WriteShape): Statement => {
  const name = `perform.${Object.entries(shape)
    .map(([part, on]) => (on ? part[0] : '-'))
    .join('')}`;
  return getOrCreate(statements, name, () => statement(name, writeSqlText(shape)));
};
