/** Grants of a role as a map from thing to verbs. Used by the pages of roles. */
import type { permissions } from '../../../shared/catalogue/permissions.ts';
import type { Role } from '../wire/types.ts';

/** The verbs of each kind of thing; the compiler holds them against the API's own. */
export const verbsOf: typeof permissions = {
  inbox: ['see', 'create', 'state', 'assign', 'tags', 'snooze', 'note', 'reply', 'triage', 'edit', 'claim'],
  resource: ['see'],
  action: ['run'],
  page: ['see'],
  flag: ['see', 'change'],
  approvals: ['see', 'decide'],
  audit: ['see'],
  settings: ['manage'],
};

export type Kind = keyof typeof permissions;
export const namedKinds = ['inbox', 'resource', 'action', 'page', 'flag'] as const;
export type NamedKind = (typeof namedKinds)[number];

/** Verbs by the thing that they are granted on, such as `inbox:*`. */
export type Granted = Readonly<Record<string, readonly string[]>>;

export const toGranted = (grants: Role['grants']): Granted => {
  const granted: Record<string, string[]> = {};
  for (const { on, can } of grants) granted[on] = [...new Set([...(granted[on] ?? []), ...can])];
  return granted;
};

export const toGrants = (granted: Granted): Role['grants'] =>
  Object.entries(granted).flatMap(([on, can]) => (can.length === 0 ? [] : [{ on, can: [...can] }]));

const verbsAt = (granted: Granted, on: string): readonly string[] => granted[on] ?? [];

/** Returns whether the verb is granted on the thing itself. */
export const isGranted = (granted: Granted, on: string, verb: string): boolean => {
  const can = verbsAt(granted, on);
  return can.includes(verb) || can.includes('*');
};

/**
 * Why a verb holds that is not granted itself. byEverything: everything is granted on the thing. byAll: it is granted on all of
 * the kind. bySomeOfAll: something is granted on all of the kind. byDeeds: something is granted on the thing, which needs to be seen.
 */
export type Implied = 'byEverything' | 'byAll' | 'bySomeOfAll' | 'byDeeds';

/** Returns why a verb holds that is not granted itself; null: it does not hold so. */
export const impliedBy = (granted: Granted, on: string, verb: string): Implied | null => {
  const [kind = '', name] = on.split(':');
  const can = verbsAt(granted, on);
  if (verb !== '*' && can.includes('*')) return 'byEverything';
  const all = name === undefined || name === '*' ? [] : verbsAt(granted, `${kind}:*`);
  if (all.includes(verb) || all.includes('*')) return 'byAll';
  if (verb === 'see' && all.length > 0) return 'bySomeOfAll';
  return verb === 'see' && can.some((each) => each !== 'see') ? 'byDeeds' : null;
};

/** Returns whether the verb holds on the thing, for whatever reason. */
export const holds = (granted: Granted, on: string, verb: string): boolean =>
  isGranted(granted, on, verb) || impliedBy(granted, on, verb) !== null;

export const withVerb = (granted: Granted, on: string, verb: string, isOn: boolean): Granted => {
  const can = verbsAt(granted, on);
  const next = verb === '*' && isOn ? ['*'] : isOn ? [...can, verb] : can.filter((each) => each !== verb);
  return { ...granted, [on]: next };
};

/** Returns the names of a kind that are granted by name. */
export const grantedNames = (granted: Granted, kind: NamedKind): readonly string[] =>
  Object.keys(granted).flatMap((on) =>
    on.startsWith(`${kind}:`) && on !== `${kind}:*` ? [on.slice(kind.length + 1)] : [],
  );
