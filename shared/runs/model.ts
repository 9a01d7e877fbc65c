/** Runs of actions as rows, as JSON, as timeline entries and as parts of live messages, and the dependencies of running them. Used wherever runs are read or written. */
import type { DomainDeps } from '../accounts/deps.ts';
import type { Block } from '../app/link/protocol.ts';
import { erasedText } from '../catalogue/erased.ts';
import type { ActorRef, LivePart } from '../catalogue/events.ts';
import { type RunStatus, openRunStatuses } from '../catalogue/states/runs.ts';
import { createGatheringReader, perDatabase } from '../platform/db/gather.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../platform/db/sql.ts';

/** The person who approved a run, or the bulk that it is part of; `at` is absent of what earlier releases approved. */
export interface RunApprover extends ActorRef {
  readonly at?: number;
  /** Stands for the app's record as it was approved (`hashRecord`), which the run compares when it starts; absent: not known. */
  readonly record?: string;
}

/** A row of `runs`. Those that have ended move to `runs_ended`, which has the same columns; `all_runs` is both. */
export interface Run {
  readonly id: string;
  readonly env: number;
  readonly action: string;
  readonly label: string;
  readonly resource: string | null;
  readonly record: string | null;
  readonly item: string | null;
  readonly inbox: string | null;
  readonly entry: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly status: RunStatus;
  readonly background: boolean;
  readonly repeatable: boolean;
  readonly timeout_ms: number;
  readonly lane: string | null;
  readonly attempts: number;
  readonly attempt: number;
  /** Dispatches that failed or were not answered, since the request or the last retry by a caller. */
  readonly failures: number;
  readonly progress: number | null;
  readonly message: string | null;
  readonly blocks: readonly Block[] | null;
  readonly error: string | null;
  /** The code of the end. Of a run that goes on: `app_timeout` when the answer of an earlier dispatch is missing. */
  readonly code: string | null;
  readonly actor_type: ActorRef['type'];
  readonly actor: string;
  readonly actor_name: string;
  readonly role: string | null;
  readonly approval: string | null;
  readonly approved_by: RunApprover | null;
  readonly bulk: string | null;
  readonly requested_at: number;
  /** Until when it may wait for the app, since it was queued first; it counts while the run is queued. */
  readonly expires_at: number | null;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly handed_at: number | null;
  readonly lost_at: number | null;
  readonly instance: string | null;
  readonly connection: string | null;
  readonly fence: number;
  readonly waiting_until: number | null;
  readonly once_principal: string | null;
  readonly once_key: string | null;
  readonly request_id: string | null;
  readonly address: string | null;
  /** Why, in the words of the requester; in the table `run_reasons`. */
  readonly reason: string | null;
}

/** Columns of `runs` that only the insert writes, and those that each move writes. */
const fixedColumns = 'id env resource record item inbox entry bulk'.split(' ');
export const movedColumns =
  `action label input status background repeatable timeout_ms lane attempts attempt failures progress message
  blocks error code actor_type actor actor_name role approval approved_by requested_at expires_at started_at finished_at handed_at lost_at
  instance connection fence waiting_until once_principal once_key request_id address`.split(/\s+/);
const columns = [...fixedColumns, ...movedColumns];

/** The columns of `runs`, by name: a release beside this one may add others. */
export const storedRunColumns = columns.join(', ');
/** The columns of `Run` in `all_runs`. */
export const allRunColumns = `${storedRunColumns}, reason`;
/** The columns of `Run` in `runs`; the table's alias is `r`. */
export const runColumns = `${columns.map((name) => `r.${name}`).join(', ')}, (select w.reason from run_reasons w where w.run = r.id) as reason`;

/** Returns the person who approved the run, null when there is none. */
export const runApprover = ({ approved_by: by }: Pick<Run, 'approved_by'>): ActorRef | null =>
  by === null ? null : { type: by.type, id: by.id, name: by.name };

export const runActor = ({ actor_type: type, actor: id, actor_name: name }: Run): ActorRef => ({ type, id, name });

export const runJson = (
  run: Run,
): Record<string, unknown> & { readonly action: string; readonly resource: string | null; readonly by: ActorRef } => ({
  id: run.id,
  action: run.action,
  label: run.label,
  resource: run.resource,
  record: run.record,
  item: run.item,
  input: run.input,
  status: run.status,
  attempts: run.attempts,
  attempt: run.attempt,
  progress: run.progress,
  message: run.message,
  blocks: run.blocks,
  error: run.error,
  code: isSettledRun(run) ? run.code : null,
  by: runActor(run),
  approval: run.approval,
  approvedBy: runApprover(run),
  bulk: run.bulk,
  reason: run.reason,
  requestedAt: run.requested_at,
  startedAt: run.started_at,
  finishedAt: run.finished_at,
  expiresAt: run.status === 'queued' ? run.expires_at : null,
});

