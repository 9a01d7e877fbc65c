/** Items as JSON text for one role, by the table of members. For responses, live messages and calls to the app. */
import type { Access } from '../accounts/access/access.ts';
import type { Stored } from '../app/items/columns.ts';
import { itemMembers, memberNames, type Item } from '../app/items/members.ts';
import type { TextRow } from '../platform/db/sql.ts';
import { placeOf } from './model.ts';

/** The members that are shown, each behind what stands before its value. */
const shown = memberNames
  .filter((name) => itemMembers[name].shown !== null)
  .map((name, n) => {
    const { show, showRow }: Stored<unknown> = itemMembers[name].stored;
    return { name, before: `${n === 0 ? '{' : ','}"${name}":`, at: placeOf(name), show, showRow };
  });

/** Returns the JSON of a row of `itemColumns`. */
export const itemRowJson = (row: TextRow, access: Access): string => {
  let json = '';
  for (const { before, at, showRow } of shown)
    json += before + (typeof showRow === 'string' ? (row[at] ?? showRow) : showRow(row, at, access));
  return `${json}}`;
};

/** Returns the JSON of an item, without its record when the role doesn't see it. */
export const itemJson = (item: Item, access: Access): string => {
  let json = '';
  for (const { name, before, show } of shown) json += before + show(item[name], access);
  return `${json}}`;
};

/** Returns the item of `itemJson` as an object. */
export const presentItem = (item: Item, access: Access): Readonly<Record<string, unknown>> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- itemJson makes the text of an object
  JSON.parse(itemJson(item, access)) as Readonly<Record<string, unknown>>;

/** Returns the ETag of an item: its version, quoted (RFC 9110, section 8.8.3). */
export const itemEtag = (item: { readonly version: number }): string => `"${String(item.version)}"`;
