/** Texts of times that are told by how far away they are. Loaded with the page; used by time.ts. */
import { past } from './plural.ts';

export const timeTexts = {
  /** Within a sentence. */
  justNow: 'just now',
  minutesAgo: (n: number) => past(n, 'minute'),
  hoursAgo: (n: number) => past(n, 'hour'),
  daysAgo: (n: number) => past(n, 'day'),
  onDate: (date: string) => `on ${date}`,
  now: 'now',
  minutes: (n: number) => `${String(n)} min`,
  hours: (n: number) => `${String(n)} h`,
  days: (n: number) => `${String(n)} d`,
  justOverdue: 'just overdue',
  overdue: (span: string) => `${span} overdue`,
  dueNow: 'due in a minute',
  dueIn: (span: string) => `due in ${span}`,
};
