/** What a role can be granted: kinds of things and the verbs on each. Read by shared/accounts. */

export const permissions = {
  inbox: ['see', 'create', 'state', 'assign', 'tags', 'snooze', 'note', 'reply', 'triage', 'edit', 'claim'],
  resource: ['see'],
  action: ['run'],
  page: ['see'],
  flag: ['see', 'change'],
  approvals: ['see', 'decide'],
  audit: ['see'],
  settings: ['manage'],
} as const;

export type PermissionKind = keyof typeof permissions;
/** Kinds that are granted by name: `inbox:support`, or `inbox:*` for all. */
export const namedKinds = ['inbox', 'resource', 'action', 'page', 'flag'] as const;
export type NamedKind = (typeof namedKinds)[number];
export type InboxVerb = (typeof permissions.inbox)[number];

export interface Grant {
  readonly on: string;
  readonly can: readonly string[];
}

/** The three roles that every project has; they can't be changed or deleted. */
export const builtInRoles: Readonly<Record<'viewer' | 'operator' | 'admin', readonly Grant[]>> = {
  viewer: [
    { on: 'inbox:*', can: ['see'] },
    { on: 'resource:*', can: ['see'] },
    { on: 'page:*', can: ['see'] },
    { on: 'flag:*', can: ['see'] },
  ],
  operator: [
    { on: 'inbox:*', can: permissions.inbox.filter((verb) => verb !== 'triage') },
    { on: 'resource:*', can: ['see'] },
    { on: 'page:*', can: ['see'] },
    { on: 'action:*', can: ['run'] },
    { on: 'flag:*', can: ['see', 'change'] },
    { on: 'approvals', can: ['see', 'decide'] },
  ],
  admin: Object.keys(permissions).map((kind) => ({
    on: (namedKinds as readonly string[]).includes(kind) ? `${kind}:*` : kind,
    can: ['*'],
  })),
};
