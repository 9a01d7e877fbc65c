/** The dialog that prompts for the reason of a change. Loaded by lazy.tsx. */
import { type FormEvent, useState } from 'react';
import { TextInput, TooLong, excessOf, reasonMost } from './fields.tsx';
import { FormDialog, type FormDialogProps } from './FormDialog.tsx';
import { uiTexts } from './texts.tsx';

interface AskProps extends Pick<FormDialogProps, 'title' | 'about' | 'deed' | 'onClose'> {
  readonly onAnswer: (reason: string) => void;
}

export const AskDialog = ({ title, about, deed, onAnswer, onClose }: AskProps) => {
  const [reason, setReason] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (reason.trim() === '' || excessOf(reason.trim(), reasonMost) > 0) return;
    onAnswer(reason.trim());
    onClose();
  };
  return (
    <FormDialog title={title} about={about} deed={deed} onSubmit={submit} onClose={onClose}>
      <TextInput label={uiTexts.form.reason} required autoFocus value={reason} onValue={setReason} />
      <TooLong what={uiTexts.form.theReason} text={reason.trim()} most={reasonMost} />
    </FormDialog>
  );
};
