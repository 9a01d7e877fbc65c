/** A dialog whose form makes a change; it stays, with the reason, while the change is refused. Used by the settings. */
import { useState, type FormEvent, type ReactNode } from 'react';
import { FormDialog } from '../ui/FormDialog.tsx';

interface SubmitDialogProps {
  readonly title: string;
  readonly about: string;
  readonly deed: string;
  readonly children: ReactNode;
  /** Makes the change; what it throws is shown. */
  readonly submit: () => Promise<void>;
  readonly onClose: () => void;
}

export const SubmitDialog = ({ submit, ...rest }: SubmitDialogProps) => {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await submit();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return <FormDialog {...rest} problem={problem} onSubmit={(event) => void send(event)} />;
};
