/** Months of events that have passed: the parts of a database as they would be if it had been made some months ago. */
interface Sql {
  sql<R extends object>(text: string, values?: unknown[]): Promise<R[]>;
}

/** Makes the parts as of `months` ago, when there are few events yet; those that there are become the first of that month. */
export const beginMonthsAgo = async ({ sql }: Sql, months: number): Promise<void> => {
  const parts = await sql<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'events'::regclass and inhrelid <> 'events_former'::regclass`,
  );
  const then = `now() - interval '${String(months)} months'`;
  await sql(`
    begin;
    alter table events disable trigger user;
    create temporary table kept on commit drop as select * from events;
    ${parts.map(({ name }) => `drop table ${name};`).join('\n')}
    alter table events detach partition events_former;
    do $$ begin execute format('alter table events attach partition events_former for values from (minvalue) to (%s)', event_month_starts(${then})); end $$;
    select setval('events_id_seq', 1);
    select make_event_months(${then});
    -- The ids begin at a month whose part was there.
    select make_event_months(${then});
    update kept set id = nextval('events_id_seq');
    insert into events select * from kept;
    alter table events enable trigger user;
    commit;
  `);
};

/** Lets the ids of events begin at those of a month that is `months` ago. */
export const turnMonth = async ({ sql }: Sql, months: number): Promise<void> => {
  await sql(`select make_event_months(now() - interval '${String(months)} months')`);
};
