/** The actions that may be run on records, and those that take none, to choose from by typing; says why one does not apply now. The dialog behind useActionSheet.tsx. */
import { useQueries } from '@tanstack/react-query';
import { useSession, useRead } from '../shell/session.ts';
import { Picker } from '../ui/lazy.tsx';
import type { Option } from '../ui/PickerDialog.tsx';
import { actionsQuery, availableQuery } from '../wire/actionQueries.ts';
import type { ActionPickerProps, ActionRequest } from './request.ts';
import { actionTexts } from './texts.tsx';

const texts = actionTexts.picker;

/** Returns how an option is named: an action and its record. */
const idOf = (action: string, record: string | null): string => JSON.stringify([action, record]);

export const ActionPickerDialog = ({ targets, suggested, item, onPick, onClose }: ActionPickerProps) => {
  const { http } = useSession();
  const { data: actions = [] } = useRead(actionsQuery);
  const available = useQueries({ queries: targets.map((target) => availableQuery(http, target)) });
  const requests = new Map<string, ActionRequest>();
  const options: Option[] = [];
  const add = (request: ActionRequest, option: Omit<Option, 'id'>): void => {
    const id = idOf(request.action, request.record);
    if (requests.has(id)) return;
    requests.set(id, request);
    options.push({ id, ...option });
  };
  for (const request of suggested) add(request, { label: request.label, hint: request.why ?? texts.suggested });
  for (const [at, target] of targets.entries()) {
    const entry = available[at]?.data;
    for (const { name, label, resource, danger } of actions) {
      if (resource !== target.resource) continue;
      const why = entry?.unavailable.find(({ action }) => action === name)?.reason ?? null;
      const isDangerous = danger === 'high';
      const hint = isDangerous ? texts.highDanger(target.title) : target.title;
      add({ action: name, record: target.id, title: target.title, item }, { label, hint, why, isDangerous });
    }
  }
  for (const { name, label, resource, description } of actions)
    if (resource === null)
      add({ action: name, record: null, item }, { label, hint: description ?? texts.takesNoRecord });
  return (
    <Picker
      title={texts.title}
      placeholder={texts.placeholder}
      options={options}
      none={texts.none}
      onPick={({ id }) => {
        const request = requests.get(id);
        // The picker closes first: the sheet opens in its place.
        if (request !== undefined) window.setTimeout(onPick, 0, request);
      }}
      onClose={onClose}
    />
  );
};
