/** How far the words of items are cut anew (shared/items/recutWords.ts), which the release before cut otherwise. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    alter table item_words_progress
      add column recut_walks int not null default 0,
      add column recut_at bigint,
      add column recut_place text[];
  `);

export const down = (knex: Knex): Promise<unknown> =>
  knex.raw('alter table item_words_progress drop column recut_walks, drop column recut_at, drop column recut_place');
