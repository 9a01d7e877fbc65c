/** Texts of Home. Used by the files of this folder. */
import type { ReactNode } from 'react';
import { counted } from '../ui/plural.ts';

export const homeTexts = {
  title: 'What waits',
  toDecide: 'To decide',
  nothingToDecide: 'Nobody waits for your decision.',
  mine: 'Mine',
  nothingMine: 'Nothing is assigned to you.',
  howToTake: 'Press a on an item to take it.',
  overdue: 'Overdue',
  nothingOverdue: 'Nothing is overdue.',
  requesters: 'Agents that ask',
  requests: (n: number, oldest: ReactNode) => (
    <>
      {counted(n, 'request waits', 'requests wait')}, the oldest came {oldest}
    </>
  ),
  bulks: 'Bulks under way',
  ramps: 'Ramps under way',
  loosenings: 'The app wants to be less strict',
  loosening: (what: string, to: string) => `${what}: ${to}`,
};
