/** What a declaration changed, in the audit log, as a role sees it. Used by auditValues.ts. */
import type { Access } from '../accounts/access/access.ts';
import type { Definition } from '../app/manifest/definition.ts';
import { isObject } from '../platform/json/jsonLimits.ts';

type Values = Readonly<Record<string, unknown>>;

/** Members that may name things which the role doesn't see; only those who may manage settings see them. */
const namingMembers = new Set(['suggest', 'blocks', 'triage', 'relations', 'inbox', 'resource', 'reply']);

/** What entries tell of names beside the changes themselves: which stricter rules stay, what a trusted app has loosened. */
const noteMembers = new Set(['held', 'loosened']);

interface Viewer {
  readonly access: Access;
  readonly definition: Definition;
}

/** The two sides of a change of one name; null: it was not declared. */
type Sides = readonly [unknown, unknown];

/** Returns the name that a member of either side has. */
const namedBy = (sides: Sides, member: string): string | undefined =>
  sides.map((side) => (isObject(side) ? side[member] : undefined)).find((name) => typeof name === 'string');

/** Returns whether the role sees an action or a view by what it belongs to. Of one that is gone, and doesn't say, only those who may manage settings. */
const seesOwner = (
  { access }: Viewer,
  kind: 'resource' | 'inbox',
  declared: { readonly owner: string | null | undefined } | undefined,
  sides: Sides,
): boolean => {
  const owner = declared === undefined ? namedBy(sides, kind) : declared.owner;
  if (typeof owner === 'string') return access.sees(kind, owner);
  return declared !== undefined || access.may('settings', 'manage');
};

const isSeen = (viewer: Viewer, kind: string, name: string, sides: Sides): boolean => {
  const { access, definition } = viewer;
  switch (kind) {
    case 'resources':
      return access.sees('resource', name);
    case 'inboxes':
      return access.sees('inbox', name);
    case 'pages':
      return access.sees('page', name);
    case 'flags':
      return access.sees('flag', name);
    case 'actions': {
      const action = definition.actions.get(name);
      return (
        access.can('action', name, 'run') && seesOwner(viewer, 'resource', action && { owner: action.resource }, sides)
      );
    }
    case 'views': {
      const view = definition.views.get(name);
      return seesOwner(viewer, 'inbox', view && { owner: view.inbox }, sides);
    }
    default:
      return false;
  }
};

const seenMembers = ({ access }: Viewer, value: unknown): unknown =>
  !isObject(value) || access.may('settings', 'manage')
    ? value
    : Object.fromEntries(Object.entries(value).filter(([member]) => !namingMembers.has(member)));

const seenNames = (viewer: Viewer, kind: string, names: Values, others: unknown): Values =>
  Object.fromEntries(
    Object.entries(names)
      .filter(([name, value]) => isSeen(viewer, kind, name, [value, isObject(others) ? others[name] : null]))
      .map(([name, value]) => [name, seenMembers(viewer, value)]),
  );

/** Returns one side of a declaration's audit entry, whose other side is `other`, without what the role doesn't see. */
export const redactDefinitionChange = (viewer: Viewer, values: Values | null, other: Values | null): Values | null =>
  values === null
    ? null
    : Object.fromEntries(
        Object.entries(values).flatMap(([kind, names]): (readonly [string, unknown])[] => {
          // Earlier releases counted.
          if (typeof names === 'number') return [[kind, names]];
          if (!isObject(names)) return [];
          const seen = noteMembers.has(kind)
            ? redactDefinitionChange(viewer, names, null)
            : seenNames(viewer, kind, names, other?.[kind]);
          return seen === null || Object.keys(seen).length === 0 ? [] : [[kind, seen]];
        }),
      );
