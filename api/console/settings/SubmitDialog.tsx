/** A dialog whose form makes a change; it stays, with the reason, while the change is refused. Used by the settings. */
import { useState, type FormEvent, type ReactNode } from 'react';
import { FormDialog } from '../ui/FormDialog.tsx';
import { ApiError } from '../wire/apiError.ts';

interface SubmitDialogProps {
  readonly title: string;
  readonly about: string;
  readonly deed: string;
  /** Of the button that submits. */
  readonly tone?: 'main' | 'danger';
  /** Whether it can't be submitted yet. */
  readonly isOff?: boolean;
  /** A function gets why the name is taken, for its field; null: it is not. */
  readonly children: ReactNode | ((taken: string | null) => ReactNode);
  /** Makes the change; what it throws is shown. */
  readonly submit: () => Promise<void>;
  readonly onClose: () => void;
}

export const SubmitDialog = ({ submit, children, ...rest }: SubmitDialogProps) => {
  const [problem, setProblem] = useState<string | null>(null);
  const [taken, setTaken] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    setTaken(null);
    try {
      await submit();
    } catch (error) {
      const isTaken = typeof children === 'function' && error instanceof ApiError && error.code === 'conflict';
      (isTaken ? setTaken : setProblem)(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <FormDialog {...rest} problem={problem} onSubmit={(event) => void send(event)}>
      {typeof children === 'function' ? children(taken) : children}
    </FormDialog>
  );
};
