/** Why a job is in its state, in a sentence, and whether a person may have it tried now. Pure. Used by list.ts and retry.ts. */
import type { Caller } from '../../accounts/access/principal.ts';
import type { DomainDeps } from '../../accounts/deps.ts';
import { limits } from '../../catalogue/limits.ts';
import { type Run, isSettledRun, readRun } from '../../runs/model.ts';
import { canSeeRun } from '../../runs/queries.ts';
import type { JobRow } from './rows.ts';
import type { JobState } from './schema.ts';

/** Conditions that hold for all jobs of an environment now. */
export interface Situation {
  readonly isAppOnline: boolean;
  readonly isRedisConnected: boolean;
}

/** One, and several, of what an erasure waits for. */
const waitNouns: Readonly<Record<string, readonly [string, string]>> = {
  runs: ['run', 'runs'],
  approvals: ['approval that waits for a decision', 'approvals that wait for a decision'],
  bulks: ['bulk', 'bulks'],
  triages: ['item that is being triaged', 'items that are being triaged'],
  replies: ['reply', 'replies'],
  entries: ['entry that is not chained yet', 'entries that are not chained yet'],
};

const waitWords = (waits: Readonly<Record<string, number>>): string =>
  Object.entries(waitNouns)
    .flatMap(([kind, [one, several]]) => {
      const n = waits[kind] ?? 0;
      return n === 0 ? [] : [`${String(n)} ${n === 1 ? one : several}`];
    })
    .join(', ');

/** Returns what a run of a record waits for; null: it is the first. */
const turnOf = ({ facts }: JobRow, isSeen: boolean): string | null => {
  const { earlier = 0, first = null } = facts?.run ?? {};
  if (earlier === 0 || first === null) return null;
  if (!isSeen) return 'It waits for earlier runs of the same record.';
  return earlier === 1
    ? `It waits for ${first}, an earlier run of the same record.`
    : `It waits for ${first} and ${String(earlier - 1)} more earlier runs of the same record.`;
};

const delayedRun = (row: JobRow, isSeen: boolean): string | null => {
  const turn = turnOf(row, isSeen);
  if (turn !== null) return turn;
  const run = row.facts?.run;
  if (!run || row.last_error !== null) return null;
  return run.failures > 0
    ? 'The app failed and asked for another try, which comes when it is due.'
    : 'The app is being asked to begin it; it is asked again when it is due.';
};

const delayed = (row: JobRow, isSeen: boolean): string => {
  const { name, facts, attempts, last_error: error } = row;
  const waits = waitWords(facts?.erasure?.waits ?? {});
  const own =
    name === 'actionRun'
      ? delayedRun(row, isSeen)
      : name === 'rampStep'
        ? 'The next step of a ramp comes when it is due.'
        : name === 'erase' && waits !== ''
          ? `It waits for ${waits}, and looks again when it is due.`
          : name === 'replySend' && attempts > 0
            ? 'It could not be sent, and is tried again when it is due.'
            : null;
  return own ?? (error === null ? 'It begins when it is due.' : 'It failed, and is tried again when it is due.');
};

const awayWords = 'Redis is away: it is given to a worker once Redis is back.';

type Why = (row: JobRow, situation: Situation, isSeen: boolean) => string;

const reasons: Readonly<Record<JobState, Why>> = {
  due: ({ name }, { isRedisConnected }) =>
    !isRedisConnected
      ? awayWords
      : name === 'bulkChunk'
        ? 'Its turn comes after other parts of bulks by the same principal.'
        : 'It is given to a worker at once; if it stays like this, no worker runs.',
  delayed: (row, _, isSeen) => delayed(row, isSeen),
  inLine: (row, _, isSeen) => turnOf(row, isSeen) ?? 'It is the first of its record now, and begins within a minute.',
  parked: (_, { isAppOnline }) =>
    isAppOnline
      ? 'No connected instance of the app has taken it; it is tried again soon.'
      : 'The app is offline; it begins by itself once the app is back.',
  queued: (_, { isRedisConnected }) =>
    isRedisConnected ? 'It waits for a free worker; if it stays like this, no worker runs.' : awayWords,
  running: () => 'A worker is doing it.',
  stalled: () => 'The worker that had it has stopped; another one takes it within seconds.',
  failed: () => 'It was given up. Nothing tries it again but a person.',
};

/** Returns why a job is in its state; `isSeen`: whether the caller sees what it is about. */
export const whyOf: Why = (row, situation, isSeen) => reasons[row.state](row, situation, isSeen);

/** The effect of a retry: the job becomes due (`now`), is due or running (`already`), or the retry is refused, with the reason. */
type RetryVerdict = 'now' | 'already' | { readonly refusal: string };

/** Returns what a retry does to a job. */
export const retryVerdict: (row: JobRow, situation: Situation, isSeen: boolean) => RetryVerdict = (
  row,
  situation,
  isSeen,
) => {
  const { name, state } = row;
  if (state === 'due' || state === 'queued' || state === 'running' || state === 'stalled') return 'already';
  if (state === 'failed') return 'now';
  const isHeld = state === 'parked' || (state === 'delayed' && name === 'rampStep') || turnOf(row, isSeen) !== null;
  return isHeld ? { refusal: whyOf(row, situation, isSeen) } : 'now';
};

/** Returns ms in words: seconds, from two minutes on minutes, from two hours on hours. */
const inWords = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${String(seconds)} s`;
  return seconds < 7_200 ? `${String(Math.round(seconds / 60))} min` : `${String(Math.round(seconds / 3_600))} h`;
};

/** Returns what a run waits for at a time, in epoch ms. */
const describeRun = (run: Run, now: number): string => {
  const { status, approval, repeatable, handed_at: handedAt, lost_at: lostAt } = run;
  if (isSettledRun(run)) return `It has ended: ${status}.`;
  if (status === 'pending') return `A person has to decide ${approval ?? 'its approval'}.`;
  if (handedAt === null) return 'It is about to be given to a worker.';
  const otherwise = repeatable ? 'is handed over again, or ends unknown after its last attempt' : 'ends unknown';
  if (lostAt !== null)
    return `The app had it, and its connection is gone or its time is up. Without a late answer within ${inWords(lostAt + limits.lostAnswerMs - now)} it ${otherwise}.`;
  return `The app has had it for ${inWords(now - handedAt)}. Without an answer within ${inWords(handedAt + run.timeout_ms - now)} it ${otherwise}.`;
};

/** Returns what a run waits for, or null where there is none with this id that the caller sees. */
export const whyJobless = async ({ db, clock }: DomainDeps, caller: Caller, id: string): Promise<string | null> => {
  const run = await readRun(db, caller.env.id, id);
  return run === undefined || !canSeeRun(caller, run) ? null : describeRun(run, clock.now());
};
