/** Names schemas that occur several times, such as a member `reason`. Used by ../openapi.ts. */
import { isObject } from '../../shared/platform/json/jsonLimits.ts';
import type { Json } from './examples.ts';

/** Bytes that a component takes beside its schema. */
const nameCost = 8;

const nameOf = (member: string): string => `${member.charAt(0).toUpperCase()}${member.slice(1)}`;
const referenceTo = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Returns a value with each schema inside that a member of an object has replaced by what `replace` makes of it. */
const mapMembers = (value: unknown, replace: (name: string, member: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((inner) => mapMembers(inner, replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'example' || key === 'examples') return [key, inner];
      if (key !== 'properties' || !isObject(inner)) return [key, mapMembers(inner, replace)];
      return [key, Object.fromEntries(Object.entries(inner).map(([name, member]) => [name, replace(name, member)]))];
    }),
  );
};

interface Candidate {
  /** The name that it would have. */
  readonly name: string;
  places: number;
}

/** Returns the schemas of members by their texts, with how often each stands there. */
const findCandidates = (value: unknown): Map<string, Candidate> => {
  const found = new Map<string, Candidate>();
  const see = (member: string, schema: unknown): unknown => {
    const text = JSON.stringify(schema);
    const known = found.get(text);
    if (known !== undefined) known.places += 1;
    else if (!text.startsWith('{"$ref"')) found.set(text, { name: nameOf(member), places: 1 });
    return mapMembers(schema, see);
  };
  mapMembers(value, see);
  return found;
};

/** Returns how many bytes a document gets shorter when a schema has a name. */
const savingOf = (text: string, { name, places }: Candidate): number =>
  (places - 1) * Buffer.byteLength(text) - places * JSON.stringify(referenceTo(name)).length - name.length - nameCost;

/** Returns the texts of the schemas that get a name, by that name; of several for one name that which saves most. */
const chooseNames = (candidates: ReadonlyMap<string, Candidate>, taken: Json): Map<string, string> => {
  const chosen = new Map<string, string>();
  const worth = [...candidates].map(([text, candidate]) => ({ text, ...candidate, saving: savingOf(text, candidate) }));
  for (const { text, name, saving } of worth.sort((a, b) => b.saving - a.saving))
    if (saving > 0 && !Object.hasOwn(taken, name) && !chosen.has(name)) chosen.set(name, text);
  return chosen;
};

interface Parts {
  readonly document: Json;
  readonly schemas: Json;
}

/** Returns the parts of a document with references to such members, and `schemas` with them; one whose name is taken stays where it is. */
export const shareMembers = (document: Json, schemas: Json): Parts => {
  const chosen = chooseNames(findCandidates([document, schemas]), schemas);
  const names = new Map([...chosen].map(([name, text]) => [text, name]));
  const refer = (_: string, member: unknown): unknown => {
    const name = names.get(JSON.stringify(member));
    return name === undefined ? mapMembers(member, refer) : referenceTo(name);
  };
  const rewrite = (parts: Json): Json =>
    Object.fromEntries(Object.entries(parts).map(([key, part]) => [key, mapMembers(part, refer)]));
  const shared = Object.fromEntries([...chosen].map(([name, text]) => [name, mapMembers(JSON.parse(text), refer)]));
  return { document: rewrite(document), schemas: { ...rewrite(schemas), ...shared } };
};
