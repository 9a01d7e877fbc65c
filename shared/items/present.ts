/** Items as JSON text for one role: built by hand, as fifty of them are answered at a time (docs/performance.md). */
import type { Access } from '../access/access.ts';
import type { TextRow } from '../platform/db/sql.ts';
import type { Item } from './model.ts';

/** What JSON escapes, or half of it. Most texts have none, and looking is quicker than having them looked through. */
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/;

const quoted = (value: string | null): string =>
  value === null ? 'null' : escaped.test(value) ? JSON.stringify(value) : `"${value}"`;

const recordJson = (resource: string | null, id: string | null, title: string | null, access: Access): string =>
  resource === null || id === null || !access.sees('resource', resource)
    ? 'null'
    : `{"resource":"${resource}","id":${quoted(id)},"title":${quoted(title)}}`;

/** A row of `itemColumns`. Names and ids need no escaping; their forms hold no sign that JSON would escape. */
export const itemRowJson = (row: TextRow, access: Access): string =>
  `{"id":"${row[0] ?? ''}","inbox":"${row[1] ?? ''}","title":${quoted(row[2] ?? '')},"state":"${row[3] ?? ''}","record":${recordJson(row[4] ?? null, row[5] ?? null, row[6] ?? null, access)},"tags":${row[7] ?? '[]'},"assignee":${quoted(row[8] ?? null)},"occurrences":${row[9] ?? '1'},"users":${row[10] ?? '0'},"firstSeen":${row[11] ?? '0'},"lastSeen":${row[12] ?? '0'},"dueAt":${row[13] ?? 'null'},"fields":${row[14] ?? '{}'},"snoozedUntil":${row[15] ?? 'null'},"triaged":${String(row[16] === 't')},"createdAt":${row[17] ?? '0'},"updatedAt":${row[18] ?? '0'},"version":${row[19] ?? '1'}}`;

export const itemJson = (item: Item, access: Access): string =>
  `{"id":"${item.id}","inbox":"${item.inbox}","title":${quoted(item.title)},"state":"${item.state}","record":${recordJson(item.record?.resource ?? null, item.record?.id ?? null, item.record?.title ?? null, access)},"tags":${JSON.stringify(item.tags)},"assignee":${quoted(item.assignee)},"occurrences":${String(item.occurrences)},"users":${String(item.users)},"firstSeen":${String(item.firstSeen)},"lastSeen":${String(item.lastSeen)},"dueAt":${String(item.dueAt)},"fields":${item.fields},"snoozedUntil":${String(item.snoozedUntil)},"triaged":${String(item.triaged)},"createdAt":${String(item.createdAt)},"updatedAt":${String(item.updatedAt)},"version":${String(item.version)}}`;

export const itemEtag = (item: { readonly version: number }): string => `"${String(item.version)}"`;
