/** The action sheet: what an action does, its form, and what came of it. Opened by useActionSheet. */
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { RecordLink, ThingLink } from '../content/links.tsx';
import { compactFields } from '../content/values.ts';
import { useSession, useRead } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { Hint } from '../ui/fields.tsx';
import { Problem, Skeleton } from '../ui/Problem.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { actionsQuery, availableQuery, resourcesQuery } from '../wire/actionQueries.ts';
import { recordQuery } from '../wire/appQueries.ts';
import { runQuery } from '../wire/runQueries.ts';
import { isOpenRun } from '../wire/runStore.ts';
import type { Action, ActionReference } from '../wire/types.ts';
import { ActionForm } from './ActionForm.tsx';
import type { ActionRequest } from './request.ts';
import { RunOutcome } from './RunView.tsx';
import { actionTexts } from './texts.tsx';
import { useRunDeeds } from './useRunDeeds.tsx';

interface ActionSheetProps {
  readonly request: ActionRequest;
  readonly onOpen: (request: ActionRequest) => void;
  readonly onClose: () => void;
}

interface AcceptedProps {
  readonly id: string;
  readonly label: string;
  readonly onAction: (reference: ActionReference) => void;
  readonly onClose: () => void;
}

/** The run of the call, shown as it goes on. */
const Accepted = ({ id, label, onAction, onClose }: AcceptedProps) => {
  const { http, runs, notices } = useSession();
  const { data: run, error } = useQuery(runQuery(http, runs, id));
  const { buttons, dialog } = useRunDeeds(run, false);
  const close = (): void => {
    if (run !== undefined && isOpenRun(run)) notices.done(actionTexts.goesOn(label));
    onClose();
  };
  return (
    <>
      {run === undefined && (error === null ? <Skeleton rows={1} /> : <Problem error={error} />)}
      {run !== undefined && <RunOutcome run={run} onAction={onAction} />}
      <div className="dialog-foot">
        <ThingLink className="button bare" type="run" id={id} onClick={onClose}>
          {actionTexts.showUnderRuns}
        </ThingLink>
        {buttons}
        <Button tone="main" autoFocus onClick={close}>
          {uiTexts.close}
        </Button>
      </div>
      {dialog}
    </>
  );
};

/** The dates, amounts and states of the record: what one asks for is weighed against them. */
const RecordLine = ({ resource, id }: { readonly resource: string; readonly id: string }) => {
  const { data: page } = useRead((http) => recordQuery(http, { resource, id }));
  const { data: resources = [] } = useRead(resourcesQuery);
  const line =
    page === undefined
      ? ''
      : compactFields(
          page.record,
          resources.find(({ name }) => name === resource),
        );
  return line === '' ? null : (
    <p className="soft record-line" dir="auto">
      {line}
    </p>
  );
};

/** Returns the action with its defaults for the record, or why it can't be run now. */
const useAction = ({ action: name, record }: ActionRequest) => {
  const actions = useRead(actionsQuery);
  const action = actions.data?.find((each) => each.name === name);
  const resource = action?.resource ?? null;
  const takesRecord = resource !== null && record !== null;
  const available = useRead((http) => ({
    ...availableQuery(http, { resource: resource ?? '', id: record ?? '' }),
    enabled: takesRecord,
  }));
  const entry = takesRecord ? available.data : undefined;
  const isKnown = actions.data !== undefined && (!takesRecord || entry !== undefined || available.error !== null);
  return {
    action,
    resource,
    /** An app that is offline leaves both empty: then the API decides. */
    defaults: entry?.actions.find((each) => each.action === name)?.defaults ?? {},
    unavailable: entry?.unavailable.find((each) => each.action === name)?.reason ?? null,
    isKnown,
    error: actions.error,
  };
};

export const ActionSheet = ({ request, onOpen, onClose }: ActionSheetProps) => {
  const { action, resource, defaults, unavailable, isKnown, error } = useAction(request);
  const [run, setRun] = useState<string | null>(null);
  const { record, title, why } = request;
  /** The defaults that the form began with: what changes later must not change what somebody types. */
  const begun = useRef<{ readonly action: Action; readonly defaults: Readonly<Record<string, unknown>> } | null>(null);
  const lacksRecord = resource !== null && record === null;
  if (isKnown && action !== undefined && unavailable === null && !lacksRecord) begun.current ??= { action, defaults };
  const shown = begun.current;
  let content: ReactNode;
  if (run !== null)
    content = (
      <Accepted
        id={run}
        label={action?.label ?? request.action}
        onAction={({ action: next, record: of, input }) =>
          onOpen({ action: next, record: of, input, item: request.item ?? null })
        }
        onClose={onClose}
      />
    );
  else if (shown !== null)
    content = (
      <ActionForm request={request} action={shown.action} defaults={shown.defaults} onRun={setRun} onClose={onClose} />
    );
  else if (error !== null) content = <Problem error={error} />;
  else if (!isKnown) content = <Skeleton rows={2} />;
  else
    content = (
      <>
        <Hint>{unavailable ?? (lacksRecord ? actionTexts.lacksRecord : actionTexts.unavailable)}</Hint>
        <div className="dialog-foot">
          <Button tone="main" onClick={onClose}>
            {uiTexts.close}
          </Button>
        </div>
      </>
    );
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()} disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className={`dialog sheet ${action?.danger === 'high' && run === null ? 'grave' : ''}`}>
          <header>
            <Dialog.Title>{action?.label ?? request.action}</Dialog.Title>
            {record !== null && resource !== null && (
              <p className="sheet-target">
                <RecordLink resource={resource} id={record} title={title ?? record} onClick={onClose} />{' '}
                <span className="mono">{record}</span>
              </p>
            )}
            {record !== null && resource !== null && run === null && <RecordLine resource={resource} id={record} />}
            {action !== undefined && action.description !== null && (
              <Dialog.Description className="soft">{action.description}</Dialog.Description>
            )}
            {why != null && <p className="soft">{actionTexts.suggested(why)}</p>}
          </header>
          {content}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
};
