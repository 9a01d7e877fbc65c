/** The dialogs in which one answers with a line, or chooses from a list by typing; loaded when the browser has nothing else to do. Used by pages. */
import type { AskProps } from './AskDialog.tsx';
import { loadedLater } from './lazy.tsx';
import type { PickerProps } from './PickerDialog.tsx';

/** A list to choose from by typing: states, people, tags, snooze times, and the palette of commands. */
export const Picker = loadedLater<PickerProps>(async () => (await import('./PickerDialog.tsx')).PickerDialog);

export const Ask = loadedLater<AskProps>(async () => (await import('./AskDialog.tsx')).AskDialog);
