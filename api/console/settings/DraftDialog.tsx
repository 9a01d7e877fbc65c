/** The dialog of something new or changed whose form is kept as a draft. Used by the forms of agents and people. */
import type { ComponentProps } from 'react';
import { SubmitDialog } from './SubmitDialog.tsx';

interface DraftDialogProps extends Omit<ComponentProps<typeof SubmitDialog>, 'submit'> {
  /** Whether something is made: its draft outlives the dialog, that of a change does not. */
  readonly isNew: boolean;
  /** Returns the body of the call; without members there is nothing to change. */
  readonly bodyOf: () => object;
  readonly onSubmit: (body: object) => Promise<void>;
  readonly forget: () => void;
}

export const DraftDialog = ({ isNew, bodyOf, onSubmit, forget, onClose, ...rest }: DraftDialogProps) => (
  <SubmitDialog
    {...rest}
    submit={async () => {
      const body = bodyOf();
      if (Object.keys(body).length === 0) onClose();
      else await onSubmit(body);
      forget();
    }}
    onClose={() => {
      if (!isNew) forget();
      onClose();
    }}
  />
);
