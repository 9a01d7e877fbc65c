/** The dialog in which one chooses from a list by typing. Loaded by lazy.tsx, and with the palette. */
import { Dialog } from '@base-ui/react/dialog';
import { Fragment, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from './Button.tsx';
import { hasWords } from './SearchInput.tsx';
import { uiTexts } from './texts.tsx';

export interface Option {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  /** The heading under which it stands with its neighbours of the same. */
  readonly group?: string;
  readonly shortcut?: string;
  /** Whether it holds now. */
  readonly isOn?: boolean;
  readonly why?: string | null;
  /** Whether what it does is dangerous. */
  readonly isDangerous?: boolean;
}

interface PickerProps {
  readonly title: string;
  readonly placeholder: string;
  readonly options: readonly Option[];
  readonly onPick: (option: Option) => void;
  readonly onClose: () => void;
  /** Makes an option of what was typed; null: nothing can be made of it. */
  readonly make?: (text: string) => Option | null;
  /** Shown when nothing matches. */
  readonly none: string;
  /** Options from elsewhere for the typed text, shown after the matching ones. */
  readonly found?: readonly Option[];
  /** Called with the typed text. */
  readonly onText?: (text: string) => void;
  /** Whether it stays open, for choosing several. */
  readonly stays?: boolean;
}

const matches = ({ label, hint }: Option, words: string): boolean => hasWords(`${label} ${hint ?? ''}`, words);

/** Puts the focus on a field as soon as it is there: the dialog does so a frame later, and what is typed meanwhile would be lost. */
const takeFocus = (field: HTMLInputElement | null): void => field?.focus();

export const PickerDialog = ({
  title,
  placeholder,
  options,
  onPick,
  onClose,
  make,
  none,
  stays = false,
  found: elsewhere = [],
  onText,
}: PickerProps) => {
  const [text, setText] = useState('');
  /** null: the first that can be picked. */
  const [at, setAt] = useState<number | null>(null);
  const list = useRef<HTMLUListElement>(null);
  /** What had the focus gets it back. */
  const [before] = useState(() => document.activeElement);
  const id = useId();
  const found = options.filter((option) => matches(option, text));
  const made =
    text.trim() === '' || found.some(({ label }) => label === text.trim()) ? null : (make?.(text.trim()) ?? null);
  const shown = [...found, ...elsewhere, ...(made === null ? [] : [made])];
  const first = shown.findIndex(({ why }) => typeof why !== 'string');
  const current = Math.min(at ?? Math.max(0, first), shown.length - 1);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  const pick = (option: Option | undefined): void => {
    if (option === undefined || typeof option.why === 'string') return;
    onPick(option);
    if (stays) setText('');
    else onClose();
  };
  const press = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt(Math.max(0, Math.min(shown.length - 1, current + step)));
    else if (event.key === 'Enter') pick(shown[current]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop clear" />
        <Dialog.Popup
          className="picker"
          finalFocus={() => before instanceof HTMLElement && before !== document.body && before.isConnected && before}
        >
          <Dialog.Title className="hidden">{title}</Dialog.Title>
          <div className="picker-head">
            <input
              ref={takeFocus}
              role="combobox"
              aria-expanded
              aria-controls={id}
              aria-activedescendant={shown.length === 0 ? undefined : `${id}-${String(current)}`}
              aria-label={title}
              placeholder={placeholder}
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => {
                setText(event.target.value);
                onText?.(event.target.value);
                setAt(null);
              }}
              onKeyDown={press}
            />
            {stays && (
              <Button tone="bare" onClick={onClose}>
                {uiTexts.done}
              </Button>
            )}
          </div>
          <ul role="listbox" id={id} aria-label={title} ref={list}>
            {shown.map((option, index) => (
              <Fragment key={option.id}>
                {option.group !== undefined && option.group !== shown[index - 1]?.group && (
                  <li role="presentation" aria-hidden className="picker-group">
                    {option.group}
                  </li>
                )}
                <li
                  id={`${id}-${String(index)}`}
                  role="option"
                  aria-selected={index === current}
                  aria-disabled={typeof option.why === 'string'}
                  onPointerMove={() => setAt(index)}
                  onClick={() => pick(option)}
                >
                  <span className="tick" aria-hidden>
                    {option.isOn === true ? '✓' : ''}
                  </span>
                  <span className={`picker-label ${option.isDangerous === true ? 'grave' : ''}`}>{option.label}</span>
                  <span className={typeof option.why === 'string' ? 'why' : 'soft'} title={option.why ?? option.hint}>
                    {option.why ?? option.hint ?? ''}
                  </span>
                  {option.shortcut !== undefined && <kbd>{option.shortcut}</kbd>}
                </li>
              </Fragment>
            ))}
          </ul>
          {shown.length === 0 && <p className="picker-none">{none}</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
};
