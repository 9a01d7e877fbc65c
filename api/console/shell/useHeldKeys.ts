/** Keys of a list that are pressed before its rows are there: they are held, and applied once the rows are. Used by pages with a list. */
import { useEffect, useState } from 'react';
import { isInDialog, isTyping } from './keyboard.ts';

interface HeldKeys<Key> {
  /** Applies a key, or holds it as long as the list is read. */
  readonly press: (key: Key) => void;
  /** Whether keys are held: what they will lead to is not known yet. */
  readonly isHolding: boolean;
  /** Forgets the keys that are held. */
  readonly drop: () => void;
}

interface HeldKeysOptions<Key> {
  /** Differs between lists: keys are not applied to another list than the one that they were pressed for. */
  readonly list: unknown;
  /** Whether the rows are still to come. */
  readonly isReading: boolean;
  /** Called with keys in the order in which they were pressed. */
  readonly apply: (pressed: readonly Key[]) => void;
}

export const useHeldKeys = <Key>({ list, isReading, apply }: HeldKeysOptions<Key>): HeldKeys<Key> => {
  const [held, setHeld] = useState<{ readonly list: unknown; readonly pressed: readonly Key[] } | null>(null);
  const pressed = held !== null && held.list === list ? held.pressed : null;
  const drop = (): void => setHeld(null);
  useEffect(() => {
    if (held === null || isReading) return;
    drop();
    // Applying the keys would take the focus from a field or a dialog.
    if (pressed !== null && !isTyping(document.activeElement) && !isInDialog()) apply(pressed);
  });
  return {
    press: (key) => {
      if (isReading) setHeld({ list, pressed: [...(pressed ?? []), key] });
      else apply([key]);
    },
    isHolding: pressed !== null,
    drop,
  };
};
