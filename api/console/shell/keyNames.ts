/** The names of commands by scope and key. Used by the sheet of all keys and by the palette, which runs them. */
import type { KeyScope } from './keyboard.ts';
import { keyTexts } from './keyTexts.ts';

/** Returns the commands of a scope. */
export const keyNames = (scope: KeyScope): readonly (readonly [key: string, name: string])[] =>
  Object.entries(keyTexts[scope]);

/** Returns a key as it is printed. */
export const printedKey = (key: string): string => (key === 'Backspace' ? '⌫' : key);
