/**
 * Retries or discards the jobs of an environment that were given up and fit a selection. For api/routes/settings/jobs.ts and the
 * admin command.
 */
import type { JobName } from '../../catalogue/jobs.ts';
import { jobPhaseSql } from '../../catalogue/states/stagedJobs.ts';
import type { Db } from '../../platform/db/knex.ts';
import { namedStatement, queryNamedRows } from '../../platform/db/sql.ts';
import { actorValues, change, event, queryChange, type Change } from '../../platform/journal/changeWriter.ts';
import type { EventActor } from '../../platform/journal/events.ts';
import { channels, type Bus } from '../../platform/redis/bus.ts';
import { jobRowSql, type JobRow } from './rows.ts';
import { jobKinds } from './schema.ts';

/** Jobs of one statement, and of one call: its caller calls again for what is left. */
const [batchRows, callRows] = [1_000, 10_000];

/** Kinds that nothing else brings back: a run or a bulk is cancelled, and an erasure is done or stays. */
export const discardableKinds = ['replySend', 'triageItem'] as const satisfies readonly JobName[];

/** Returns whether jobs of a kind, or of all kinds that can be, are discarded. */
export const isDiscardable = (kind: JobName | undefined): boolean =>
  kind === undefined || discardableKinds.some((one) => one === kind);

export interface JobSelection {
  /** All of their kinds without one. */
  readonly kind?: JobName | undefined;
  /** What their error contains, in whatever case. */
  readonly error?: string | undefined;
  /** When they were given up, in epoch ms: from `since` on, before `until`. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** A reply whose text was erased since would be sent empty. */
const isErasedSql = `f.name = 'replySend' and exists (
  select from events e where e.env = f.env and e.item = f.subject and e.entry = f.payload ->> 'entry' and not e.is_update and e.data ->> 'erased' = 'true')`;

/** Returns SQL for whether the error of a row contains `$error`, and a row that failed was given up from `$since` on, before `$until`. */
export const selectedSql = (
  row: string,
): string => `strpos(lower(coalesce(${row}.last_error, '')), lower($error::text)) > 0
    and coalesce(${row}.given_up_at, ${row}.created_at) >= $since::bigint and coalesce(${row}.given_up_at, ${row}.created_at) < $until::bigint`;

/** Returns the values of `selectedSql`. */
export const selectedValues = ({ error = '', since = 0, until = Number.MAX_SAFE_INTEGER }: JobSelection) => ({
  error,
  since,
  until,
});

const pageSql = namedStatement(
  'jobs.selected',
  () => `
  select ${jobRowSql} from staged_jobs f
  where f.env = $env and ${jobPhaseSql('f')} = 'failed' and f.name = any ($kinds::text[]) and ${selectedSql('f')}
    and not ($retry::boolean and ${isErasedSql}) and (f.created_at, f.id) > ($at::bigint, $id::text)
  order by f.created_at, f.id limit ${String(batchRows)}`,
);

const changeOf = (verb: 'job.retry' | 'job.discard', changed: string): Change =>
  change(
    `jobs.selected.${verb}`,
    {
      changed: `${changed} where j.id = any ($ids::text[]) and j.env = $env and ${jobPhaseSql('j')} = 'failed' returning j.id`,
      total: 'select count(*)::int as n from changed',
      happened: event(
        {
          verb: `'${verb}'`,
          target_type: "'job'",
          after: "$about::jsonb || jsonb_build_object('count', total.n)",
        },
        { from: 'total', where: 'total.n > 0' },
      ),
    },
    'select n from total',
  );

const changes = {
  retry: changeOf('job.retry', 'update staged_jobs j set due_at = $at::bigint, tries = 0'),
  discard: changeOf('job.discard', 'delete from staged_jobs j'),
} as const;

export type SelectedChange = keyof typeof changes;

interface SelectedJobs {
  readonly envId: number;
  readonly selection: JobSelection;
  /** null: only reads them. */
  readonly change: SelectedChange | null;
  /** Whether the caller sees what a job is about: its error would tell of it, and is no selection of others. */
  readonly sees: (job: JobRow) => boolean;
}

/** Yields those that fit, the oldest first, up to a thousand at once. */
export const selectJobs = async function* (
  db: Db,
  { envId, selection, change, sees }: SelectedJobs,
): AsyncGenerator<JobRow[], void> {
  const { kind, error = '' } = selection;
  const kinds = kind === undefined ? (change === 'discard' ? discardableKinds : jobKinds) : [kind];
  const values = { env: envId, kinds, ...selectedValues(selection), retry: change === 'retry', now: 0 };
  let place = { at: -1, id: '' };
  for (;;) {
    const page = await queryNamedRows<JobRow>(db, pageSql, { ...values, ...place });
    yield page.filter((job) => error === '' || sees(job));
    const last = page[batchRows - 1];
    if (last === undefined) return;
    place = { at: last.created_at, id: last.id };
  }
};

interface ChangedJobs {
  readonly changed: number;
  /** Whether more fit than a call changes. */
  readonly left: boolean;
}

/** Returns how many a call would change, and whether more are left. */
export const countSelectedJobs = async (db: Db, wanted: SelectedJobs): Promise<ChangedJobs> => {
  let n = 0;
  for await (const jobs of selectJobs(db, wanted)) {
    n += jobs.length;
    if (n > callRows) return { changed: callRows, left: true };
  }
  return { changed: n, left: false };
};

/** Changes those that fit, the oldest first, with an audit entry for each thousand; returns how many, and whether more are left. */
export const changeSelectedJobs = async (
  { db, bus, actor, at }: { db: Db; bus: Pick<Bus, 'publish'>; actor: EventActor; at: number },
  wanted: SelectedJobs & { readonly change: SelectedChange; readonly reason?: string | null | undefined },
): Promise<ChangedJobs> => {
  const { envId, selection, reason } = wanted;
  const about = { ...selection, ...(reason === null ? {} : { reason }) };
  let changed = 0;
  for await (const jobs of selectJobs(db, wanted)) {
    const ids = jobs.slice(0, callRows - changed).map(({ id }) => id);
    const values = { env: envId, ids, at, about, ...actorValues(actor) };
    const [done] = await queryChange<{ n: number }>(db, changes[wanted.change], values);
    changed += done?.n ?? 0;
    if (wanted.change === 'retry') bus.publish(channels.workAvailable, 'jobs');
    if (jobs.length > ids.length) return { changed, left: true };
  }
  return { changed, left: false };
};
