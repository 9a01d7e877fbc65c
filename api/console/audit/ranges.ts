/** Days that are often looked at. Used by the filters of the audit log. */
import { daysLaterAt } from '../ui/timeZone.ts';
import type { AuditSearch } from './filter.ts';

type Range = Pick<AuditSearch, 'from' | 'to'>;

/** Returns the days before the moment, in the person's zone: each from its beginning; without an end when today is among them. */
export const rangesAt = (now: number): Readonly<Record<'today' | 'yesterday' | 'lastDays', Range>> => {
  const day = (days: number): string => String(daysLaterAt(now, days, 0));
  return {
    today: { from: day(0) },
    yesterday: { from: day(-1), to: day(0) },
    lastDays: { from: day(-6) },
  };
};
