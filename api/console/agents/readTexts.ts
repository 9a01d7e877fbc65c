/** The texts of what one agent reads. Used by Reads. */
import { count } from '../ui/time.ts';

export const readTexts = {
  title: 'What it reads',
  show: 'Show reads',
  showAbout: 'Shows what it reads while this is on; nothing of it is kept',
  status: { connecting: 'Connecting …', complete: 'Watching', broken: 'Not connected; trying again …' },
  later: (n: number) => `${count(n)} more when the pointer leaves`,
  none: 'Nothing read yet',
  noneAbout: 'What it reads from now on is shown here, and not kept.',
  reads: 'Reads',
  headings: ['When', 'Read', 'Target', 'Outcome'],
  byTool: 'by a tool',
  noQuery: 'parameters not shown',
};
