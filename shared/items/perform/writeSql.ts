/**
 * The statements that insert and update items: those of operations (write.ts), of the end of a reply (shared/replies/settleReply.ts)
 * and of an erasure. An operation writes changed rows, each only at the version that was decided on, with their events, live messages,
 * staged jobs, bulk results and saved responses. Only a sweep over words updates items elsewhere (recutWords.ts).
 */
import type { Column } from '../../app/items/columns.ts';
import { columnsOf, erasedNames, itemMembers, memberNames, type Item } from '../../app/items/members.ts';
import { getOrCreate } from '../../platform/caches.ts';
import { actor, change, event, keep, live, type Change } from '../../platform/journal/changeWriter.ts';
import { actorOfRow, actorRecord, withEventIds, type ActorColumns } from '../../platform/journal/events.ts';
import { savedResponseOfRow, savedResponseRecord } from '../../platform/journal/idempotency.ts';
import { type Sql, bulkResultInsert, stagedJobInsert, sameColumns } from '../../platform/journal/inserts.ts';
import { itemTerms } from '../search/terms.ts';

/**
 * Terms come as one text: a JSON array inside a record costs PostgreSQL 60 µs, some 20 times its text. No word holds white space
 * and no tag a comma, so that no term holds both in a row.
 */
export const itemTermSeparator = ',\n';
/** JSON text has no control characters. */
export const livePartSeparator = '\u001e';
const termsOf = (row: string): string => `array_to_tsvector(string_to_array(${row}.terms, E',\\n'))`;

/** A column with the member that it holds. */
interface MemberColumn extends Column<unknown> {
  readonly member: keyof Item;
}

type Written = (typeof itemMembers)[keyof Item]['written'];

const columnsOfMembers = (members: readonly (keyof Item)[]): readonly MemberColumn[] =>
  members.flatMap((member) => columnsOf(member).map((column) => ({ ...column, member })));

/** Returns the columns of the members that are written so. */
const columnsWritten = (...written: readonly Written[]): readonly MemberColumn[] =>
  columnsOfMembers(memberNames.filter((member) => written.includes(itemMembers[member].written)));

/** Which columns are written that most updates leave alone. */
interface Replaced {
  readonly content: boolean;
  readonly links: boolean;
}

/** Returns the columns that an update writes, and the id. */
export const columnsUpdated = ({ content, links }: Replaced): readonly MemberColumn[] =>
  columnsWritten('always', ...(content ? (['content'] as const) : []), ...(links ? (['links'] as const) : []));

/** The columns of an update that leaves content and links alone. */
export const columnsUnreplaced = columnsUpdated({ content: false, links: false });
/** All columns of members: those of a new item. */
export const columnsCreated = columnsWritten('always', 'content', 'links', 'once');
/** The columns of an erasure, and the id. */
export const columnsErased = columnsOfMembers(['id', ...erasedNames]);

/**
 * Returns columns of an item as the members of a JSON object, with the brace before the first; what is null is left out. `held`: the
 * claim that it had when it was read.
 */
export const itemRowStart = (
  env: number,
  item: Item,
  columns: readonly MemberColumn[],
  held: Item['claim'] = item.claim,
): string => {
  let json = held === null ? '{' : `{"held":${JSON.stringify(held)},`;
  for (const { name, member, given } of columns) {
    const value = given(item[member]);
    if (value !== null) json += `"${name}":${value},`;
  }
  return `${json}"terms":${JSON.stringify(itemTerms(env, item).join(itemTermSeparator))}`;
};

/** An item as it is to be written, and the claim that it had when it was read, where that may be another. */
interface ItemRow {
  readonly item: Item;
  readonly held?: Item['claim'] | undefined;
}

/** Returns items as the rows `$items` of a change that writes these columns. */
export const itemRowsJson = (env: number, rows: readonly ItemRow[], columns: readonly MemberColumn[]): string =>
  `[${rows.map(({ item, held }) => `${itemRowStart(env, item, columns, held)}}`).join(',')}]`;

/** The condition that an item is as it was read: a change raises the version, and a claim alone does not. */
const isAsRead = 'i.version = g.version - 1 and i.claim is not distinct from g.held';

const namesOf = (columns: readonly MemberColumn[]): string => columns.map(({ name }) => name).join(', ');
/** Returns the columns of the rows of a change, with their types. */
const givenSql = (columns: readonly MemberColumn[], more = ''): string =>
  `g(${columns.map(({ name, type }) => `${name} ${type}`).join(', ')}, terms text, held jsonb${more})`;

/** An update: of one item, of many by one caller, or of one item each by several callers, where a locked item is passed over. */
type UpdateKind = 'one' | 'many' | 'gathered';

