/** The names that a role sees, to compare them with those of another role in another process. Used by api/live. */
import { namedKinds, permissions, type NamedKind, type PermissionKind } from '../../catalogue/permissions.ts';
import type { Access } from './access.ts';

/** The names that a role sees of each kind; null: all of them. */
export interface Sight {
  readonly named: Readonly<Record<NamedKind, readonly string[] | null>>;
  /** The kinds without names of which it sees something. */
  readonly others: readonly string[];
}

type OtherKind = Exclude<PermissionKind, NamedKind>;

const isNamed = (kind: string): kind is NamedKind => namedKinds.some((named) => named === kind);
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the catalogue that are no named ones
const otherKinds = Object.keys(permissions).filter((kind) => !isNamed(kind)) as OtherKind[];

export const sightOf = (access: Access): Sight => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every named kind is there
  named: Object.fromEntries(namedKinds.map((kind) => [kind, access.namesSeen(kind)])) as Sight['named'],
  others: otherKinds.filter((kind) => access.may(kind, 'see')),
});

/** Returns whether a role sees all that another one does. */
export const seesAllOf = (access: Access, { named, others }: Sight): boolean =>
  namedKinds.every((kind) => {
    const names = named[kind];
    return names === null ? access.namesSeen(kind) === null : names.every((name) => access.sees(kind, name));
  }) && otherKinds.every((kind) => !others.includes(kind) || access.may(kind, 'see'));
