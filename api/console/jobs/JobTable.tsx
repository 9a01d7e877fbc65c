/** The rows of the list of jobs, walked by keys: `r` tries the current one now, `o` opens what it is about. Used by JobsPage. */
import { useRef, useState } from 'react';
import { useKeys } from '../shell/keyboard.ts';
import { neighbour } from '../ui/choose.ts';
import { ListTable } from '../ui/ListTable.tsx';
import type { Job } from '../wire/types.ts';
import { JobRow } from './JobRow.tsx';
import { jobTexts } from './texts.ts';

interface JobTableProps {
  readonly jobs: readonly Job[];
  readonly onRetry: (job: Job) => void;
}

export const JobTable = ({ jobs, onRetry }: JobTableProps) => {
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
      <ListTable label={jobTexts.title} headings={jobTexts.headings} deeds={jobTexts.tryNow}>
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
