/** Makes results and chunks of bulks tables of months, whose first parts are the tables that were; online. Table of retentions. */
import type { Knex } from 'knex';

export const config = { transaction: false };

/** A shorter time than PostgreSQL waits before it looks for a deadlock: who waits for us is never the one that is given up. */
const lockTimeout = '500ms';

const columns = `
  -- Counts of a bulk whose chunks may be gone; null: they are in the chunks. When its results went, in epoch ms.
  alter table bulks add column if not exists changed int, add column if not exists unchanged int,
    add column if not exists failed int, add column if not exists results_gone_at bigint;

  -- How long an environment keeps a kind of rows: null: as the workers' configuration says, 0: for ever. Of ids below gone_before
  -- nothing is shown any more, of those below deleted_before nothing is there.
  create table if not exists retentions (
    env             int not null references environments,
    kind            text not null check (kind in ('bulkResults')),
    days            int check (days = 0 or days between 8 and 36500),
    gone_before     text collate "C" not null default '',
    deleted_before  text collate "C" not null default '',
    primary key (env, kind)
  );
`;

const functions = `
  -- A text that sorts below all ids of a time and above those of every earlier one: ids begin with their time in ms, in base 32.
  create or replace function id_at(prefix text, moment timestamptz) returns text language sql stable as $$
    select prefix || '_' || string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> (45 - 5 * n)) & 31)::int + 1, 1), '' order by n)
    from (select (extract(epoch from moment) * 1000)::bigint as ms) t cross join generate_series(0, 9) n
  $$;

  -- The id at which a part ends; null: the part of all that has no other.
  create or replace function part_ends(part oid) returns text language sql stable as $$
    select substring(pg_get_expr(relpartbound, oid) from 'TO \\(''(\\w+)''\\)') from pg_class where oid = part
  $$;

  -- Makes the parts of a month and of the two after it, where they are missing, of a table whose key begins with ids of a prefix.
  -- Rows that came before their month's part are moved to it. Returns how many parts it made.
  create or replace function make_month_parts(whole text, key text, prefix text, fillfactor int, moment timestamptz) returns int language plpgsql as $$
  declare month timestamp; part text; other text := whole || '_other'; starts text; ends text; made int := 0;
  begin
    for n in 0..2 loop
      month := date_trunc('month', moment at time zone 'UTC') + make_interval(months => n);
      part := whole || to_char(month, '_YYYY_MM');
      starts := id_at(prefix, month at time zone 'UTC');
      ends := id_at(prefix, (month + interval '1 month') at time zone 'UTC');
      continue when exists (select from pg_inherits p where p.inhparent = whole::regclass and part_ends(p.inhrelid) collate "C" >= ends);
      execute format('lock table %I in access exclusive mode', other);
      execute format('create table %I (like %I including defaults including constraints) with (fillfactor = %s)', part, whole, fillfactor);
      execute format('with moved as (delete from %I where %I >= %L and %I < %L returning *) insert into %I select * from moved',
        other, key, starts, key, ends, part);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', whole, part, starts, ends);
      made := made + 1;
    end loop;
    return made;
  end $$;

  create or replace function make_bulk_months(moment timestamptz) returns int language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(4920733);
    return make_month_parts('bulk_results', 'bulk', 'blk', 100, moment) + make_month_parts('bulk_chunks', 'bulk', 'blk', 50, moment);
  end $$;

  create or replace function prepare_bulk_months() returns int language sql security definer
    set search_path from current set lock_timeout to '${lockTimeout}' as $$ select make_bulk_months(now()) $$;

  -- Drops the parts that hold nothing that an environment still shows. Returns how many.
  create or replace function drop_past_bulk_months() returns int language plpgsql security definer
    set search_path from current set lock_timeout to '${lockTimeout}' as $$
  declare gone text; part record; last text := ''; dropped int := 0;
  begin
    select min(coalesce(r.gone_before, '')) into gone from environments e left join retentions r on r.env = e.id and r.kind = 'bulkResults';
    for part in
      select p.inhrelid::regclass as name, part_ends(p.inhrelid) as ends from pg_inherits p
      where p.inhparent in ('bulk_results'::regclass, 'bulk_chunks'::regclass) and part_ends(p.inhrelid) collate "C" <= gone
    loop
      execute format('drop table %s', part.name);
      last := greatest(last, part.ends collate "C");
      dropped := dropped + 1;
    end loop;
    update retentions set deleted_before = last where kind = 'bulkResults' and deleted_before < last;
    return dropped;
  end $$;
  revoke execute on function make_month_parts(text, text, text, int, timestamptz), make_bulk_months(timestamptz),
    prepare_bulk_months(), drop_past_bulk_months() from public;
`;

interface MonthTable {
  readonly name: string;
  readonly key: string;
  readonly fillfactor: number;
  /** By name, with what each is on. */
  readonly indexes: Readonly<Record<string, string>>;
}

