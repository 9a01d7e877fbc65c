/** The links of an item to records, as far as a role sees them, and the schema of references to records. For the operations create, update and restore. */
import type { Access } from '../accounts/access/access.ts';
import { Fault, invalidAt } from '../catalogue/errors.ts';
import { limits } from '../catalogue/limits.ts';
import { isObject } from '../platform/json/jsonLimits.ts';
import { nameSchema, strictObject, Type } from '../platform/json/schema.ts';
import type { Item, RecordRef } from './model.ts';
import type { DecisionContext, EntryDraft, ItemDecision } from './operation.ts';

const recordId = Type.String({
  minLength: 1,
  maxLength: limits.recordIdMax,
  pattern: '^(?!(?:\\.{1,2}|list)$)[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  description: 'The record’s id in the app.',
});

export const recordReference = (description: string) =>
  strictObject({ resource: nameSchema('The resource.'), id: recordId }, { description });

interface LinkChange {
  readonly links: readonly RecordRef[];
  readonly add: readonly RecordRef[];
  readonly remove: readonly RecordRef[];
}

export const isSameRecord = (a: RecordRef, b: RecordRef): boolean => a.resource === b.resource && a.id === b.id;

const has = (links: readonly RecordRef[], ref: RecordRef): boolean => links.some((other) => isSameRecord(other, ref));

/** Returns the fault for a record that the caller doesn't see or that doesn't exist, in the same words. */
export const unknownRecordFault = (path: string): Fault => invalidAt(path, 'names no record that you can see');

const firstUnseen = (
  given: readonly RecordRef[],
  sees: (resource: string) => boolean,
  path: string,
): Fault | undefined => {
  const i = given.findIndex(({ resource }) => !sees(resource));
  return i === -1 ? undefined : unknownRecordFault(`${path}.${String(i)}`);
};

/**
 * Returns the links after a change, and those that were really added and removed; a fault for records of resources that the
 * caller doesn't see, and for too many. Links that the caller doesn't see stay, and are not counted.
 */
const changeLinks = (
  links: readonly RecordRef[],
  { add, remove }: Pick<LinkChange, 'add' | 'remove'>,
  sees: (resource: string) => boolean,
): LinkChange | Fault => {
  const unseen = firstUnseen(add, sees, 'links.add') ?? firstUnseen(remove, sees, 'links.remove');
  if (unseen !== undefined) return unseen;
  const added = add.filter((ref, i) => !has(links, ref) && add.findIndex((other) => isSameRecord(other, ref)) === i);
  const removed = links.filter((ref) => has(remove, ref));
  const next = [...links.filter((ref) => !has(removed, ref)), ...added];
  if (added.length > 0 && next.filter(({ resource }) => sees(resource)).length > limits.linksPerItem)
    return invalidAt('links.add', `an item holds at most ${String(limits.linksPerItem)} links`);
  return { links: next, add: added, remove: removed };
};

/** Returns the decision to add and remove links of an item, with an entry for each. */
export const decideLinkChange = (
  item: Item,
  wanted: Pick<LinkChange, 'add' | 'remove'>,
  { seesResource }: DecisionContext,
): ItemDecision => {
  const change = changeLinks(item.links, wanted, seesResource);
  if (change instanceof Fault) return change;
  if (change.add.length + change.remove.length === 0) return 'unchanged';
  return {
    item: { ...item, links: change.links },
    entries: [
      ...change.add.map((record): EntryDraft => ({ type: 'linked', data: { record } })),
      ...change.remove.map((record): EntryDraft => ({ type: 'unlinked', data: { record } })),
    ],
  };
};

const isHiddenRef = (access: Access, ref: unknown): boolean =>
  isObject(ref) && !access.sees('resource', String(ref['resource']));

/** Returns a list of records, or an object with such lists, without those that the role doesn't see; the same value if it sees all. */
const redactLinks = (access: Access, links: unknown): unknown => {
  if (Array.isArray(links))
    return links.some((ref) => isHiddenRef(access, ref)) ? links.filter((ref) => !isHiddenRef(access, ref)) : links;
  if (!isObject(links)) return links;
  const seen = Object.entries(links).map(([name, list]): [string, unknown] => [name, redactLinks(access, list)]);
  return seen.every(([name, list]) => list === links[name]) ? links : Object.fromEntries(seen);
};

/** Returns an operation, or another object with `links`, without the records that the role doesn't see; the same object if it sees all. */
export const redactLinked = <T extends object>(access: Access, values: T): T => {
  if (!('links' in values)) return values;
  const links = redactLinks(access, values.links);
  return links === values.links ? values : { ...values, links };
};
