/** The form of an action: its input, the reason, the confirmation, and the two buttons. What is typed outlives everything but its sending. Used by ActionSheet. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, type FormEvent, type KeyboardEvent } from 'react';
import { ThingLink } from '../content/links.tsx';
import { useCopies } from '../shell/copying.ts';
import { useSession } from '../shell/session.ts';
import { Button } from '../ui/Button.tsx';
import { forgetDraft, useDraft } from '../ui/draft.ts';
import { ReasonInput } from '../ui/fields.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { recordQuery } from '../wire/appQueries.ts';
import type { Action } from '../wire/types.ts';
import { Confirmation, confirmationWord, isConfirmed } from './Confirmation.tsx';
import {
  type InputDraft,
  type InputProblem,
  jsonField,
  missingIn,
  problemsLeft,
  readInput,
  useInputDraft,
} from './inputDraft.ts';
import { InputForm } from './InputForm.tsx';
import type { ActionRequest } from './request.ts';
import { toForm } from './schema.ts';
import { actionTexts } from './texts.tsx';
import { useActionCall, type Tried } from './useActionCall.ts';

interface ActionFormProps {
  readonly request: ActionRequest;
  readonly action: Action;
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly onRun: (run: string) => void;
  readonly onClose: () => void;
}

/** Returns the dates and times of which only a part is typed: their value is empty. */
const incompleteIn = (form: HTMLFormElement | null): readonly InputProblem[] =>
  [...(form?.querySelectorAll<HTMLInputElement>('input[name]') ?? [])].flatMap(({ name, validity }) =>
    validity.badInput ? [{ path: name, message: actionTexts.field.isIncomplete }] : [],
  );

/** Brings what was answered into sight. */
const show = (node: HTMLElement | null): void => node?.scrollIntoView({ block: 'nearest' });

const DryRun = ({ answer, request }: Tried) => {
  const copies = useCopies()(request);
  return (
    <div className="dry-run answer" role="status" ref={show}>
      <p>
        <strong>{actionTexts.triedOut}</strong> {actionTexts.outlook[answer.would]}
      </p>
      {Object.keys(answer.input).length > 0 && (
        <details>
          <summary>{actionTexts.triedInput}</summary>
          <pre>{JSON.stringify(answer.input, null, 2)}</pre>
        </details>
      )}
      <p>
        {copies.map(({ kind, label, run }) => (
          <Button key={kind} tone="bare" onClick={run}>
            {label}
          </Button>
        ))}
      </p>
    </div>
  );
};

