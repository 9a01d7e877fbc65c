/** A job as its list shows it. Used by list.ts. */
import type { Caller } from '../../access/principal.ts';
import { aboutOf } from './about.ts';
import type { JobRow } from './rows.ts';
import type { JobView } from './schema.ts';
import { retryVerdict, whyOf, type Situation } from './why.ts';

/** Returns a job as the caller sees it: without its error, whose words may be the app's, when they don't see what it is about. */
export const presentJob = (caller: Caller, row: JobRow, situation: Situation): JobView => {
  const about = aboutOf(caller, row);
  const isSeen = about !== null;
  return {
    id: row.id,
    kind: row.name,
    state: row.state,
    about,
    why: whyOf(row, situation, isSeen),
    attempts: row.attempts,
    error: isSeen ? row.last_error : null,
    retryable: retryVerdict(row, situation, isSeen) === 'now',
    createdAt: row.created_at,
    dueAt: row.due_at,
    enqueuedAt: row.enqueued_at,
  };
};
