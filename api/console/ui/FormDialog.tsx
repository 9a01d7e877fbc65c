/** A dialog with a form: title, explanation, fields, the reason of a refusal, and the two buttons. Used by AskDialog and freshSignIn. */
import { Dialog } from '@base-ui/react/dialog';
import type { FormEvent, ReactNode } from 'react';
import { Button } from './Button.tsx';
import { ProblemText } from './fields.tsx';
import { uiTexts } from './texts.tsx';

export interface FormDialogProps {
  readonly title: string;
  readonly about: string;
  /** The words of the button that submits. */
  readonly deed: string;
  /** Of the button that submits. */
  readonly tone?: 'main' | 'danger';
  /** Whether it can't be submitted yet. */
  readonly isOff?: boolean;
  /** Whether there is nothing to cancel any more. */
  readonly isOver?: boolean;
  /** Why the last submission was refused; null: it was not. */
  readonly problem?: string | null;
  readonly children: ReactNode;
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  readonly onClose: () => void;
}

export const FormDialog = ({
  title,
  about,
  deed,
  tone = 'main',
  isOff = false,
  isOver = false,
  problem = null,
  children,
  onSubmit,
  onClose,
}: FormDialogProps) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="backdrop" />
      <Dialog.Popup className="dialog">
        <Dialog.Title>{title}</Dialog.Title>
        <Dialog.Description className="soft">{about}</Dialog.Description>
        <form onSubmit={onSubmit}>
          {children}
          <ProblemText text={problem} />
          <div className="dialog-foot">
            {!isOver && <Button onClick={onClose}>{uiTexts.form.cancel}</Button>}
            <Button type="submit" tone={tone} disabled={isOff}>
              {deed}
            </Button>
          </div>
        </form>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);
