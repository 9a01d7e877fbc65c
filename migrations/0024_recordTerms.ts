/**
 * Index of records whose terms an older release has written: they lack the words of the record's id. The sweep indexRecords
 * writes them again, in batches; until then a record is found as before. The index is empty once all are written.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index concurrently if exists records_old_terms');
  // Stamps of older releases are below 2^48 (shared/records/terms.ts).
  await knex.raw(
    'create index concurrently records_old_terms on records (env, resource) where stamp < 281474976710656',
  );
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index records_old_terms');
