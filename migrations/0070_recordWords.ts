/**
 * Index of records whose words the release before has cut. The sweep indexRecords writes them again, in batches; until then
 * a record is found as before. The index is empty once all are written.
 */
import type { Knex } from 'knex';

export const config = { transaction: false };

export const up = async (knex: Knex): Promise<void> => {
  await knex.raw('drop index concurrently if exists records_former_words');
  // Stamps of the release before are below 2^49 (shared/records/terms.ts).
  await knex.raw(
    'create index concurrently records_former_words on records (env, resource) where stamp < 562949953421312',
  );
};

export const down = (knex: Knex): Promise<unknown> => knex.raw('drop index records_former_words');
