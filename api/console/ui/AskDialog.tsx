/** The dialog behind Ask.tsx. */
import type { FormEvent } from 'react';
import { FormDialog } from './FormDialog.tsx';
import type { AskProps } from './question.ts';

export const AskDialog = ({ title, about, label, deed, onAnswer, onClose }: AskProps) => {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const answer = new FormData(event.currentTarget).get('answer');
    if (typeof answer !== 'string' || answer.trim() === '') return;
    onAnswer(answer.trim());
    onClose();
  };
  return (
    <FormDialog title={title} about={about} deed={deed} onSubmit={submit} onClose={onClose}>
      <label>
        {label}
        <input name="answer" required autoFocus autoComplete="off" maxLength={2_000} />
      </label>
    </FormDialog>
  );
};
