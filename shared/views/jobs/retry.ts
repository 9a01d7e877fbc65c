/** Has a job tried now that was given up, or is to be tried later. For api/routes/settings/jobs.ts. */
import { reasonMember, type Caller, toEventActor } from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import { fault } from '../../catalogue/errors.ts';
import { isIdleJobSql } from '../../catalogue/states/stagedJobs.ts';
import type { Tx } from '../../platform/db/knex.ts';
import { namedStatement, queryNamedRows, queryRow, statement } from '../../platform/db/sql.ts';
import {
  actorValues,
  change,
  event,
  insertSavedResponse,
  writeChange,
  type ChangeValues,
} from '../../platform/journal/changeWriter.ts';
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import { channels } from '../../platform/redis/bus.ts';
import { aboutOf } from './about.ts';
import { readSituation } from './list.ts';
import { jobRowSql, type JobRow } from './rows.ts';
import type { RetriedJob } from './schema.ts';
import { retryVerdict } from './why.ts';

const lockStatement = namedStatement(
  'jobs.lock',
  () => `select ${jobRowSql} from staged_jobs f where f.env = $env and f.id = $id for update of f`,
);

/** A job that was given up has all its tries again; one that waits for its next try goes on with those that are left. */
const retryChange = change('jobs.retry', {
  due: `
    update staged_jobs j set due_at = $at::bigint, tries = case when $givenUp::boolean then 0 else tries end
    where j.env = $env and j.id = $id and ${isIdleJobSql('j')} returning j.id, j.env`,
  happened: event(
    {
      env: 'due.env',
      verb: "'job.retry'",
      target_type: "'job'",
      target: 'due.id',
      inbox: '$inbox',
      before: '$before::jsonb',
      after: '$after::jsonb',
    },
    { from: 'due' },
  ),
});

const erasedReplySql = statement(
  'jobs.erasedReply',
  `
  select 1 as found from staged_jobs j join events e on e.env = j.env and e.item = j.subject and e.entry = j.payload ->> 'entry' and not e.is_update
  where j.env = $1 and j.id = $2 and e.data ->> 'erased' = 'true' limit 1`,
);

/** Throws `conflict` for a reply that was given up and whose text was erased since: it would be sent empty. */
const requireText = async (tx: Tx, envId: number, { id, name, state }: JobRow): Promise<void> => {
  if (name !== 'replySend' || state !== 'failed') return;
  if ((await queryRow(tx, erasedReplySql, [envId, id])) !== undefined)
    throw fault('conflict', 'What this reply said was erased, so it can’t be sent any more.');
};

/** The job as the audit log has it: by ids, with the inbox or the resource by which the entry is hidden from who doesn't see these. */
const auditValues = (caller: Caller, row: JobRow): ChangeValues => {
  const { run, bulk, item, erasure } = row.facts ?? {};
  const subject = run?.id ?? bulk?.id ?? item?.id ?? erasure?.id ?? null;
  return {
    inbox: item?.inbox,
    before: { state: row.state, attempts: row.attempts },
    after: {
      state: 'due',
      kind: row.name,
      about: subject,
      ...(run ? { resource: run.resource } : {}),
      ...reasonMember(caller),
    },
  };
};

/**
 * Makes a job due, with its audit entry, and returns what became of it; nothing changes for one that is due or running.
 * Throws `not_found`, and `conflict` with the reason for one that waits for something else than its next try.
 */
export const retryJob = async (
  deps: DomainDeps,
  caller: Caller,
  id: string,
  save: (body: string) => SavedResponse | null,
): Promise<RetriedJob> => {
  const { db, bus, clock } = deps;
  const { env } = caller;
  const situation = await readSituation(deps, env.id);
  const now = clock.now();
  const result = await db.transaction(async (tx): Promise<RetriedJob> => {
    const [row] = await queryNamedRows<JobRow>(tx, lockStatement, { env: env.id, id, now });
    if (row === undefined) throw fault('not_found');
    const verdict = retryVerdict(row, situation, aboutOf(caller, row) !== null);
    if (typeof verdict === 'object') throw fault('conflict', verdict.refusal);
    const changed = verdict === 'now';
    if (changed) {
      await requireText(tx, env.id, row);
      const who = actorValues(toEventActor(caller));
      const given = { env: env.id, id, at: now, givenUp: row.state === 'failed' };
      await writeChange(tx, retryChange, { ...given, ...auditValues(caller, row), ...who });
    }
    const told: RetriedJob = { changed };
    const saved = save(JSON.stringify(told));
    if (saved !== null) await insertSavedResponse(tx, saved, now);
    return told;
  });
  if (result.changed) bus.publish(channels.workAvailable, 'jobs');
  return result;
};
