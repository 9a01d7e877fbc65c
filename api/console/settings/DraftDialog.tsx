/** The dialog of something new or changed whose form is kept as a draft. Used by the forms of agents and people. */
import { useState, type ComponentProps } from 'react';
import { RestoredNote } from './RestoredNote.tsx';
import { SubmitDialog } from './SubmitDialog.tsx';

interface DraftDialogProps extends Omit<ComponentProps<typeof SubmitDialog>, 'submit'> {
  /** Whether something is made: its draft outlives the dialog, that of a change does not. */
  readonly isNew: boolean;
  /** Returns the body of the call; without members there is nothing to change. */
  readonly bodyOf: () => object;
  readonly onSubmit: (body: object) => Promise<void>;
  readonly forget: () => void;
  /** Whether anything is typed that is not saved. */
  readonly isTyped: boolean;
}

export const DraftDialog = ({
  isNew,
  isTyped,
  bodyOf,
  onSubmit,
  forget,
  onClose,
  children,
  ...rest
}: DraftDialogProps) => {
  const [isRestored, setRestored] = useState(isTyped);
  const discard = (): void => {
    setRestored(false);
    forget();
  };
  return (
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
    >
      {(taken) => (
        <>
          {isRestored && <RestoredNote onDiscard={discard} />}
          {typeof children === 'function' ? children(taken) : children}
        </>
      )}
    </SubmitDialog>
  );
};
