/** Keys that work anywhere on the page, unless the person types or a dialog is open; keys of a list walk it, and are held until its rows are there. Used by pages and by the shell. */
import { useEffect, useRef, useState } from 'react';

interface HeldKeys<Key> {
  /** Applies a key, or holds it as long as the list is read. */
  readonly press: (key: Key) => void;
  /** Whether keys are held: what they will lead to is not known yet. */
  readonly isHolding: boolean;
  /** Forgets the keys that are held. */
  readonly drop: () => void;
}

export interface HeldKeysOptions<Key> {
  /** Differs between lists: keys are not applied to another list than the one that they were pressed for. */
  readonly list: unknown;
  /** Whether the rows are still to come. */
  readonly isReading: boolean;
  /** Called with keys in the order in which they were pressed. */
  readonly apply: (pressed: readonly Key[]) => void;
}

/** Keys of a list that are pressed before its rows are there: they are held, and applied once the rows are. */
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

/** Handlers by `event.key`; `mod+k` is Ctrl or ⌘; undefined: not possible now. */
type KeyCommands = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>;

/** Where commands belong; HelpDialog.tsx has their names. */
export type KeyScope = 'item' | 'list' | 'actions' | 'run' | 'approval' | 'agent' | 'job' | 'notice';

interface KeyPlace {
  readonly scope: KeyScope;
  readonly commands: () => KeyCommands;
}

const places = new Set<KeyPlace>();

/** Returns the places of the screen that have commands now. */
export const presentKeys = (): readonly KeyPlace[] => [...places];

/** Returns whether an element takes what is typed. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** Returns whether a dialog or a menu is open. */
export const isInDialog = (): boolean =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;

const nameOf = (event: KeyboardEvent): string =>
  event.metaKey || event.ctrlKey ? `mod+${event.key.toLowerCase()}` : event.key;

/** Runs a command when its key is pressed; with a scope the palette offers those that have a name there. */
export const useKeys = (commands: KeyCommands, scope?: KeyScope): void => {
  const current = useRef(commands);
  useEffect(() => {
    current.current = commands;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const name = nameOf(event);
      const command = current.current[name];
      if (command === undefined || event.defaultPrevented || event.altKey) return;
      if (isInDialog() || (isTyping(event.target) && !name.startsWith('mod+'))) return;
      event.preventDefault();
      command(event);
    };
    window.addEventListener('keydown', press);
    const place = scope === undefined ? null : { scope, commands: () => current.current };
    if (place !== null) places.add(place);
    return () => {
      window.removeEventListener('keydown', press);
      if (place !== null) places.delete(place);
    };
  }, [scope]);
};

/** Returns the element before (-1) or after (1) that at `at`, or the one there at an end; the first one where `at` is below 0. */
export const neighbour = <T>(list: readonly T[], at: number, by: 1 | -1): T | undefined =>
  list[at < 0 ? 0 : Math.max(0, Math.min(list.length - 1, at + by))];

/** Returns the id to which moves lead from another one, one after the other; undefined: the list is empty. */
export const idAfter = (
  ids: readonly string[],
  from: string | undefined,
  moves: readonly (1 | -1)[],
): string | undefined => {
  const at = (id: string | undefined): number => (id === undefined ? -1 : ids.indexOf(id));
  return moves.reduce<string | undefined>((id, by) => neighbour(ids, at(id), by), from);
};
