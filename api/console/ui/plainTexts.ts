/** Texts of times that are told by how far away they are, and of single values. Loaded with the page; the functions that use them are called without it too. */
import { past } from './plural.ts';

export const plainTexts = {
  /** Texts of times that are told by how far away they are. */
  time: {
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
  },
  /** Texts of single values. */
  values: {
    labelled: (label: string, value: string) => `${label} ${value}`,
    yes: 'Yes',
    no: 'No',
  },
};