/** Returns the data of a run's entry on a timeline: one entry, which later statuses update under the same id. */
export const runEntryData = (run: Run): Record<string, unknown> => ({
  run: run.id,
  action: run.action,
  label: run.label,
  status: run.status,
  message: run.message ?? run.error,
  ...(run.approved_by === null ? {} : { approvedBy: runApprover(run), approvedAt: run.approved_by.at ?? null }),
  ...(run.finished_at === null ? {} : { finishedAt: run.finished_at }),
  ...(run.reason === null ? {} : { reason: run.reason }),
  about: { resource: run.resource },
});

export const runRecordKey = ({ resource, record }: Pick<Run, 'resource' | 'record'>): string | null =>
  resource === null || record === null ? null : `${resource}/${record}`;

/** Returns whether what the run was asked with was erased: dispatched again it would do something else. */
export const isErasedRun = ({ error }: Pick<Run, 'error'>): boolean => error === erasedText;

export const isSettledRun = ({ status }: Run): boolean => !openRunStatuses.includes(status);

/** Returns the part of a live message with a run's entry on the timeline of an item. */
export const runEntryLivePart = (
  run: Run & { item: string; inbox: string; entry: string },
  at: number,
  change: 'created' | 'changed',
): LivePart => ({
  type: 'timeline',
  inbox: run.inbox,
  change,
  item: run.item,
  entry: {
    id: run.entry,
    item: run.item,
    type: 'action',
    at: change === 'created' ? at : run.requested_at,
    actor: runActor(run),
    data: runEntryData(run),
  },
});

export const runLivePart = (run: Run): LivePart => ({ type: 'run', inbox: run.inbox, run: runJson(run) });

/** Returns the parts of a live message about a run: the run, and its entry on the item's timeline. */
export const runLiveParts = (run: Run, at: number, change: 'created' | 'changed'): LivePart[] => {
  const { item, inbox, entry } = run;
  const part = runLivePart(run);
  return item === null || inbox === null || entry === null
    ? [part]
    : [part, runEntryLivePart({ ...run, item, inbox, entry }, at, change)];
};

const runByIdSql = statement('runs.one', `select ${runColumns} from runs r where r.env = $1 and r.id = $2`);
const runsByIdsSql = statement('runs.many', `select ${runColumns} from runs r where r.env = $1 and r.id = any($2)`);
/** Of both tables, as a run may come back between two statements. */
const anyRunByIdSql = statement('runs.oneOfAll', `select ${allRunColumns} from all_runs where env = $1 and id = $2`);
const anyRunsByIdsSql = statement(
  'runs.manyOfAll',
  `select ${allRunColumns} from all_runs where env = $1 and id = any($2)`,
);

/** Returns the run, which is looked for in its month only if it is not among those that are unfinished or have ended lately. */
export const readRun = async (db: Db | Tx, envId: number, id: string): Promise<Run | undefined> =>
  (await queryRow<Run>(db, runByIdSql, [envId, id])) ?? queryRow<Run>(db, anyRunByIdSql, [envId, id]);

export const readRuns = async (db: Db | Tx, envId: number, ids: readonly string[]): Promise<Run[]> => {
  const found = await queryRows<Run>(db, runsByIdsSql, [envId, ids]);
  const missing = [...new Set(ids)].filter((id) => !found.some((run) => run.id === id));
  return missing.length === 0 ? found : [...found, ...(await queryRows<Run>(db, anyRunsByIdsSql, [envId, missing]))];
};

const readerOf = perDatabase((db) =>
  createGatheringReader(async (envId, ids) => new Map((await readRuns(db, envId, ids)).map((run) => [run.id, run]))),
);

/** Returns the run as `readRun`; reads of a process that come at once share a statement. */
export const readRunTogether = (db: Db, envId: number, id: string): Promise<Run | undefined> => readerOf(db)(envId, id);

/** Returns the function that counts what is written of a run as bytes of its requester. */
export const runCounter =
  ({ meter }: DomainDeps, { actor, env }: Pick<Run, 'actor' | 'env'>) =>
  (bytes: number): void => {
    meter.count(actor, env, bytes);
  };

export interface ActionDeps extends DomainDeps {
  /** Called after the end of `run` is committed, with what follows from it (its bulk). Passed in by the composition root. */
  readonly afterRun: (deps: ActionDeps, run: Run) => Promise<void>;
}
