/** Edits what a request asks for before it is approved: the input of an action in its form, the text of a reply or a note. Loaded by Decision. */
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type FormEvent } from 'react';
import { readInput, toDraft, type InputDraft, type InputProblem } from '../actions/inputDraft.ts';
import { InputForm } from '../actions/InputForm.tsx';
import { toForm } from '../actions/schema.ts';
import { isObject } from '../content/values.ts';
import { useSession } from '../shell/session.ts';
import { FormDialog } from '../ui/FormDialog.tsx';
import { actionsQuery } from '../wire/actionQueries.ts';
import type { Approval } from '../wire/types.ts';
import { requestTexts } from './texts.tsx';

const texts = requestTexts.edit;

/** The values that replace those of the request. The API takes one of the members. */
export interface Edit {
  readonly input?: object;
  readonly operation?: object;
}

interface EditDialogProps {
  readonly approval: Approval;
  readonly onApprove: (edit: Edit) => void;
  readonly onClose: () => void;
}

/** The text of a reply or a note. */
const TextEdit = ({ approval: { operation }, onApprove, onClose }: EditDialogProps) => {
  const { text: asked }: { readonly text?: unknown } = operation ?? {};
  const [text, setText] = useState(typeof asked === 'string' ? asked : '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '') onApprove({ operation: { ...operation, text } });
  };
  return (
    <FormDialog title={texts.title} about={texts.about} deed={texts.deed} onSubmit={submit} onClose={onClose}>
      <label>
        {texts.text}
        <textarea rows={8} autoFocus value={text} onChange={({ target }) => setText(target.value)} />
      </label>
    </FormDialog>
  );
};

/** The input of an action, in the form that its schema makes. */
const InputEdit = ({ approval, onApprove, onClose }: EditDialogProps) => {
  const { http } = useSession();
  const { data: actions } = useQuery(actionsQuery(http));
  const { action, input, now } = approval;
  const declared = actions?.find(({ name }) => name === action);
  const form = useMemo(
    () => (declared === undefined ? null : toForm(declared.input, isObject(now) ? now['fields'] : undefined)),
    [declared, now],
  );
  const [typed, setTyped] = useState<InputDraft | null>(null);
  const [problems, setProblems] = useState<readonly InputProblem[]>([]);
  if (form === null)
    return (
      <FormDialog
        title={texts.title}
        about={texts.notYours}
        deed={texts.deed}
        isOff
        onSubmit={(event) => event.preventDefault()}
        onClose={onClose}
      >
        {null}
      </FormDialog>
    );
  const draft = typed ?? toDraft(form, input ?? {});
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found: InputProblem[] = [];
    const value = readInput(form, draft, '', found);
    setProblems(found);
    if (found.length === 0) onApprove({ input: isObject(value) ? value : {} });
  };
  return (
    <FormDialog title={texts.title} about={texts.about} deed={texts.deed} onSubmit={submit} onClose={onClose}>
      <InputForm field={form} draft={draft} problems={problems} onChange={setTyped} />
    </FormDialog>
  );
};

export const EditDialog = (props: EditDialogProps) =>
  props.approval.kind === 'action' ? <InputEdit {...props} /> : <TextEdit {...props} />;
