/** What a declaration changes, member by member, as the audit log has it. Used by defineEnvironment.ts. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from '../../../app/manifest/manifest.ts';
import { isObject } from '../../../platform/json/jsonLimits.ts';

type Members = Readonly<Record<string, unknown>>;

/** The changed members of a declaration by kind and name, before and after; null stands for what is not declared. */
interface DefinitionDiff {
  readonly before: Members;
  readonly after: Members;
}

const kinds = ['resources', 'inboxes', 'views', 'actions', 'pages', 'flags'] as const;
/** A longer value is kept as its length and its hash. */
const valueMax = 2_000;
/** JSON characters of one audit entry; more is told in several. */
const entryMax = 64 * 1024;

/** Returns a list of things with names as an object of them, so that they are compared one by one; else the value. */
const asMembers = (value: unknown): unknown => {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return value;
  const names = value.map(({ name, key }) => name ?? key);
  if (!names.every((name) => typeof name === 'string') || new Set(names).size < names.length) return value;
  return Object.fromEntries(
    value.map(({ name, key, ...members }, i) => [
      names[i] ?? '',
      { ...members, ...(name === undefined || key === undefined ? {} : { key }) },
    ]),
  );
};

const digest = (value: unknown): unknown => {
  const text = JSON.stringify(value);
  return text.length <= valueMax
    ? value
    : { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') };
};

/** Returns a value with every part of it that is too long as its digest. */
const shorten = (value: unknown): unknown => {
  const members = asMembers(value);
  return isObject(members) && Object.keys(members).length > 0
    ? Object.fromEntries(Object.entries(members).map(([name, one]) => [name, shorten(one)]))
    : digest(value);
};

/** Names come from the app: `constructor` is a member only where it is declared. */
const ownMember = (from: Members | undefined, name: string): unknown =>
  from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined;

/** Returns both sides of a value with the members alone that differ; null when none does. */
const difference = (before: unknown, after: unknown): readonly [unknown, unknown] | null => {
  if (isDeepStrictEqual(before, after)) return null;
  const [left, right] = [asMembers(before), asMembers(after)];
  if (!isObject(left) || !isObject(right)) return [shorten(before ?? null), shorten(after ?? null)];
  const changed = [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) => {
    const one = difference(ownMember(left, name), ownMember(right, name));
    return one === null ? [] : [[name, one] as const];
  });
  // Only the order has changed.
  if (changed.length === 0) return [digest(before), digest(after)];
  return [
    Object.fromEntries(changed.map(([name, [was]]) => [name, was])),
    Object.fromEntries(changed.map(([name, [, is]]) => [name, is])),
  ];
};

interface Change {
  readonly kind: string;
  readonly name: string;
  readonly sides: readonly [unknown, unknown];
}

const changesOf = (before: Manifest | null, after: Manifest): Change[] =>
  kinds.flatMap((kind) => {
    const [left, right] = [asMembers(before?.[kind] ?? []), asMembers(after[kind] ?? [])].map((list) =>
      isObject(list) ? list : {},
    );
    const names = new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})]);
    return [...names].flatMap((name) => {
      const sides = difference(ownMember(left, name), ownMember(right, name));
      return sides === null ? [] : [{ kind, name, sides }];
    });
  });

const sideOf = (changes: readonly Change[], side: 0 | 1): Members =>
  Object.fromEntries(
    kinds.flatMap((kind) => {
      const own = changes.filter((change) => change.kind === kind);
      return own.length === 0 ? [] : [[kind, Object.fromEntries(own.map(({ name, sides }) => [name, sides[side]]))]];
    }),
  );

/** Returns one side of a change that fits into no entry, with each member as its digest. */
const coarse = (side: unknown): unknown =>
  isObject(side) ? Object.fromEntries(Object.entries(side).map(([name, value]) => [name, digest(value)])) : side;

/** Returns what a manifest changes, cut into parts that fit into an audit entry each; at least one. */
export const definitionDiff = (before: Manifest | null, after: Manifest): DefinitionDiff[] => {
  const parts: Change[][] = [[]];
  let size = 0;
  for (const found of changesOf(before, after)) {
    const isTooLong = JSON.stringify(found.sides).length > entryMax;
    const change: Change = isTooLong ? { ...found, sides: [coarse(found.sides[0]), coarse(found.sides[1])] } : found;
    const length = JSON.stringify(change.sides).length + change.name.length;
    if (size > 0 && size + length > entryMax) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(change);
    size += length;
  }
  return parts.map((changes) => ({ before: sideOf(changes, 0), after: sideOf(changes, 1) }));
};
