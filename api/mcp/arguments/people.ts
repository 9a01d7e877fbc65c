/** People as models name them (a name, an e-mail address, `me`), as their ids. Used by tool.ts. */
import type { Person } from '../../../shared/accounts/access/principal.ts';
import { findAccount } from '../../../shared/accounts/accounts.ts';
import { Fault, invalidAt } from '../../../shared/catalogue/errors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';
import { isNearWord, knownNames } from '../../../shared/platform/words/nearestNames.ts';
import { foldCase } from '../../../shared/platform/words/searchWords.ts';
import type { EndpointCall } from '../../endpoint.ts';
import { assignablePeople, nameFilter } from '../../routes/people.ts';

type Members = Readonly<Record<string, unknown>>;

const idForm = /^per_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
/** People that an error lists at most: those with the same name, and those with a similar one. */
const listedMax = 10;
const nearestMax = 3;
/** Characters that the beginning of a name has at least. */
const beginningLeast = 3;

/** Returns a text without accents and the like, in lower case. */
const foldAccents = (text: string): string => foldCase(text.normalize('NFD').replace(/\p{M}/gu, ''));

/** Returns those whom a text names: by address, by the whole name, by the beginning of a part of it (a shorter text by a whole part), or so without accents. */
export const namedPeople = async (
  call: EndpointCall,
  people: readonly Person[],
  text: string,
): Promise<readonly Person[]> => {
  const isName = text !== '' && text.length <= limits.searchMax && text.split(/\s+/u).length <= limits.searchWords;
  if (!isName) return [];
  if (text.includes('@')) {
    const account = await findAccount(call.deps.db, text);
    return people.filter(({ id }) => id === account?.id);
  }
  const exact = people.filter(({ name }) => foldCase(name) === foldCase(text));
  if (exact.length > 0) return exact;
  // A letter or two begin many names, and one day the only one of them.
  const isWholePart = ({ name }: Person): boolean => foldCase(name).split(/\s+/u).includes(foldCase(text));
  if ([...text].length < beginningLeast) return people.filter(isWholePart);
  const begun = people.filter(nameFilter(text));
  if (begun.length > 0) return begun;
  const beginsWith = nameFilter(foldAccents(text));
  return people.filter((person) => beginsWith({ ...person, name: foldAccents(person.name) }));
};

/** Returns the fault for a name that several people have, with the ids of the first ones. */
export const ambiguousName = (path: string, found: readonly Person[]): Fault => {
  const list = found.slice(0, listedMax).map(({ id, name, role }) => `${name} (${role}): ${id}`);
  return invalidAt(path, `is the name of ${String(found.length)} people; give the id of one: ${list.join('; ')}`);
};

/** Returns the names that have a word near to one of the text: another would invite a wrong choice. */
const nearest = (wanted: string, names: readonly string[]): string => {
  const words = foldAccents(wanted).split(/\s+/u);
  const near = names.filter((name) => words.some((word) => isNearWord(word, foldAccents(name).split(/\s+/u))));
  const known = knownNames(wanted, near).slice(0, nearestMax);
  return known.length === 0 ? '' : `the nearest names are ${known.join(', ')}; `;
};

/** Returns the person’s id. Throws `400 invalid` for a name that nobody or more than one has. */
const resolvePerson = async (call: EndpointCall, given: string, path: string): Promise<string> => {
  const text = given.trim();
  const people = assignablePeople(call);
  const found = await namedPeople(call, people, text);
  const [first, second] = found;
  if (first === undefined) {
    const names = people.map(({ name }) => name);
    throw invalidAt(path, `names nobody whom you can assign items to; ${nearest(text, names)}list_people has all`);
  }
  if (second === undefined) return first.id;
  throw ambiguousName(path, found);
};

/** Returns the caller’s own id. Throws `400 invalid` for an agent, whom nothing is assigned to. */
const ownId = ({ caller: { principal } }: EndpointCall, path: string): string => {
  if (principal.type === 'person' && principal.id !== null) return principal.id;
  throw invalidAt(path, 'me is a person; you are an agent, whom no items are assigned to');
};

const resolveOne = async (call: EndpointCall, given: unknown, path: string, isFilter: boolean): Promise<unknown> => {
  if (typeof given !== 'string' || idForm.test(given)) return given;
  const word = given.trim().toLowerCase();
  if (word === 'none' || word === 'nobody' || word === 'unassigned') return isFilter ? 'none' : null;
  if (word === 'me') return ownId(call, path);
  try {
    return await resolvePerson(call, given, path);
  } catch (error) {
    // Who may not list people learns nothing about names here: the endpoint refuses what is no id.
    if (error instanceof Fault && error.code === 'forbidden') return given;
    throw error;
  }
};

const resolveMember = async (call: EndpointCall, given: unknown, path: string, isFilter: boolean): Promise<unknown> => {
  if (!Array.isArray(given)) return resolveOne(call, given, path, isFilter);
  const resolved: unknown[] = [];
  for (const one of given) resolved.push(await resolveOne(call, one, path, isFilter));
  return resolved;
};

/** Members whose own `assignee` is that of a change or, of `query`, of a filter. */
const containers = ['operation', 'query'] as const;

/** Returns the arguments with the id of each `assignee`. */
export const resolvePeople = async (call: EndpointCall, given: Members, isRead: boolean): Promise<Members> => {
  const resolved: Record<string, unknown> = { ...given };
  if (given['assignee'] !== undefined)
    resolved['assignee'] = await resolveMember(call, given['assignee'], 'assignee', isRead);
  for (const name of containers) {
    const inner = given[name];
    if (!isObject(inner) || inner['assignee'] === undefined) continue;
    const assignee = await resolveMember(call, inner['assignee'], `${name}.assignee`, name === 'query');
    resolved[name] = { ...inner, assignee };
  }
  return resolved;
};
