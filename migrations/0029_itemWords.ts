/** Tables of the words and values that items are found by, and of how far they are written for older releases' rows. */
import type { Knex } from 'knex';

export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    -- A row for an item's title and fields (\`source\` empty), and one for each further text: an occurrence, a note, a reply.
    -- \`words\`: lexemes of shared/items/search/itemWords.ts. Rows are added and deleted with their text, so that no change rewrites
    -- another text's; only the item's own row changes, where an occurrence replaces title and fields.
    create table item_words (
      env     int not null,
      item    text collate "C" not null,
      source  text collate "C" not null,
      words   tsvector not null,
      primary key (env, item, source)
    );
    create index item_words_words on item_words using gin (words) with (fastupdate = off);

    -- One row: up to which event the texts of all items are in item_words, whichever release wrote them.
    create table item_words_progress (
      only_row  boolean primary key default true check (only_row),
      event     bigint not null default 0
    );
    insert into item_words_progress default values;
  `);

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop table item_words_progress, item_words');
