/** Small functions on the members of answers. Used by kinds.ts, declared.ts and present.ts. */
import { isObject } from '../../../shared/platform/json/jsonLimits.ts';

export type Members = Readonly<Record<string, unknown>>;

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** Returns the members that say something: no null, no empty list or object. */
export const withoutEmpty = (value: Members): Members =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => !isEmpty(member)));

/** Returns these members, in this order, as far as they say something. */
export const pickMembers = (value: Members, names: readonly string[]): Members =>
  withoutEmpty(Object.fromEntries(names.map((name) => [name, value[name]])));

/** Returns the members but these, as far as they say something. */
export const omitMembers = (value: Members, names: readonly string[]): Members =>
  withoutEmpty(Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))));

export const objectsIn = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Returns the names of those members of an object that are true, for flags that are usually false. */
export const trueNames = (value: Members, names: readonly string[]): string[] =>
  names.filter((name) => value[name] === true);

/** Returns a text; any other value is the empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
