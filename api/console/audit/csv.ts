/** The audit log as a file for spreadsheets. Used by AuditPage. */
import type { AuditEntry } from '../wire/types.ts';

const columns: readonly (readonly [string, (entry: AuditEntry) => unknown])[] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => new Date(at).toISOString()],
  ['actor_type', ({ actor }) => actor.type],
  ['actor_id', ({ actor }) => actor.id],
  ['actor_name', ({ actor }) => actor.name],
  ['actor_role', ({ actor }) => actor.role],
  ['verb', ({ verb }) => verb],
  ['target_type', ({ target }) => target.type],
  ['target_id', ({ target }) => target.id],
  ['outcome', ({ outcome }) => outcome],
  ['count', ({ count }) => count],
  ['reason', ({ reason }) => reason],
  ['before', ({ before }) => before],
  ['after', ({ after }) => after],
  ['request_id', ({ requestId }) => requestId],
  ['address', ({ address }) => address],
];

/** Returns a value as one cell (RFC 4180). A text that a spreadsheet would run as a formula begins with an apostrophe. */
const cell = (value: unknown): string => {
  const text =
    value === null || value === undefined
      ? ''
      : typeof value === 'string'
        ? value
        : typeof value === 'number'
          ? String(value)
          : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const toCsv = (entries: readonly AuditEntry[]): string =>
  [columns.map(([name]) => name), ...entries.map((entry) => columns.map(([, of]) => cell(of(entry))))]
    .map((row) => `${row.join(',')}\r\n`)
    .join('');

/** Gives a text to the browser as a file. */
export const download = (name: string, text: string): void => {
  // The mark at the beginning tells spreadsheets that it is UTF-8.
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(url), 10_000);
};
