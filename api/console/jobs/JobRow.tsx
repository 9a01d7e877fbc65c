/** One job in its list: what it is about, how it stands and why, and trying it now. Used by JobTable. */
import { Button } from '../ui/Button.tsx';
import { count } from '../ui/time.ts';
import { Ago, Due } from '../ui/Time.tsx';
import type { Job } from '../wire/types.ts';
import { JobAbout } from './JobAbout.tsx';
import { jobTexts } from './texts.ts';
import { jobTitle, jobTones } from './words.ts';

interface JobRowProps {
  readonly job: Job;
  readonly isCurrent: boolean;
  readonly onFocus: () => void;
  readonly onRetry: (job: Job) => void;
}

export const JobRow = ({ job, isCurrent, onFocus, onRetry }: JobRowProps) => {
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
