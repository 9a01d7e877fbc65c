/** Erases what was sent of a person: messages of the stream, saved responses, errors of jobs. */
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import { partsOf } from '../platform/journal/inserts.ts';

/** Rows of one statement: few, so that locks are short. */
const batchRows = 2_000;

/** Returns SQL for whether a text names one of the ids of the parameter. */
const names = (text: string, parameter: string): string =>
  `exists (select from regexp_matches(${text}, '(?:itm|run|apr|blk)_[0-7][0-9a-hjkmnp-tv-z]{25}', 'g') m(id) where m.id[1] = any(${parameter}))`;

const unpublishedSql = statement(
  'erasure.unpublished',
  `select 1 as found from outbox o where env = $1 and ${names(partsOf('o'), '$2')} limit 1`,
);
const headSql = statement('erasure.head', 'select position, trimmed from streams where env = $1');
const eraseStreamSql = statement(
  'erasure.eraseStream',
  `
  with changed as materialized (
    select * from (select f.*, (
      select json_agg(case when ${names('p.part::text', '$4')} then erased_message(p.part::jsonb)::json else p.part end order by p.place)::text
      from json_array_elements(f.parts::json) with ordinality p(part, place)) as erased
    from (select position, id, s.parts as inside, ${partsOf('s')} as parts from stream s where env = $1 and position > $2 and position <= $3 offset 0) f
    where ${names('f.parts', '$4')} offset 0) e where parts::jsonb <> erased::jsonb
  ), apart as (update stream_parts p set parts = erased from changed c where p.id = c.id and inside = ''),
  own as (update stream s set parts = erased from changed c where s.env = $1 and s.position = c.position and inside <> '')
  select from changed`,
);
/** The time of the first saved response behind a batch that begins at $1. */
const nextResponseSql = statement(
  'erasure.nextResponse',
  `select created_at as at from idempotency_keys where created_at >= $1 order by created_at offset ${String(batchRows)} limit 1`,
);
/** A repeat of the request is told by ids what was done; nothing is done a second time. */
const eraseResponsesSql = statement(
  'erasure.eraseResponses',
  `
  update idempotency_keys set body = erased_response(body)
  where created_at >= $2 and created_at < $3 and ${names('body', '$1')} and body::jsonb <> erased_response(body)::jsonb`,
);
const eraseErrorsSql = statement(
  'erasure.eraseErrors',
  `
  update staged_jobs set payload = payload - 'to', last_error = case when last_error is not null then 'Erased' end
  where subject = any($1) and (last_error <> 'Erased' or payload ? 'to')`,
);

/** Erases the saved responses about these, oldest first. */
const eraseResponses = async (db: Db, about: readonly string[]): Promise<void> => {
  let from = 0;
  for (;;) {
    const next = await queryRow<{ at: number }>(db, nextResponseSql, [from]);
    // A batch has all of a millisecond.
    const to = next === undefined ? Number.MAX_SAFE_INTEGER : Math.max(next.at, from + 1);
    await executeStatement(db, eraseResponsesSql, [about, from, to]);
    if (next === undefined) return;
    from = to;
  }
};

/**
 * Erases what was sent about the items, runs, approvals and bulks `about`. Returns the number of messages; null while some about them
 * are not published yet.
 */
export const eraseSent = async (db: Db, envId: number, about: readonly string[]): Promise<number | null> => {
  if (about.length === 0) return 0;
  await eraseResponses(db, about);
  await executeStatement(db, eraseErrorsSql, [about]);
  if ((await queryRow(db, unpublishedSql, [envId, about])) !== undefined) return null;
  const head = await queryRow<{ position: number; trimmed: number }>(db, headSql, [envId]);
  let messages = 0;
  for (let from = head?.trimmed ?? 0; from < (head?.position ?? 0); from += batchRows)
    messages += await executeStatement(db, eraseStreamSql, [envId, from, from + batchRows, about]);
  return messages;
};
