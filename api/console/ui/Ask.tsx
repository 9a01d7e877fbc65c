/** Prompt for one line before a change, such as a reason. Used by the commands of the inbox. */
import { loadedLater } from './lazy.tsx';
import type { AskProps } from './question.ts';

export const Ask = loadedLater<AskProps>(async () => (await import('./AskDialog.tsx')).AskDialog);
