/** The head of the list of runs: its filters, and running an action that takes no record. Used by RunsPage. */
import { useState } from 'react';
import { ActionPicker } from '../actions/ActionPicker.tsx';
import type { ActionRequest } from '../actions/request.ts';
import { runTexts } from '../actions/runTexts.tsx';
import { useKeys } from '../shell/keyboard.ts';
import { Button } from '../ui/Button.tsx';
import type { Action } from '../wire/types.ts';
import type { RunsSearch } from './search.ts';
import { runsTexts } from './texts.ts';

interface RunsHeaderProps {
  readonly search: RunsSearch;
  /** Those that the role may run. */
  readonly actions: readonly Action[];
  readonly onChange: (search: RunsSearch) => void;
  readonly onRun: (request: ActionRequest) => void;
}

export const RunsHeader = ({ search, actions, onChange, onRun }: RunsHeaderProps) => {
  const [isChoosing, setChoosing] = useState(false);
  const { status, action, ...rest } = search;
  const canRun = actions.some(({ resource }) => resource === null);
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
        {canRun && (
          <Button className="total" onClick={choose} shortcut="d">
            {runsTexts.runAction}
          </Button>
        )}
      </div>
      <div className="list-filters">
        <select
          className="wide"
          aria-label={runsTexts.status}
          value={status ?? ''}
          onChange={({ target }) => change({ status: target.value })}
        >
          <option value="">{runsTexts.anyStatus}</option>
          {Object.entries(runTexts.status).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
        <select
          className="wide"
          aria-label={runsTexts.action}
          value={action ?? ''}
          onChange={({ target }) => change({ action: target.value })}
        >
          <option value="">{runsTexts.anyAction}</option>
          {action !== undefined && !actions.some(({ name }) => name === action) && (
            <option value={action}>{action}</option>
          )}
          {actions.map(({ name, label }) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      </div>
      {isChoosing && (
        <ActionPicker targets={[]} suggested={[]} item={null} onPick={onRun} onClose={() => setChoosing(false)} />
      )}
    </header>
  );
};
