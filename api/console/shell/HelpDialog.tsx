/** All keys on one sheet. Loaded by Shell.tsx. */
import { Dialog } from '@base-ui/react/dialog';
import { printedKeys } from '../ui/keys.ts';
import { helpTexts } from './helpTexts.ts';
import { keyNames, printedKey } from './keyNames.ts';

const groups: readonly (readonly [string, ReturnType<typeof keyNames>])[] = [
  [
    helpTexts.move,
    [
      ['j k', helpTexts.step],
      ['⌘K g', helpTexts.palette],
      ...keyNames('list'),
      ['u', helpTexts.undo],
      ['Esc', helpTexts.escape],
    ],
  ],
  [helpTexts.item, [...keyNames('item'), ...keyNames('actions')]],
  [helpTexts.recordAndRun, [...keyNames('actions'), ...keyNames('run')]],
  [helpTexts.approval, keyNames('approval')],
  [helpTexts.agent, keyNames('agent')],
  [helpTexts.job, keyNames('job')],
  [helpTexts.conflict, keyNames('notice')],
];

export const HelpDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="backdrop" />
      <Dialog.Popup className="dialog help" tabIndex={0}>
        <Dialog.Title>{helpTexts.keys}</Dialog.Title>
        <div className="help-groups">
          {groups.map(([title, rows]) => (
            <section key={title}>
              <h3>{title}</h3>
              <dl>
                {rows.map(([key, what]) => (
                  <div key={key}>
                    <dt>
                      {key.split(' ').map((each) => (
                        <kbd key={each}>{printedKeys(printedKey(each))}</kbd>
                      ))}
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