const tables: readonly MonthTable[] = [
  {
    name: 'bulk_results',
    key: 'bulk, seq',
    fillfactor: 100,
    indexes: { outcome: '(bulk, outcome, seq)' },
  },
  { name: 'bulk_chunks', key: 'bulk, n', fillfactor: 50, indexes: {} },
];

/** Rights on the former table are given on its successor, and on the former only the owner keeps its own. */
const moveRights = (from: string, to: string): string => `
  do $$ declare given record; begin
    for given in
      select g.rolname, x.privilege_type from pg_class c cross join aclexplode(c.relacl) x join pg_roles g on g.oid = x.grantee
      where c.oid = '${from}'::regclass and x.grantee <> c.relowner
    loop
      execute format('grant %s on ${to} to %I', given.privilege_type, given.rolname);
      execute format('revoke %s on ${from} from %I', given.privilege_type, given.rolname);
    end loop;
  end $$;
`;

/**
 * The indexes of the first part keep their names, by which the previous release knows a result that is there already. Nothing in
 * chunks has a row in bulks taken away: none is ever deleted.
 */
const swap = ({ name, key, fillfactor, indexes }: MonthTable, ends: string): string => `
  alter table ${name} rename to ${name}_former;
  alter table ${name}_former drop constraint if exists ${name}_bulk_fkey;
  create table ${name} (like ${name}_former including defaults including constraints) partition by range (bulk);
  alter table ${name} drop constraint ${name}_before_months;
  ${moveRights(`${name}_former`, name)}
  alter table ${name} add constraint ${name}_months_pkey primary key (${key});
  ${Object.entries(indexes)
    .map(([index, on]) => `create index ${name}_months_${index} on ${name} ${on};`)
    .join('\n')}
  alter table ${name} attach partition ${name}_former for values from (minvalue) to ('${ends}');
  alter table ${name}_former drop constraint ${name}_before_months;
  create table ${name}_other (like ${name} including defaults including constraints) with (fillfactor = ${String(fillfactor)});
  alter table ${name} attach partition ${name}_other default;
`;

const makeWhole = ({ name, key, fillfactor, indexes }: MonthTable): string => `
  create table ${name}_whole (like ${name} including defaults including constraints) with (fillfactor = ${String(fillfactor)});
  insert into ${name}_whole select * from ${name};
  drop table ${name};
  alter table ${name}_whole rename to ${name};
  alter table ${name} add constraint ${name}_pkey primary key (${key});
  ${Object.entries(indexes)
    .map(([index, on]) => `create index ${name}_${index} on ${name} ${on};`)
    .join('\n')}
`;

const isOfMonths = async (knex: Knex, { name }: MonthTable): Promise<boolean> => {
  const { rows } = await knex.raw<{ rows: { kind: string }[] }>(
    `select relkind as kind from pg_class where oid = '${name}'::regclass`,
  );
  return rows[0]?.kind === 'p';
};

/** Runs a step in a transaction that waits for locks only shortly: while it waits, everybody else who uses the table waits behind it. */
const runStep = (knex: Knex, sql: string): Promise<void> =>
  knex.transaction(async (tx) => {
    await tx.raw(`set local lock_timeout = '${lockTimeout}'`);
    await tx.raw(sql);
  });

/** The first part ends far enough in the future that nothing is refused where this is interrupted and goes on only weeks later. */
const readEnd = async (knex: Knex): Promise<string> => {
  const { rows } = await knex.raw<{ rows: { ends: string }[] }>(
    "select id_at('blk', (date_trunc('month', now() at time zone 'UTC') + interval '2 months') at time zone 'UTC') as ends",
  );
  return rows[0]?.ends ?? '';
};

const moveTable = async (knex: Knex, table: MonthTable): Promise<void> => {
  if (await isOfMonths(knex, table)) return;
  const { name } = table;
  const ends = await readEnd(knex);
  await runStep(
    knex,
    `alter table ${name} drop constraint if exists ${name}_before_months;
     alter table ${name} add constraint ${name}_before_months check (bulk < '${ends}') not valid;`,
  );
  // Reads all rows, and lets others write meanwhile: the part is then attached without being read.
  await knex.raw(`alter table ${name} validate constraint ${name}_before_months`);
  await runStep(knex, `lock table bulks, ${name} in access exclusive mode; ${swap(table, ends)}`);
};

export const up = async (knex: Knex): Promise<void> => {
  await runStep(knex, columns);
  await runStep(knex, functions);
  for (const table of tables) await moveTable(knex, table);
  await runStep(knex, 'select make_bulk_months(now())');
};

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop function prepare_bulk_months();
    drop function drop_past_bulk_months();
    drop function make_bulk_months(timestamptz);
    drop function make_month_parts(text, text, text, int, timestamptz);
    drop function part_ends(oid);
    drop function id_at(text, timestamptz);
    ${tables.map(makeWhole).join('\n')}
    alter table bulk_chunks add constraint bulk_chunks_bulk_fkey foreign key (bulk) references bulks;
    drop table retentions;
    alter table bulks drop column changed, drop column unchanged, drop column failed, drop column results_gone_at;
  `);