/**
 * The rows to update. Those of many are locked in one order, so that two batches never wait for each other; `place` saves a second
 * look-up. Of several callers each item is looked up by itself: no plan reads more, whatever it expects of the array.
 */
const heldSql: Readonly<Record<Exclude<UpdateKind, 'one'>, Sql>> = {
  many: `select i.id, i.ctid as place from items i join given g on g.id = i.id where i.env = $env and ${isAsRead} order by i.id for update of i`,
  gathered: `select h.id, h.place from given g cross join lateral (select i.id, i.ctid as place from items i where i.env = $env and i.id = g.id and ${isAsRead} for update skip locked) h`,
};

const setSql = (columns: readonly MemberColumn[], from: Sql): Sql => `
    update items i set ${columns.flatMap(({ name, write }) => (name === 'id' ? [] : [`${name} = ${write(`g.${name}`)}`])).join(', ')}, terms = ${termsOf('g')}
    from given g ${from}
    returning i.id`;

const ofOne = `where i.env = $env and i.id = g.id and ${isAsRead}`;

const updateSql = (kind: UpdateKind, columns: readonly MemberColumn[]): Sql =>
  setSql(columns, kind === 'one' ? ofOne : 'join held using (id) where i.ctid = held.place');

/** Returns the update that gives the items of `from`, by their `id`, its `claim`. */
export const claimSetSql = (
  from: Sql,
  { env = '$env', where = 'true', returning }: { readonly env?: Sql; readonly where?: Sql; readonly returning: Sql },
): Sql => `
    update items i set claim = g.claim from ${from} g where i.env = ${env} and i.id = g.id and ${where} returning ${returning}`;

const insertSql = `
    insert into items (env, ${namesOf(columnsCreated)}, terms)
    select $env, ${columnsCreated.map(({ name, write }) => write(name)).join(', ')}, ${termsOf('given')} from given
    returning id`;

/** Returns the rows of a JSON parameter as a table. */
const rowsOf = (parameter: string, columns: string): Sql => `json_to_recordset($${parameter}::json) as ${columns}`;

/** Returns the parts of a change that updates one item, only at the version that was decided on and where `guard` holds. */
export const guardedUpdate = (guard: Sql): { readonly given: Sql; readonly moved: Sql } => ({
  given: `select * from ${rowsOf('items', givenSql(columnsUnreplaced))}`,
  moved: setSql(columnsUnreplaced, `${ofOne} and ${guard}`),
});

/** Rewrites what may be about a person in items whose rows are locked. Their versions stay: the erasure performs a change of its own. */
export const erasingChange = change('items.erase', {
  given: `select * from ${rowsOf('items', givenSql(columnsErased))}`,
  written: setSql(columnsErased, 'where i.env = $env and i.id = g.id'),
});

/** Columns that only the first event of a change has: it is the one in the audit log. */
const onFirst = (value: Sql): Sql => `case when n = 0 then ${value} end`;

/** Who changes an item, when, as what, and by which trace: the same for all, or a column of each row. */
interface Origin {
  readonly at: Sql;
  readonly verb: Sql;
  readonly traceparent: Sql;
  readonly who: ActorColumns;
}
const one: Origin = { at: '$at::bigint', verb: '$verb', traceparent: '$trace', who: actor };
const ofRow: Origin = { at: 'at', verb: 'verb', traceparent: 'traceparent', who: actorOfRow('numbered') };
const originColumns = `at bigint, verb text, traceparent text, ${actorRecord}`;

const eventColumns = `e(n int, item text, inbox text, entry text, type text, live int, data jsonb, before jsonb, after jsonb, is_update boolean, deltas jsonb,
      due_from bigint, due_to bigint, awake_from bigint, awake_to bigint)`;

/** Event ids are drawn from rows of `written`, so after the item's row lock: per item, ids follow versions. */
const numberedSql = (isGathered: boolean): Sql =>
  withEventIds(
    `(select e.*, l.parts${isGathered ? ', g.at, g.verb, g.traceparent, g.actor_type, g.actor, g.actor_name, g.role, g.request_id, g.address' : ''}
      from ${rowsOf('events', eventColumns)} join written w on w.id = e.item${isGathered ? ' join given g on g.id = e.item' : ''}
      left join string_to_table($live, E'\\x1e') with ordinality as l(parts, live) on l.live = e.live
      order by e.item, e.n) e`,
    'e.*',
  );

