/** The head of the list of runs: its filters, and running an action that takes no record. Used by RunsPage. */
import { useState, type ReactNode } from 'react';
import { ActionPicker } from '../actions/ActionPicker.tsx';
import type { ActionRequest } from '../actions/request.ts';
import { runTexts } from '../actions/runTexts.tsx';
import type { RunsSearch } from '../shell/address.ts';
import { useKeys } from '../shell/keyboard.ts';
import { Button } from '../ui/Button.tsx';
import { Select } from '../ui/fields.tsx';
import type { Action } from '../wire/types.ts';
import { runsTexts } from './texts.ts';

interface RunsHeaderProps {
  readonly search: RunsSearch;
  /** Those that the role may run. */
  readonly actions: readonly Action[];
  /** What shows those that came since. */
  readonly fresh: ReactNode;
  readonly onChange: (search: RunsSearch) => void;
  readonly onRun: (request: ActionRequest) => void;
}

export const RunsHeader = ({ search, actions, fresh, onChange, onRun }: RunsHeaderProps) => {
  const [isChoosing, setChoosing] = useState(false);
  const { status, action, ...rest } = search;
  const canRun = actions.some(({ resource }) => resource === null);
  const undeclared =
    action === undefined || actions.some(({ name }) => name === action) ? [] : [{ name: action, label: action }];
  const choose = (): void => setChoosing(true);
  useKeys({ d: canRun ? choose : undefined }, 'actions');
  const change = (part: Pick<RunsSearch, 'status' | 'action'>): void => {
    const next = { status, action, ...part };
    onChange({
      ...rest,
      ...(next.status === undefined || next.status === '' ? {} : { status: next.status }),
      ...(next.action === undefined || next.action === '' ? {} : { action: next.action }),
    });
  };
  return (
    <header className="list-head">
      <div className="list-title">
        <h1>{runsTexts.title}</h1>
        <div className="announcement" role="status">
          {fresh}
        </div>
        {canRun && (
          <Button className="total" onClick={choose} shortcut="d">
            {runsTexts.runAction}
          </Button>
        )}
      </div>
      <div className="list-filters">
        <Select
          className="wide"
          aria-label={runsTexts.status}
          value={status ?? ''}
          any={runsTexts.anyStatus}
          options={Object.entries(runTexts.status)}
          onValue={(next) => change({ status: next })}
        />
        <Select
          className="wide"
          aria-label={runsTexts.action}
          value={action ?? ''}
          any={runsTexts.anyAction}
          options={[...undeclared, ...actions].map(({ name, label }) => [name, label])}
          onValue={(next) => change({ action: next })}
        />
      </div>
      {isChoosing && (
        <ActionPicker targets={[]} suggested={[]} item={null} onPick={onRun} onClose={() => setChoosing(false)} />
      )}
    </header>
  );
};
