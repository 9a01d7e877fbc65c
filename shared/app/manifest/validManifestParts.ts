/** Extracts the parts of a manifest with an invalid form that can be checked further, so that all problems are reported at once. Used by readManifest.ts. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import { isObject } from '../../platform/json/jsonLimits.ts';
import type { Manifest } from './manifest.ts';

export interface ValidManifestParts {
  readonly manifest: Manifest;
  /** Places (`actions.3`) of entries whose form is invalid: `manifest` has their names and their schemas alone. */
  readonly invalidPaths: ReadonlySet<string>;
}

const kinds = ['resources', 'inboxes', 'views', 'actions', 'pages', 'flags'] as const;

/** Returns the name and the schemas of an invalid entry. Without a name the place stands for it, which is no valid name. */
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
 * Returns the parts that can be checked further; null when a member is no list, or when `problems` lacks problems of the form.
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
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the first line has refused a member that is no list
        ((value[kind] ?? []) as readonly unknown[]).flatMap((entry, i) => look(entry, `${kind}.${String(i)}`)),
      ]),
    );
  if (!isSound(parts((entry, place) => (unsound.has(place) ? [] : [entry])))) return null;
  return {
    manifest: parts((entry, place) => [unsound.has(place) ? nameOnly(entry, place) : entry]),
    invalidPaths: unsound,
  };
};
