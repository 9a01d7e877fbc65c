/**
 * Lets changes add to the list of pending entries of the index of item_words, which costs them a fraction of adding to the index
 * itself, and a function by which the service's role has the list emptied; a sweep calls it each second.
 */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- Searches read the whole list, so it is kept short. Whoever makes it longer than 4 MB (without a sweep) empties it.
    alter index item_words_words set (fastupdate = on, gin_pending_list_limit = 4096);

    -- Only the owner of an index may empty its list.
    create function index_pending_words() returns bigint language sql security definer set search_path from current
      as $$ select gin_clean_pending_list('item_words_words'::regclass) $$;
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('drop function index_pending_words(); alter index item_words_words set (fastupdate = off)');
