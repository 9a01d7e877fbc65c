/** The dialog behind Ask.tsx. */
import { useState, type FormEvent } from 'react';
import { FormDialog } from './FormDialog.tsx';
import { formTexts } from './formTexts.ts';
import type { AskProps } from './question.ts';
import { excessOf, reasonMost, TooLong } from './TooLong.tsx';

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
      <label>
        {label}
        <input
          required
          autoFocus
          autoComplete="off"
          value={answer}
          onChange={({ target }) => setAnswer(target.value)}
        />
      </label>
      <TooLong what={formTexts.theAnswer(label)} text={answer.trim()} most={reasonMost} />
    </FormDialog>
  );
};
