/** Times and numbers as people read them, in their own zone and language; the exact time stands beside the relative one. */

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const clockFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const dayFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const yearFormat = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const whenFormat = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const longAgoFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const numberFormat = new Intl.NumberFormat();

export const clockTime = (at: number): string => clockFormat.format(at);
export const exactTime = (at: number): string => exactFormat.format(at);
/** Returns a moment, with its year unless it is this one. */
export const whenTime = (at: number): string =>
  (new Date(at).getFullYear() === new Date().getFullYear() ? whenFormat : longAgoFormat).format(at);
export const count = (n: number): string => numberFormat.format(n);

const span = (ms: number): string => {
  if (ms < minute) return 'now';
  if (ms < hour) return `${String(Math.floor(ms / minute))} min`;
  if (ms < day) return `${String(Math.floor(ms / hour))} h`;
  return `${String(Math.floor(ms / day))} d`;
};

/** Returns how long ago, or the date when that says more. */
export const ago = (at: number, now: number): string => {
  const ms = now - at;
  if (ms < 7 * day) return span(Math.max(0, ms));
  return (new Date(at).getFullYear() === new Date(now).getFullYear() ? dayFormat : yearFormat).format(at);
};

/** Returns how a deadline stands. */
export const due = (at: number, now: number): { readonly text: string; readonly tone: 'late' | 'soon' | 'calm' } => {
  const left = at - now;
  if (left < 0) return { text: `${span(-left) === 'now' ? 'just' : span(-left)} overdue`, tone: 'late' };
  return { text: `due in ${span(left) === 'now' ? 'a minute' : span(left)}`, tone: left < hour ? 'soon' : 'calm' };
};
