/** A list to choose from by typing: states, people, tags, snooze times, and the palette of commands. Used by pages. */
import { loadedLater } from './lazy.tsx';
import type { PickerProps } from './option.ts';

export const Picker = loadedLater<PickerProps>(async () => (await import('./PickerDialog.tsx')).PickerDialog);
