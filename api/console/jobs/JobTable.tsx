/** The rows of the list of jobs with what each is about, walked by keys: `r` tries the current one now, `o` opens what it is about. Used by JobsPage. */
import { useRef, useState } from 'react';
import { ThingLink } from '../content/links.tsx';
import { SettingsLink } from '../settings/SettingsLink.tsx';
import { useKeys, neighbour } from '../shell/keyboard.ts';
import { Button } from '../ui/Button.tsx';
import { Ago, Due } from '../ui/marks.tsx';
import { ListTable } from '../ui/PageParts.tsx';
import { count } from '../ui/plural.ts';
import type { Job } from '../wire/types.ts';
import { jobTexts } from './texts.ts';

type Tone = 'waits' | 'active' | 'failed' | 'unclear' | 'ended';

const jobTones: Readonly<Record<Job['state'], Tone>> = {
  failed: 'failed',
  stalled: 'unclear',
  delayed: 'waits',
  parked: 'waits',
  inLine: 'waits',
  due: 'ended',
  queued: 'ended',
  running: 'active',
};

/** Returns what a job is about in a few words; without what the role doesn't see its kind. */
export const jobTitle = ({ about, kind }: Pick<Job, 'about' | 'kind'>): string =>
  about?.sentence ?? jobTexts.kind[kind];

/** A link to the run, bulk, item, flag or erasure that a job is about. */
const JobAbout = ({ job: { about, kind } }: { readonly job: Job }) => {
  if (about === null) return <>{jobTexts.kind[kind]}</>;
  const { type, id, sentence } = about;
  if (type === 'erasure') return <SettingsLink section="erasures">{sentence}</SettingsLink>;
  return (
    <ThingLink type={type} id={id}>
      {sentence}
    </ThingLink>
  );
};

interface JobRowProps {
  readonly job: Job;
  readonly isCurrent: boolean;
  readonly onFocus: () => void;
  readonly onRetry: (job: Job) => void;
}

/** One job in its list: what it is about, how it stands and why, and trying it now. */
const JobRow = ({ job, isCurrent, onFocus, onRetry }: JobRowProps) => {
  const { id, kind, state, why, error, attempts, dueAt, createdAt, retryable } = job;

  return (
    <tr aria-current={isCurrent} onFocus={onFocus}>
      <td dir="auto">
        <JobAbout job={job} />
        <p className="soft">
          {jobTexts.kind[kind]} · <span className="mono">{id}</span>
        </p>
      </td>
      <td>
        <span className={`run-state ${jobTones[state]}`}>{jobTexts.state[state]}</span>
      </td>
      <td dir="auto">
        {why} {state === 'delayed' && dueAt !== null && <Due at={dueAt} />}
        {error !== null && (
          <p className="problem" dir="auto">
            {error}
          </p>
        )}
      </td>
      <td>{count(attempts)}</td>
      <td className="soft">
        <Ago at={createdAt} />
      </td>
      <td>
        {retryable && (
          <Button
            aria-label={jobTexts.tryNowOf(jobTitle(job))}
            onClick={() => onRetry(job)}
            {...(isCurrent ? { shortcut: 'r' } : {})}
          >
            {jobTexts.tryNow}
          </Button>
        )}
      </td>
    </tr>
  );
};

interface JobTableProps {
  readonly jobs: readonly Job[];
  /** Whether further ones are not read yet. */
  readonly hasMore: boolean;
  readonly onRetry: (job: Job) => void;
}

export const JobTable = ({ jobs, hasMore, onRetry }: JobTableProps) => {
  const [currentId, setCurrent] = useState<string | null>(null);
  const table = useRef<HTMLDivElement>(null);
  const at = jobs.findIndex(({ id }) => id === currentId);
  const current = jobs[at];
  const step = (by: 1 | -1): void => setCurrent(neighbour(jobs, at, by)?.id ?? null);
  const open = (): void => table.current?.querySelector<HTMLElement>('tr[aria-current="true"] a')?.click();
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Escape: () => setCurrent(null),
  });
  useKeys(
    {
      r: current?.retryable === true ? () => onRetry(current) : undefined,
      o: current === undefined ? undefined : open,
    },
    'job',
  );
  return (
    <div ref={table}>
      <ListTable label={jobTexts.title} headings={jobTexts.headings} deeds={jobTexts.tryNow} hasMore={hasMore}>
        {jobs.map((job) => (
          <JobRow
            key={job.id}
            job={job}
            isCurrent={job === current}
            onFocus={() => setCurrent(job.id)}
            onRetry={onRetry}
          />
        ))}
      </ListTable>
    </div>
  );
};
