/** One row of the list of runs. Used by RunsPage. */
import { memo } from 'react';
import { RunProgress, RunState } from '../actions/RunView.tsx';
import { Approver } from '../content/Approver.tsx';
import { Ago } from '../ui/Time.tsx';
import type { Run } from '../wire/types.ts';

interface RunRowProps {
  readonly run: Run;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}

export const RunRow = memo(({ run, isOpen, onOpen }: RunRowProps) => (
  <li>
    <button type="button" className="request run-row" aria-current={isOpen} onClick={() => onOpen(run.id)}>
      <span>
        <span dir="auto">{run.label}</span> <RunState run={run} />
      </span>
      <span className="soft">
        {run.record !== null && (
          <>
            <span className="mono">{run.record}</span> ·{' '}
          </>
        )}
        <span dir="auto">{run.by.name}</span> ·{' '}
        {run.approvedBy !== null && (
          <>
            <Approver name={run.approvedBy.name} /> ·{' '}
          </>
        )}
        <Ago at={run.requestedAt} /> <RunProgress run={run} />
      </span>
    </button>
  </li>
));
