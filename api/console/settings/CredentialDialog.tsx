/** A new credential with what is needed to use it, shown this once. Used by useResource and by people. */
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { settingsTexts } from './texts.ts';

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

interface CredentialDialogProps {
  readonly title: string;
  readonly about: string;
  /** Labels and texts that have a copy button each. */
  readonly parts: readonly (readonly [string, string])[];
  readonly onClose: () => void;
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
