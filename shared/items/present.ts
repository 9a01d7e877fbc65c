/**
 * Items as JSON text for one role, put together by hand, as a page of a list has fifty of them (docs/performance.md). For
 * responses, live messages and calls to the app.
 */
import type { Access } from '../access/access.ts';
import type { TextRow } from '../platform/db/sql.ts';
import type { Item } from './model.ts';

/** Characters that JSON escapes, and halves of surrogate pairs. Most texts have none, and this test is faster than JSON.stringify. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

const quoted = (value: string | null): string =>
  value === null ? 'null' : escaped.test(value) ? JSON.stringify(value) : `"${value}"`;

const recordJson = (resource: string | null, id: string | null, title: string | null, access: Access): string =>
  resource === null || id === null || !access.sees('resource', resource)
    ? 'null'
    : `{"resource":"${resource}","id":${quoted(id)},"title":${quoted(title)}}`;

/** Returns the JSON of a row of `itemColumns`. Names and ids have no characters that JSON escapes. */
export const itemRowJson = (row: TextRow, access: Access): string =>
  `{"id":"${row[0] ?? ''}","inbox":"${row[1] ?? ''}","title":${quoted(row[2] ?? '')},"state":"${row[3] ?? ''}","record":${recordJson(row[4] ?? null, row[5] ?? null, row[6] ?? null, access)},"tags":${row[7] ?? '[]'},"assignee":${quoted(row[8] ?? null)},"occurrences":${row[9] ?? '1'},"users":${row[10] ?? '0'},"firstSeen":${row[11] ?? '0'},"lastSeen":${row[12] ?? '0'},"dueAt":${row[13] ?? 'null'},"fields":${row[14] ?? '{}'},"snoozedUntil":${row[15] ?? 'null'},"triaged":${String(row[16] === 't')},"createdAt":${row[17] ?? '0'},"updatedAt":${row[18] ?? '0'},"version":${row[19] ?? '1'}}`;

/** Returns the JSON of an item, without its record when the role doesn't see it. */
export const itemJson = (item: Item, access: Access): string =>
  `{"id":"${item.id}","inbox":"${item.inbox}","title":${quoted(item.title)},"state":"${item.state}","record":${recordJson(item.record?.resource ?? null, item.record?.id ?? null, item.record?.title ?? null, access)},"tags":${JSON.stringify(item.tags)},"assignee":${quoted(item.assignee)},"occurrences":${String(item.occurrences)},"users":${String(item.users)},"firstSeen":${String(item.firstSeen)},"lastSeen":${String(item.lastSeen)},"dueAt":${String(item.dueAt)},"fields":${item.fields},"snoozedUntil":${String(item.snoozedUntil)},"triaged":${String(item.triaged)},"createdAt":${String(item.createdAt)},"updatedAt":${String(item.updatedAt)},"version":${String(item.version)}}`;

/** Returns the item of `itemJson` as an object. */
export const presentItem = (item: Item, access: Access): Readonly<Record<string, unknown>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- itemJson makes the text of an object
  JSON.parse(itemJson(item, access)) as Readonly<Record<string, unknown>>;

/** Returns the ETag of an item: its version, quoted (RFC 9110, section 8.8.3). */
export const itemEtag = (item: { readonly version: number }): string => `"${String(item.version)}"`;
