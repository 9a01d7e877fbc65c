/**
 * Long texts in saved responses: a response keeps their digests, and a repeat takes the texts from its own request and from where
 * the change wrote them. For api/middleware/call.ts and moveRun.ts, which save, and for api/middleware/once.ts.
 */
import { createHash } from 'node:crypto';
import type { Db } from '../../platform/db/knex.ts';
import { queryRows, statement } from '../../platform/db/sql.ts';
import type { StoredResponse } from '../../platform/journal/idempotency.ts';
import { endOfString, isObject } from '../../platform/json/jsonLimits.ts';

/** Characters of a text from which its digest is kept in its place. No name or title has as many. */
const longText = 1_024;
const mark = 'text:sha256:';
const kept = new RegExp(`"${mark}([0-9a-f]{64})"(?!:)`, 'g');

/** Returns whether a text is kept by its digest; one that looks like a digest is too, so that it is not taken for one. */
const isLong = (text: string): boolean => text.length > longText || text.startsWith(mark);

const digestOf = (literal: string): string => createHash('sha256').update(literal).digest('hex');

/** Returns the long texts in a value as JSON writes them, by their digests. */
export const longTexts = (value: unknown, found = new Map<string, string>()): Map<string, string> => {
  if (typeof value === 'string') {
    if (!isLong(value)) return found;
    const literal = JSON.stringify(value);
    found.set(digestOf(literal), literal);
  } else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) longTexts(inner, found);
  return found;
};

/** Returns a response without its long texts, each of which has its digest in its place, unless it `stays`. */
export const cutTexts = (body: string, stays: (digest: string) => boolean = () => false): string => {
  if (body.length < longText && !body.includes(mark)) return body;
  const parts: string[] = [];
  let from = 0;
  for (let at = body.indexOf('"'); at !== -1;) {
    const end = endOfString(body, at) + 1;
    const literal =
      (end - at > longText || body.startsWith(mark, at + 1)) && body[end] !== ':' ? body.slice(at, end) : '';
    const text: unknown = literal === '' ? '' : JSON.parse(literal);
    // What JSON would write in another way could not be written again with the same bytes.
    if (typeof text === 'string' && isLong(text) && JSON.stringify(text) === literal) {
      const digest = digestOf(literal);
      if (!stays(digest)) {
        parts.push(body.slice(from, at), `"${mark}${digest}"`);
        from = end;
      }
    }
    at = body.indexOf('"', end);
  }
  return parts.join('') + body.slice(from);
};

/** What the things of a response are and have been since it was saved. $2 their ids and keys. */
const contentsSql = statement(
  'once.contents',
  `
  select data::text as content from events where env = $1 and item = any($2) and entry = any($2) and not is_update
  union all select fields::text from items where env = $1 and id = any($2)
  union all select row_to_json(r)::text from all_runs r where env = $1 and id = any($2)
  union all select row_to_json(a)::text from all_approvals a where env = $1 and id = any($2)
  union all select operation::text from all_bulks where env = $1 and id = any($2)
  union all select row_to_json(f)::text from flags f where env = $1 and key = any($2)
  union all select json_build_array(before, after)::text from events where env = $1 and target = any($2) and verb is not null and at >= $3`,
);

/** Returns the ids and keys of what a saved response shows. */
const namesIn = (saved: Readonly<Record<string, unknown>>): string[] => {
  const { entries, items, blocks, ...members } = saved;
  const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const shown = listed(blocks).flatMap((block) => (isObject(block) ? listed(block['items']) : []));
  return [...Object.values(members), ...listed(entries), ...listed(items), ...shown].flatMap((thing) => {
    const name = isObject(thing) ? (thing['id'] ?? thing['flag']) : thing;
    return typeof name === 'string' && name.length <= 100 ? [name] : [];
  });
};

/** Returns a saved response with its texts, for a repeat that has `sent` this. A text that has been erased since stays away. */
export const fillTexts = async (
  db: Db,
  envId: number,
  { body, at }: Pick<StoredResponse, 'body' | 'at'>,
  sent: unknown,
): Promise<string> => {
  if (body.search(kept) === -1) return body;
  const found = longTexts(sent);
  const saved: unknown = JSON.parse(body);
  const names = isObject(saved) ? namesIn(saved) : [];
  for (const { content } of await queryRows<{ content: string | null }>(db, contentsSql, [envId, names, at]))
    if (content !== null) longTexts(JSON.parse(content), found);
  return body.replace(kept, (digest, hex: string) => found.get(hex) ?? digest);
};
