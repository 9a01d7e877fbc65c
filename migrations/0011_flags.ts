/** The table of feature flags that were changed, and an index of occurrences in an inbox, for the guards of ramps. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- A row is made by the first change of a flag; until then it is as it was declared. Never deleted: what isn't declared
    -- any more is hidden. \`kind\`: of the declaration that the row was written under; under another it doesn't count.
    -- \`value\` null: the JSON null. \`rollout\` in thousandths of a percent. \`changes\` counts changes by hand, not steps of ramps.
    -- \`ramp_id\`: of the ramp that goes on, which every step of it names; \`next_at\`: when its next step is due;
    -- \`guard_until\`: how long its guard watches. \`changed\`: the transaction that wrote the row last, by which processes
    -- that hold the flags in memory find what is new without asking a clock.
    create table flags (
      env          int not null references environments,
      key          text collate "C" not null,
      kind         text not null check (kind in ('boolean', 'string', 'number', 'json')),
      value        jsonb,
      rollout      int check (rollout between 0 and 100000),
      targets      jsonb not null,
      rules        jsonb not null,
      ramp         jsonb,
      ramp_id      text collate "C",
      next_at      bigint,
      guard_until  bigint,
      version      int not null,
      changes      int not null,
      updated_at   bigint not null,
      updated_by   jsonb not null,
      changed      xid8 not null,
      primary key (env, key)
    ) with (fillfactor = 70);
    create index flags_changed on flags (changed);
    create index flags_ramps on flags (next_at) where next_at is not null;
    create index flags_guards on flags (guard_until) where guard_until is not null;

    create index events_occurred on events (env, inbox, at) where verb in ('item.create', 'item.occur') and outcome = 'ok';
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index events_occurred; drop table flags');
