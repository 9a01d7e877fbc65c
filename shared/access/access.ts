/** What a role's grants allow, compiled once per role: the only place that decides who sees or may do what. */
import {
  permissions,
  namedKinds,
  type Grant,
  type InboxVerb,
  type PermissionKind,
  type NamedKind,
} from '../catalogue/permissions.ts';
import type { FaultDetail } from '../catalogue/errors.ts';

export interface Access {
  /** Whether any verb on the thing is granted: whoever may do something to it sees it. */
  sees(kind: NamedKind, name: string): boolean;
  can(kind: NamedKind, name: string, verb: string): boolean;
  /** Rights without a name: `approvals`, `audit`, `settings`. */
  may(kind: Exclude<PermissionKind, NamedKind>, verb: string): boolean;
  /** Verbs on an inbox, in the catalogue's order. */
  inboxVerbs(name: string): InboxVerb[];
  /** Equal keys see and may do the same. */
  readonly key: string;
}

const isNamed = (kind: string): kind is NamedKind => (namedKinds as readonly string[]).includes(kind);

const expand = (kind: PermissionKind, can: readonly string[]): readonly string[] =>
  can.includes('*') ? permissions[kind] : can;

export const compileAccess = (grants: readonly Grant[]): Access => {
  const verbs = new Map<string, Set<string>>();
  for (const { on, can } of grants) {
    const kind = on.split(':', 1)[0] as PermissionKind;
    if (can.length === 0) continue;
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
    inboxVerbs: (name) =>
      permissions.inbox.filter((verb) => (verb === 'see' ? sees('inbox', name) : can('inbox', name, verb))),
    key: JSON.stringify(
      [...verbs].map(([on, set]): [string, string[]] => [on, [...set].sort()]).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
};

/** Everything: for the service's own work (waking items, undoing), never for a caller. */
export const fullAccess: Access = compileAccess(
  (Object.keys(permissions) as PermissionKind[]).map((kind) => ({
    on: isNamed(kind) ? `${kind}:*` : kind,
    can: ['*'],
  })),
);

/** An app key holds no role: it may create items in any inbox and triage them, and nothing else through this table. */
export const appAccess: Access = compileAccess([
  { on: 'inbox:*', can: ['create', 'triage'] },
  { on: 'resource:*', can: ['see'] },
  { on: 'flag:*', can: ['see'] },
]);

/** Every problem of a grant list given by an admin. */
export const grantProblems = (grants: readonly Grant[]): FaultDetail[] =>
  grants.flatMap(({ on, can }, i) => {
    const [kind = '', name] = on.split(':', 2);
    const path = `grants.${String(i)}`;
    if (!Object.hasOwn(permissions, kind))
      return [{ path: `${path}.on`, message: `must begin with one of ${Object.keys(permissions).join(', ')}` }];
    if (isNamed(kind) !== (name !== undefined)) {
      return [
        {
          path: `${path}.on`,
          message: isNamed(kind) ? `must be ${kind}:<name> or ${kind}:*` : `must be ${kind} alone`,
        },
      ];
    }
    const known: readonly string[] = permissions[kind as PermissionKind];
    return can.flatMap((verb, j) =>
      verb === '*' || known.includes(verb)
        ? []
        : [{ path: `${path}.can.${String(j)}`, message: `must be *, ${known.join(', ')}` }],
    );
  });
