/** How bulks that have ended move to their months. Used by the sweep endedRows. */
import { statement } from '../platform/db/sql.ts';
import { batchRows, type EndedRows } from '../platform/ended/moveEnded.ts';

export const endedBulks: EndedRows = {
  kind: 'bulks',
  prefix: 'blk',
  find: statement(
    'bulk.findEnded',
    `select id from bulks where id > $1 and id < $2 and finished_at < $3 order by id limit ${String(batchRows)}`,
  ),
  // A bulk that is being undone stays.
  move: statement(
    'bulk.moveEnded',
    `
    with gone as (
      delete from bulks b where b.id = any($1) and b.finished_at < $2
        and b.id not in (select u.undo_of from bulks u where u.finished_at is null and u.undo_of is not null)
      returning b.finished_at as ended_at, b.*
    )
    insert into bulks_ended select g.* from gone g returning id`,
  ),
};
