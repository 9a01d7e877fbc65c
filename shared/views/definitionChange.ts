/** What a declaration changed, in the audit log, as a role sees it. Used by audit.ts. */
import type { Access } from '../access/access.ts';
import type { Definition } from '../environments/definition.ts';
import { isObject } from '../platform/core/jsonLimits.ts';

type Values = Readonly<Record<string, unknown>>;

/** Members that may name things which the role doesn't see; only those who may manage settings see them. */
const namingMembers = new Set(['suggest', 'blocks', 'triage', 'relations', 'inbox', 'resource', 'reply']);

/** What entries tell of names beside the changes themselves: which stricter rules stay, what a trusted app has loosened. */
const noteMembers = new Set(['held', 'loosened']);

interface Viewer {
  readonly access: Access;
  readonly definition: Definition;
}

const isSeen = ({ access, definition }: Viewer, kind: string, name: string, value: unknown): boolean => {
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
      const resource = definition.actions.get(name)?.resource ?? (isObject(value) ? value['resource'] : null);
      return access.can('action', name, 'run') && (typeof resource !== 'string' || access.sees('resource', resource));
    }
    case 'views': {
      const inbox = definition.views.get(name)?.inbox ?? (isObject(value) ? value['inbox'] : null);
      return typeof inbox !== 'string' || access.sees('inbox', inbox);
    }
    default:
      return false;
  }
};

const seenMembers = ({ access }: Viewer, value: unknown): unknown =>
  !isObject(value) || access.may('settings', 'manage')
    ? value
    : Object.fromEntries(Object.entries(value).filter(([member]) => !namingMembers.has(member)));

const seenNames = (viewer: Viewer, kind: string, names: Values): Values =>
  Object.fromEntries(
    Object.entries(names)
      .filter(([name, value]) => isSeen(viewer, kind, name, value))
      .map(([name, value]) => [name, seenMembers(viewer, value)]),
  );

/** Returns one side of a declaration's audit entry without what the role doesn't see. */
export const redactDefinitionChange = (viewer: Viewer, values: Values | null): Values | null =>
  values === null
    ? null
    : Object.fromEntries(
        Object.entries(values).flatMap(([kind, names]): (readonly [string, unknown])[] => {
          // Earlier releases counted.
          if (typeof names === 'number') return [[kind, names]];
          if (!isObject(names)) return [];
          const seen = noteMembers.has(kind) ? redactDefinitionChange(viewer, names) : seenNames(viewer, kind, names);
          return seen === null || Object.keys(seen).length === 0 ? [] : [[kind, seen]];
        }),
      );
