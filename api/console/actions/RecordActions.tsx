/** The actions of a record as buttons, and why the others don't apply now. Used by the page of a record. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useKeys } from '../shell/keyboard.ts';
import { mayAny } from '../shell/rights.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { actionsQuery, availableQuery } from '../wire/actionQueries.ts';
import { meQuery } from '../wire/queries.ts';
import { ActionPicker } from './ActionPicker.tsx';
import type { ActionRequest, ActionTarget } from './request.ts';
import { actionTexts } from './texts.tsx';

interface RecordActionsProps {
  readonly target: ActionTarget;
  readonly onRun: (request: ActionRequest) => void;
}

/** More stand in the list behind the button. */
const buttonsMost = 4;

export const RecordActions = ({ target, onRun }: RecordActionsProps) => {
  const { http } = useSession();
  const { data: actions = [] } = useQuery(actionsQuery(http));
  const { data: me } = useQuery(meQuery(http));
  const { data: entry } = useQuery({ ...availableQuery(http, target), staleTime: 10_000 });
  const [isChoosing, setChoosing] = useState(false);
  const mine = actions.filter(({ resource }) => resource === target.resource);
  const canRun = mine.length > 0;
  useKeys({ d: canRun ? () => setChoosing(true) : undefined }, 'actions');
  if (me !== undefined && !mayAny(me, 'action')) return <p className="soft">{uiTexts.readOnly}</p>;
  if (!canRun) return null;
  return (
    <div className="deeds">
      {entry?.actions.slice(0, buttonsMost).map(({ action, label, danger }) => (
        <Button
          key={action}
          className={danger === 'high' ? 'grave' : ''}
          onClick={() => onRun({ action, record: target.id, title: target.title })}
        >
          {label}
        </Button>
      ))}
      <Button tone="bare" onClick={() => setChoosing(true)} shortcut="d">
        {actionTexts.allActions}
      </Button>
      {isChoosing && (
        <ActionPicker targets={[target]} suggested={[]} item={null} onPick={onRun} onClose={() => setChoosing(false)} />
      )}
    </div>
  );
};