export const ActionForm = ({ request, action, defaults, onRun, onClose }: ActionFormProps) => {
  const { http } = useSession();
  const { data: page } = useQuery({
    ...recordQuery(http, { resource: action.resource ?? '', id: request.record ?? '' }),
    enabled: action.resource !== null && request.record !== null,
  });
  const fields = page?.record.fields;
  const form = useMemo(() => toForm(action.input, fields), [action, fields]);
  const draftKey = `${http.environment}.action.${request.action}.${request.record ?? ''}`;
  const input = useInputDraft(draftKey, form, { ...defaults, ...request.input });
  const [reason, setReason] = useDraft(`${draftKey}.reason`);
  const [confirmation, setConfirmation] = useState('');
  const [unreadable, setUnreadable] = useState<readonly InputProblem[]>([]);
  const [lacksReason, setLacksReason] = useState(false);
  /** What was typed when the problems were found: they stand as long as nothing else is typed in their place. */
  const [judged, setJudged] = useState<InputDraft>('');
  const [judgedReason, setJudgedReason] = useState('');
  const onTaken = (): void => {
    input.forget();
    forgetDraft(`${draftKey}.reason`, reason);
  };
  const { send, tryOut, busy, refusal, tried, dialog } = useActionCall(request, action, {
    draft: draftKey,
    onTaken,
    onRun,
  });
  const word = confirmationWord(request.record, action.label);
  const isReady = isConfirmed(action.danger, word, confirmation);
  const refused = refusal?.problems ?? [];
  const problems = problemsLeft([...unreadable, ...refused], judged, input.draft);
  const isAsJudged = JSON.stringify(judged) === JSON.stringify(input.draft);
  const reasonProblems =
    reason === judgedReason ? [...(lacksReason ? [actionTexts.field.isRequired] : []), ...(refusal?.reason ?? [])] : [];
  const place = useRef<HTMLFormElement>(null);
  const withInput = (
    work: (body: { input: unknown; reason: string }) => Promise<void>,
    isReasonWanted: boolean,
  ): void => {
    const found: InputProblem[] = [];
    const value = readInput(input.field, input.draft, '', found);
    const incomplete = incompleteIn(place.current);
    const missing = missingIn(input.field, input.draft, '').filter(
      ({ path }) => !incomplete.some((other) => other.path === path),
    );
    const all = [...found, ...incomplete, ...missing];
    const isReasonMissing = isReasonWanted && reason.trim() === '';
    setUnreadable(all);
    setLacksReason(isReasonMissing);
    setJudged(input.draft);
    setJudgedReason(reason);
    if (all.length === 0 && !isReasonMissing && busy === null) void work({ input: value ?? {}, reason });
  };
  useEffect(() => {
    // A keyboard on the screen would hide what the form is about.
    if (window.matchMedia('(pointer: coarse)').matches) return;
    place.current?.querySelector<HTMLElement>('input,select,textarea,button[type="submit"]')?.focus();
  }, []);
  useEffect(() => {
    if (unreadable.length > 0 || lacksReason || refusal !== null)
      place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [unreadable, lacksReason, refusal]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isReady) withInput(send, action.reasonRequired);
  };
  const press = (event: KeyboardEvent<HTMLFormElement>): void => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  };
  return (
    <form ref={place} noValidate onSubmit={submit} onKeyDown={press}>
      {action.approval && <p className="hint">{actionTexts.needsApproval}</p>}
      {input.isRestored && (
        <p className="soft">
          {actionTexts.restored}{' '}
          <Button tone="bare" onClick={input.reset}>
            {actionTexts.beginAfresh}
          </Button>
        </p>
      )}
      <InputForm field={input.field} draft={input.draft} problems={problems} onChange={input.set} />
      {(action.reasonRequired || request.item != null || action.danger !== null || action.approval) && (
        <div className="field">
          <ReasonInput
            label={actionTexts.reason}
            value={reason}
            required={action.reasonRequired}
            aria-invalid={reasonProblems.length > 0}
            onValue={setReason}
          />
          {reasonProblems.map((message) => (
            <span className="problem" role="alert" key={message}>
              {actionTexts.reasonProblem(message)}
            </span>
          ))}
        </div>
      )}
      <Confirmation
        danger={action.danger}
        reversible={action.reversible}
        word={word}
        value={confirmation}
        onChange={setConfirmation}
      />
      {tried !== null && unreadable.length === 0 && isAsJudged && <DryRun {...tried} />}
      {refusal !== null && (
        <p className="problem answer" role="alert" ref={show}>
          {refused.length + refusal.reason.length > 0 ? actionTexts.seeMarked : refusal.text}{' '}
          {refusal.run !== null && (
            <ThingLink type="run" id={refusal.run} onClick={onClose}>
              {actionTexts.showRun}
            </ThingLink>
          )}
        </p>
      )}
      <div className="dialog-foot">
        {form.kind !== 'json' && (
          <Button tone="bare" className="first" onClick={() => setUnreadable(input.toggle())}>
            {input.field === jsonField ? actionTexts.asForm : actionTexts.asJson}
          </Button>
        )}
        <Button onClick={onClose}>{uiTexts.form.cancel}</Button>
        <Button disabled={busy !== null} onClick={() => withInput(tryOut, false)}>
          {actionTexts.tryOut}
        </Button>
        <Button
          type="submit"
          tone={action.danger === 'high' ? 'danger' : 'main'}
          disabled={busy !== null || !isReady}
          shortcut="⌘↵"
        >
          {busy === 'run' ? actionTexts.running : action.approval ? actionTexts.askForApproval : action.label}
        </Button>
      </div>
      {dialog}
    </form>
  );
};
