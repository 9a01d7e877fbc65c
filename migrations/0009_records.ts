/** Columns, keys and indexes to search, filter and sort stored records, and an index of items by linked record. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- \`terms\`: words, id, and values that fields are filtered by (shared/records/terms.ts). \`shape\` names the declaration
    -- that these were made by; another one has them made anew. \`stamp\` is the writing transaction: keys of another stamp are stale.
    alter table records
      add column title_key text collate "C" not null default '',
      add column terms tsvector not null default '',
      add column shape text collate "C" not null default '',
      add column stamp bigint not null default 0;
    create index records_title on records (env, resource, title_key, id);
    create index records_updated on records (env, resource, updated_at, id);
    create index records_shape on records (env, resource, shape);
    create index records_terms on records using gin (terms) with (fastupdate = off);

    -- The values of fields that records are sorted by, or filtered by in ranges: a row for each record and field. Numbers
    -- stand in \`num\`, texts in \`text\`; \`missing\`: the record doesn't have the field, and comes last.
    create table record_keys (
      env       int not null,
      resource  text collate "C" not null,
      field     text collate "C" not null,
      missing   boolean not null,
      num       float8 not null,
      text      text collate "C" not null,
      id        text collate "C" not null,
      stamp     bigint not null
    );
    create index record_keys_order on record_keys (env, resource, field, missing, num, text, id) include (stamp);
    create index record_keys_record on record_keys (env, resource, id);

    create index items_links on items using gin (links jsonb_path_ops) with (fastupdate = off) where links <> '[]';
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    drop index items_links;
    drop table record_keys;
    drop index records_title, records_updated, records_shape, records_terms;
    alter table records drop column title_key, drop column terms, drop column shape, drop column stamp;
  `);
