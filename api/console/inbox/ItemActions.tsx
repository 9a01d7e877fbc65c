/** What can be run on an item: suggested actions, and the list of all. Used by ItemDetail. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionPicker } from '../actions/ActionPicker.tsx';
import type { ActionRequest } from '../actions/request.ts';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { actionsQuery } from '../wire/actionQueries.ts';
import type { ItemDetail } from '../wire/types.ts';
import { inboxTexts } from './texts.tsx';

interface ItemActionsProps {
  readonly detail: ItemDetail;
  readonly onRun: (request: ActionRequest) => void;
}

export const ItemActions = ({ detail, onRun }: ItemActionsProps) => {
  const { http } = useSession();
  const { data: actions = [] } = useQuery(actionsQuery(http));
  const [isChoosing, setChoosing] = useState(false);
  const { item, linked, suggestedActions } = detail;
  const canRun = actions.some(
    ({ resource }) => resource === null || linked.some((record) => record.resource === resource),
  );
  useKeys({ d: canRun ? () => setChoosing(true) : undefined }, 'actions');
  if (!canRun) return null;
  const suggested = suggestedActions.map(({ action, label, record, input, reason }) => ({
    action,
    label,
    record,
    title: linked.find(({ id }) => id === record)?.title ?? null,
    input,
    item: item.id,
    why: reason,
  }));
  return (
    <section className="suggested" aria-label={inboxTexts.item.actions}>
      <h2>{inboxTexts.item.actions}</h2>
      {suggested.map((request, at) => (
        <div key={at}>
          <Button onClick={() => onRun(request)}>{request.label}</Button>
          {request.why !== null && (
            <p className="soft" dir="auto">
              {request.why}
            </p>
          )}
        </div>
      ))}
      <Button tone="bare" onClick={() => setChoosing(true)} shortcut="d">
        {inboxTexts.item.runAction}
      </Button>
      {isChoosing && (
        <ActionPicker
          targets={linked}
          suggested={suggested}
          item={item.id}
          onPick={onRun}
          onClose={() => setChoosing(false)}
        />
      )}
    </section>
  );
};
