/** Several workers publish at once, each the environments of its partitions: how they share these, and the order of the outbox by them. */
import type { Knex } from 'knex';

export const config = { transaction: false };

const presentSql = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const steps = [
  `
  -- The partition of an environment, 0 to 7: a multiplicative hash, which spreads numbers that follow each other evenly.
  create or replace function outbox_partition(env int) returns int language sql immutable parallel safe as $$
    select (((env::bigint * 2654435769) & 4294967295) >> 29)::int
  $$`,
  'drop index concurrently if exists outbox_order',
  'create index concurrently outbox_order on outbox (outbox_partition(env), id)',
  // The row 'publisher' is the lease of a release whose one publisher has all environments, and what all publishers lock who share.
  "insert into leases (name, holder, fence, until) values ('publisher', '', 0, 0) on conflict do nothing",
  `
  -- Makes the holder one of those who publish, or keeps it one, and says under which fence and for which partitions (null: all). Nothing
  -- while a publisher of an earlier release has the lease for all. Publishers have a row each; where one comes or has gone, the
  -- fences of all others end, so that every fence that is good is of the same shares. Waits for their statements under way.
  create or replace function share_publishing(sharer text, lease_ms int)
    returns table (fence bigint, partitions int[]) language plpgsql as $$
  declare
    own text := 'publisher ' || sharer;
    present bigint;
    drawn bigint;
    gone int;
    comes boolean;
  begin
    update leases l set fence = l.fence + 1 where l.name = 'publisher' and l.until <= ${presentSql} returning l.fence into drawn;
    if drawn is null then
      return;
    end if;
    present := ${presentSql};
    -- One that is locked has a statement under way, and may have renewed its lease: nobody waits for that.
    delete from leases where name = any (array(
      select l.name from leases l where l.name like 'publisher %' and l.until <= present and l.name <> own for update skip locked));
    get diagnostics gone = row_count;
    update leases l set fence = drawn, until = present + lease_ms where l.name = own;
    comes := not found;
    if comes then
      insert into leases (name, holder, fence, until) values (own, sharer, drawn, present + lease_ms);
    end if;
    if comes or gone > 0 then
      update leases l set fence = 0 where l.name like 'publisher %' and l.name <> own;
    end if;
    return query
      select drawn, case when s.publishers > 1 then array(select p from generate_series(0, 7) p where p * s.publishers / 8 = s.place) end
      from (
        select count(*) as publishers, count(*) filter (where l.name < own) as place from leases l where l.name like 'publisher %'
      ) s;
  end $$`,
  `
  -- Keeps the lease for all from publishers of earlier releases while others share: its update is left out, as if it were held.
  create or replace function refuse_sole_publisher() returns trigger language plpgsql as $$
  begin
    -- Waits for the statements of those whose leases have run out meanwhile.
    perform from leases where name like 'publisher %' and until <= ${presentSql} for update;
    if exists (select from leases where name like 'publisher %' and until > ${presentSql}) then
      return null;
    end if;
    delete from leases where name like 'publisher %';
    return new;
  end $$`,
  `
  create or replace trigger leases_sole_publisher before update on leases for each row
    when (new.name = 'publisher' and new.fence > old.fence and new.until > old.until)
    execute function refuse_sole_publisher()`,
];

export const up = async (knex: Knex): Promise<void> => {
  for (const step of steps) await knex.raw(step);
};

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop trigger leases_sole_publisher on leases;
    drop function refuse_sole_publisher(), share_publishing(text, int);
    delete from leases where name like 'publisher %';
    drop index outbox_order;
    drop function outbox_partition(int);
  `);
