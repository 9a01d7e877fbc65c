/** The dialog that prompts for one line. Loaded by lazy.tsx. */
import { type FormEvent, useState } from 'react';
import { TextInput, TooLong, excessOf, reasonMost } from './fields.tsx';
import { FormDialog } from './FormDialog.tsx';
import { uiTexts } from './texts.tsx';

/** Properties of a prompt for one line. */
interface AskProps {
  readonly title: string;
  readonly about: string;
  readonly label: string;
  /** The words of the button that submits. */
  readonly deed: string;
  readonly onAnswer: (text: string) => void;
  readonly onClose: () => void;
}

export const AskDialog = ({ title, about, label, deed, onAnswer, onClose }: AskProps) => {
  const [answer, setAnswer] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (answer.trim() === '' || excessOf(answer.trim(), reasonMost) > 0) return;
    onAnswer(answer.trim());
    onClose();
  };
  return (
    <FormDialog title={title} about={about} deed={deed} onSubmit={submit} onClose={onClose}>
      <TextInput label={label} required autoFocus value={answer} onValue={setAnswer} />
      <TooLong what={uiTexts.form.theAnswer(label)} text={answer.trim()} most={reasonMost} />
    </FormDialog>
  );
};
