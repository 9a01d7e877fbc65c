/** All keys on one sheet, and the names of commands by scope and key. Loaded by Shell.tsx; the palette runs the commands by their names. */
import { Dialog } from '@base-ui/react/dialog';
import { printedKeys } from '../ui/Button.tsx';
import type { KeyScope } from './keyboard.ts';
import { laterTexts } from './laterTexts.ts';

/** Returns the commands of a scope. */
export const keyNames = (scope: KeyScope): readonly (readonly [key: string, name: string])[] =>
  Object.entries(laterTexts.keys[scope]);

/** Returns a key as it is printed. */
export const printedKey = (key: string): string => (key === 'Backspace' ? '⌫' : key);

const groups: readonly (readonly [string, ReturnType<typeof keyNames>])[] = [
  [
    laterTexts.help.move,
    [
      ['j k', laterTexts.help.step],
      ['⌘K g', laterTexts.help.palette],
      ...keyNames('list'),
      ['u', laterTexts.help.undo],
      ['Esc', laterTexts.help.escape],
    ],
  ],
  [laterTexts.help.item, [...keyNames('item'), ...keyNames('actions')]],
  [laterTexts.help.recordAndRun, [...keyNames('actions'), ...keyNames('run')]],
  [laterTexts.help.approval, keyNames('approval')],
  [laterTexts.help.agent, keyNames('agent')],
  [laterTexts.help.job, keyNames('job')],
  [laterTexts.help.conflict, keyNames('notice')],
];

export const HelpDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className="backdrop" />
      <Dialog.Popup className="dialog help" tabIndex={0}>
        <Dialog.Title>{laterTexts.help.keys}</Dialog.Title>
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