/** What follows from written items, however they are written. Live messages are the greater part of it all: cutting a text at a sign that no JSON holds costs a fifth of parsing them. */
const following = ({ at, verb, traceparent, who }: Origin): Change['parts'] => ({
  numbered: numberedSql(at === ofRow.at),
  happened: event(
    {
      ...sameColumns(['id', 'inbox', 'item', 'entry', 'type', 'data', 'before', 'after']),
      ...who,
      at,
      role: onFirst(who.role),
      request_id: onFirst(who.request_id),
      address: onFirst(who.address),
      verb: onFirst(verb),
      target_type: onFirst("'item'"),
      target: onFirst('item'),
      is_update: 'coalesce(is_update, false)',
    },
    { from: 'numbered' },
  ),
  told: live(
    {
      ...sameColumns(['id', 'parts', 'inbox', 'deltas', 'due_from', 'due_to', 'awake_from', 'awake_to']),
      at,
      whole: 'true',
      traceparent,
    },
    { from: 'numbered', where: 'parts is not null' },
  ),
  met: `insert into item_users (env, item, who)
      select $env, u.item, u.who from ${rowsOf('users', 'u(item text, who text)')} join written w on w.id = u.item
      on conflict do nothing`,
  occurred: `insert into occurrences (env, item, at, id, title, data, who, overflow)
      select $env, o.item, o.at, o.id, o.title, o.data, o.who, o.overflow
      from ${rowsOf('occurrences', 'o(item text, at bigint, id text, title text, data json, who text, overflow boolean)')} join written w on w.id = o.item`,
  // An item's own row is replaced with its content. Further texts are indexed by a sweep (workers/sweeps/index.ts).
  indexed: `insert into item_words (env, item, source, words)
      select $env, t.item, t.source, array_to_tsvector(string_to_array(t.words, E'\\n'))
      from ${rowsOf('texts', 't(item text, source text, words text)')} join written w on w.id = t.item
      on conflict (env, item, source) do update set words = excluded.words`,
  staged: stagedJobInsert(
    {
      ...sameColumns(['id', 'name', 'payload', 'subject', 'request_id', 'due_at', 'created_at', 'traceparent'], 'j'),
      env: '$env',
    },
    {
      from: `${rowsOf('jobs', 'j(id text, item text, name text, payload jsonb, subject text, request_id text, due_at bigint, created_at bigint, traceparent text)')}
      join written w on w.id = j.item`,
    },
  ),
  resulted: bulkResultInsert(
    {
      bulk: '$bulk',
      ...sameColumns(['seq', 'item', 'outcome', 'error', 'code'], 'r'),
      ...sameColumns(['before', 'after'], 'e'),
    },
    {
      from: `${rowsOf('results', 'r(seq int, item text, outcome text, error text, code text)')}
      left join numbered e on e.item = r.item and e.n = 0`,
      where: `r.outcome <> 'changed' or e.id is not null`,
    },
  ),
  delivered: `insert into deliveries (env, delivery, item, created, created_at)
      select $env, d.delivery, d.item, d.created, $at::bigint from ${rowsOf('deliveries', 'd(delivery text, item text, created boolean)')}
      join written w on w.id = d.item`,
  kept:
    at === ofRow.at
      ? keep(
          {
            from: `${rowsOf('saved', `s(item text, at bigint, ${savedResponseRecord})`)} join written w on w.id = s.item`,
            orderBy: 's.principal, s.key',
          },
          { ...savedResponseOfRow('s'), created_at: 's.at' },
        )
      : keep({ where: '(select count(*) from written) = (select count(*) from given)' }),
});

const answer = 'select id from written';

const creation = change(
  'perform.create',
  {
    given: `select * from ${rowsOf('items', givenSql(columnsCreated))}`,
    written: insertSql,
    ...following(one),
  },
  answer,
);

const updating = (name: string, kind: UpdateKind, replaced: Replaced): Change => {
  const columns = columnsUpdated(replaced);
  const isGathered = kind === 'gathered';
  return change(
    name,
    {
      given: `select * from ${rowsOf('items', givenSql(columns, isGathered ? `, ${originColumns}` : ''))}`,
      ...(kind === 'one' ? {} : { held: heldSql[kind] }),
      written: updateSql(kind, columns),
      ...following(isGathered ? ofRow : one),
    },
    answer,
  );
};

const updates = new Map<string, Change>();

/** Returns the change that creates items, or updates them: the same text with arrays of one or five hundred. */
export const itemChange = (kind: UpdateKind | 'create', replaced: Replaced): Change => {
  if (kind === 'create') return creation;
  const name = `perform.${kind}${replaced.content ? '.content' : ''}${replaced.links ? '.links' : ''}`;
  return getOrCreate(updates, name, () => updating(name, kind, replaced));
};
