/** The dialog that confirms an irreversible change. Used by the settings. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Button } from '../ui/Button.tsx';
import { settingsTexts } from './texts.ts';

interface ConfirmProps {
  readonly title: string;
  readonly about: string;
  readonly deed: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

export const Confirm = ({ title, about, deed, onConfirm, onClose }: ConfirmProps) => (
  <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
    <AlertDialog.Portal>
      <AlertDialog.Backdrop className="backdrop" />
      <AlertDialog.Popup className="dialog">
        <AlertDialog.Title dir="auto">{title}</AlertDialog.Title>
        <AlertDialog.Description className="soft">{about}</AlertDialog.Description>
        <div className="dialog-foot">
          <Button onClick={onClose}>{settingsTexts.cancel}</Button>
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
