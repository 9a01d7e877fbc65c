/** The rights that a role's grants give, compiled once per role. Everything that checks visibility or rights asks an `Access`. */
import type { FaultDetail } from '../../catalogue/errors.ts';
import {
  namedKinds,
  permissions,
  type Grant,
  type InboxVerb,
  type NamedKind,
  type PermissionKind,
} from '../../catalogue/permissions.ts';

export interface Access {
  /** Returns whether any verb on the thing is granted: a role that may do something to a thing sees it. */
  sees(kind: NamedKind, name: string): boolean;
  /** Returns whether the verb on the thing is granted. */
  can(kind: NamedKind, name: string, verb: string): boolean;
  /** Returns whether a right without a name is granted: `approvals`, `audit`, `settings`. */
  may(kind: Exclude<PermissionKind, NamedKind>, verb: string): boolean;
  /** Returns the names of a kind that the role sees, declared or not; null: every one. */
  namesSeen(kind: NamedKind): readonly string[] | null;
  /** Returns the verbs that are granted on an inbox, in the catalogue's order. */
  inboxVerbs(name: string): InboxVerb[];
  /** Roles with equal keys have equal rights. */
  readonly key: string;
}

const isPermissionKind = (kind: string): kind is PermissionKind => Object.hasOwn(permissions, kind);
const permissionKinds = Object.keys(permissions).filter(isPermissionKind);
const isNamed = (kind: string): kind is NamedKind => namedKinds.some((named) => named === kind);

const expand = (kind: PermissionKind, can: readonly string[]): readonly string[] =>
  can.includes('*') ? permissions[kind] : can;

/** Returns the rights that a list of grants gives. Grants of a kind that the catalogue doesn't have give none. */
export const compileAccess = (grants: readonly Grant[]): Access => {
  const verbs = new Map<string, Set<string>>();
  for (const { on, can } of grants) {
    const [kind = ''] = on.split(':', 1);
    if (can.length === 0 || !isPermissionKind(kind)) continue;
    const set = verbs.get(on) ?? new Set<string>();
    for (const verb of expand(kind, can)) set.add(verb);
    verbs.set(on, set);
  }
  const has = (on: string, verb: string): boolean => verbs.get(on)?.has(verb) ?? false;
  const can = (kind: NamedKind, name: string, verb: string): boolean =>
    has(`${kind}:*`, verb) || has(`${kind}:${name}`, verb);
  const sees = (kind: NamedKind, name: string): boolean => verbs.has(`${kind}:*`) || verbs.has(`${kind}:${name}`);
  return {
    sees,
    can: (kind, name, verb) => (verb === 'see' ? sees(kind, name) : can(kind, name, verb)),
    may: (kind, verb) => has(kind, verb) || (verb === 'see' && verbs.has(kind)),
    namesSeen: (kind) =>
      verbs.has(`${kind}:*`)
        ? null
        : [...verbs.keys()].filter((on) => on.startsWith(`${kind}:`)).map((on) => on.slice(kind.length + 1)),
    inboxVerbs: (name) =>
      permissions.inbox.filter((verb) => (verb === 'see' ? sees('inbox', name) : can('inbox', name, verb))),
    key: JSON.stringify(
      [...verbs].map(([on, set]): [string, string[]] => [on, [...set].sort()]).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
};

/** All rights. For work of the service itself (waking items, triage rules) and for JSON that is redacted later; no principal that calls has it. */
export const fullAccess: Access = compileAccess(
  permissionKinds.map((kind) => ({
    on: isNamed(kind) ? `${kind}:*` : kind,
    can: ['*'],
  })),
);

/** The rights of an app key, which has no role: it sees resources and flags, and may create and triage items in any inbox. */
export const appAccess: Access = compileAccess([
  { on: 'inbox:*', can: ['create', 'triage'] },
  { on: 'resource:*', can: ['see'] },
  { on: 'flag:*', can: ['see'] },
]);

/** Returns every problem of a list of grants from a request, with the path of the grant in it. */
export const grantProblems = (grants: readonly Grant[]): FaultDetail[] =>
  grants.flatMap(({ on, can }, i) => {
    const [kind = '', name] = on.split(':', 2);
    const path = `grants.${String(i)}`;
    if (!isPermissionKind(kind))
      return [{ path: `${path}.on`, message: `must begin with one of ${permissionKinds.join(', ')}` }];
    if (isNamed(kind) !== (name !== undefined)) {
      return [
        {
          path: `${path}.on`,
          message: isNamed(kind) ? `must be ${kind}:<name> or ${kind}:*` : `must be ${kind} alone`,
        },
      ];
    }
    const known: readonly string[] = permissions[kind];
    return can.flatMap((verb, j) =>
      verb === '*' || known.includes(verb)
        ? []
        : [{ path: `${path}.can.${String(j)}`, message: `must be *, ${known.join(', ')}` }],
    );
  });
