/** Keys that work anywhere on the page, unless the person types or a dialog is open. Used by pages and by the shell. */
import { useEffect, useRef } from 'react';

/** Handlers by `event.key`; `mod+k` is Ctrl or ⌘; undefined: not possible now. */
type KeyCommands = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>;

/** Where commands belong; keyNames.ts has their names. */
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
