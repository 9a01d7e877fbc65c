/** The list of actions to choose from. Used by the inbox, the records and the runs. */
import { loadedLater } from '../ui/lazy.tsx';
import type { ActionPickerProps } from './request.ts';

export const ActionPicker = loadedLater<ActionPickerProps>(
  async () => (await import('./ActionPickerDialog.tsx')).ActionPickerDialog,
);
