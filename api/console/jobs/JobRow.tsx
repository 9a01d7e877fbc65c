/** One job in its list: what it is about, how it stands and why, and trying it now. Used by JobTable. */
import { Button } from '../ui/Button.tsx';
import { count } from '../ui/time.ts';
import { Ago, Due } from '../ui/Time.tsx';
import type { Job } from '../wire/types.ts';
import { JobAbout } from './JobAbout.tsx';
import { jobKinds, jobStates, jobTitle } from './words.ts';

interface JobRowProps {
  readonly job: Job;
  readonly isCurrent: boolean;
  readonly onFocus: () => void;
  readonly onRetry: (job: Job) => void;
}

export const JobRow = ({ job, isCurrent, onFocus, onRetry }: JobRowProps) => {
  const { id, kind, state, why, error, attempts, dueAt, createdAt, retryable } = job;
  const { label, tone } = jobStates[state];
  return (
    <tr aria-current={isCurrent} onFocus={onFocus}>
      <td dir="auto">
        <JobAbout job={job} />
        <p className="soft">
          {jobKinds[kind]} · <span className="mono">{id}</span>
        </p>
      </td>
      <td>
        <span className={`run-state ${tone}`}>{label}</span>
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
          <Button onClick={() => onRetry(job)} {...(isCurrent ? { shortcut: 'r' } : {})}>
            Try now<span className="hidden"> {jobTitle(job)}</span>
          </Button>
        )}
      </td>
    </tr>
  );
};
