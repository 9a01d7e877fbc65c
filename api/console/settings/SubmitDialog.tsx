/** A dialog whose form makes a change; it stays, with the reason, while the change is refused. Used by the settings. */
import type { ReactNode } from 'react';
import { FormDialog } from '../ui/FormDialog.tsx';
import { useSubmit } from '../ui/useSubmit.ts';
import { ApiError, messageOf } from '../wire/apiError.ts';

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
  const { error, submit: send } = useSubmit(submit);
  const problem = error === null ? null : messageOf(error);
  const isTaken = typeof children === 'function' && error instanceof ApiError && error.code === 'conflict';
  return (
    <FormDialog {...rest} problem={isTaken ? null : problem} onSubmit={send}>
      {typeof children === 'function' ? children(isTaken ? problem : null) : children}
    </FormDialog>
  );
};
