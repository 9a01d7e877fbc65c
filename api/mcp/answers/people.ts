/** Adds the names of people to an answer that has their ids. Used by present.ts. */
import type { Members } from './members.ts';

const quotedIds = /(?<=")per_[0-7][0-9a-hjkmnp-tv-z]{25}(?=")/g;

/** Returns the names of people by their ids; called only when an answer has ids. */
export type PeopleNames = () => ReadonlyMap<string, string>;

/** Returns the body with `people`, the name of each of them by id; as it is where it lists people itself, or none whose name is known. */
export const withPeopleNames = (body: Members, namesOf: PeopleNames): Members => {
  if ('people' in body) return body;
  const ids = new Set(JSON.stringify(body).match(quotedIds));
  if (ids.size === 0) return body;
  const names = namesOf();
  const known = [...ids].flatMap((id): (readonly [string, string])[] => {
    const name = names.get(id);
    return name === undefined ? [] : [[id, name]];
  });
  return known.length === 0 ? body : { ...body, people: Object.fromEntries(known) };
};
