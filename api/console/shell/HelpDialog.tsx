/** All keys on one sheet. Loaded by Shell.tsx. */
import { Dialog } from '@base-ui/react/dialog';
import { keyNames, printedKey } from './keyNames.ts';

const groups: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Move',
    [
      ['j k', 'next and previous item'],
      ['⌘K g', 'go anywhere, find anything, run a command'],
      ...keyNames.list,
      ['u', 'undo the last change'],
      ['Esc', 'close what is open'],
    ],
  ],
  ['Item', [...keyNames.item, ...keyNames.actions]],
  ['Record, run', [...keyNames.actions, ...keyNames.run]],
  ['Approval', keyNames.approval],
  ['Agent', keyNames.agent],
  ['Job', keyNames.job],
  ['Conflict', keyNames.notice],
];

export const HelpDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="backdrop" />
      <Dialog.Popup className="dialog help" tabIndex={0}>
        <Dialog.Title>Keys</Dialog.Title>
        <div className="help-groups">
          {groups.map(([title, rows]) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {rows.map(([key, what]) => (
                  <div key={key}>
                    <dt>
                      <kbd>{printedKey(key)}</kbd>
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);
