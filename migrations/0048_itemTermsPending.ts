/**
 * Lets changes add to the list of pending entries of the index of terms, as they do to that of words (0030): every change of an item
 * has an entry in it for each word of the title, which was a fifth of its processor time and a third of its write-ahead log.
 */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- It takes the lock of a table that is altered for a moment, and gives way where that is not to be had.
    set local lock_timeout = '3s';
    alter index items_terms set (fastupdate = on, gin_pending_list_limit = 4096);

    -- Workers of the release before call it too.
    create or replace function index_pending_words() returns bigint language sql security definer set search_path from current
      as $$ select gin_clean_pending_list('item_words_words'::regclass) + gin_clean_pending_list('items_terms'::regclass) $$;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    create or replace function index_pending_words() returns bigint language sql security definer set search_path from current
      as $$ select gin_clean_pending_list('item_words_words'::regclass) $$;
    alter index items_terms set (fastupdate = off);
  `);
