/** The dialogs of the settings: one confirms an irreversible change, one shows a new credential, one has a form that makes a change. Used by their sections. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog } from '@base-ui/react/dialog';
import { useState, type ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { useSubmit } from '../ui/fields.tsx';
import { FormDialog, type FormDialogProps } from '../ui/FormDialog.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { ApiError, messageOf } from '../wire/apiError.ts';
import { settingsTexts } from './texts.ts';

interface ConfirmProps extends Pick<FormDialogProps, 'title' | 'about' | 'deed' | 'onClose'> {
  readonly onConfirm: () => void;
}

export const Confirm = ({ title, about, deed, onConfirm, onClose }: ConfirmProps) => (
  <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className="backdrop" />
      <AlertDialog.Popup className="dialog">
        <AlertDialog.Title dir="auto">{title}</AlertDialog.Title>
        <AlertDialog.Description className="soft">{about}</AlertDialog.Description>
        <div className="dialog-foot">
          <Button onClick={onClose}>{uiTexts.form.cancel}</Button>
          <Button
            tone="danger"
            onClick={() => {
              onConfirm();
              onClose();
            }}
          >
            {deed}
          </Button>
        </div>
      </AlertDialog.Popup>
    </AlertDialog.Portal>
  </AlertDialog.Root>
);

const Copyable = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <div className="copyable">
      <div>
        <h3>{label}</h3>
        <Button
          tone="bare"
          aria-label={isCopied ? settingsTexts.copiedOf(label) : settingsTexts.copyOf(label)}
          onClick={() => void copy().catch(() => undefined)}
        >
          {isCopied ? settingsTexts.copied : settingsTexts.copy}
        </Button>
      </div>
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
};

interface CredentialDialogProps extends Pick<FormDialogProps, 'title' | 'about' | 'onClose'> {
  /** Labels and texts that have a copy button each. */
  readonly parts: readonly (readonly [string, string])[];
}

/** Only its button closes it, as the credential is gone then. */
export const CredentialDialog = ({ title, about, parts, onClose }: CredentialDialogProps) => (
  <Dialog.Root open disablePointerDismissal>
    <Dialog.Portal>
      <Dialog.Backdrop className="backdrop" />
      <Dialog.Popup className="dialog">
        <Dialog.Title dir="auto">{title}</Dialog.Title>
        <Dialog.Description className="hint">{about}</Dialog.Description>
        {parts.map(([label, text]) => (
          <Copyable key={label} label={label} text={text} />
        ))}
        <div className="dialog-foot">
          <Button tone="main" onClick={onClose}>
            {settingsTexts.kept}
          </Button>
        </div>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);

interface SubmitDialogProps extends Omit<FormDialogProps, 'problem' | 'children' | 'onSubmit'> {
  /** A function gets why the name is taken, for its field; null: it is not. */
  readonly children: ReactNode | ((taken: string | null) => ReactNode);
  /** Makes the change; what it throws is shown. */
  readonly submit: () => Promise<void>;
}

/** A dialog whose form makes a change; it stays, with the reason, while the change is refused. */
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
