/** What of a manifest with problems of form can be looked at further, so that all of its problems are told at once: asked by manifest.ts. */
import type { FaultDetail } from '../catalogue/errors.ts';
import { isObject } from '../platform/core/jsonLimits.ts';
import type { Manifest } from './manifest.ts';

export interface ValidManifestParts {
  readonly manifest: Manifest;
  /** Places (`actions.3`) of entries whose form is not sound: their names stand, and what else can be looked at by itself. */
  readonly invalidPaths: ReadonlySet<string>;
}

const kinds = ['resources', 'inboxes', 'views', 'actions', 'pages', 'flags'] as const;

/** Schemas are looked at by themselves. A place is no name, so nothing is taken for declared by it. */
const nameOnly = (entry: unknown, place: string): object => {
  const { name, key, input, fields } = isObject(entry) ? entry : {};
  return {
    name: typeof name === 'string' ? name : place,
    key: typeof key === 'string' ? key : place,
    ...(isObject(input) ? { input } : {}),
    ...(isObject(fields) ? { fields } : {}),
  };
};

/**
 * null: nothing can be said about how its entries fit each other, as there is a list that is none, or as not all problems
 * of form are among `problems`.
 */
export const extractValidParts = (
  value: unknown,
  problems: readonly FaultDetail[],
  isSound: (manifest: object) => boolean,
): ValidManifestParts | null => {
  if (!isObject(value) || kinds.some((kind) => value[kind] !== undefined && !Array.isArray(value[kind]))) return null;
  const unsound = new Set(problems.map(({ path }) => path.split('.').slice(0, 2).join('.')));
  const parts = (look: (entry: unknown, place: string) => readonly unknown[]): object =>
    Object.fromEntries(
      kinds.map((kind) => [
        kind,
        ((value[kind] ?? []) as readonly unknown[]).flatMap((entry, i) => look(entry, `${kind}.${String(i)}`)),
      ]),
    );
  if (!isSound(parts((entry, place) => (unsound.has(place) ? [] : [entry])))) return null;
  return {
    manifest: parts((entry, place) => [unsound.has(place) ? nameOnly(entry, place) : entry]) as Manifest,
    invalidPaths: unsound,
  };
};
