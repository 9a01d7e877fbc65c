/** Permissions of a role by its grants, for controls that no endpoint lists. Used by the rail and the pages. */
import type { Inbox, Me } from '../wire/types.ts';

/** Returns whether the role has the verb on a flag. */
export const mayFlag = (me: Me, name: string, verb: string): boolean =>
  may(me, `flag:${name}`, verb) || may(me, 'flag:*', verb);

/** Returns whether the role has the verb on a thing without names, such as `settings`. */
export const may = (me: Me, on: string, verb: string): boolean =>
  me.principal.type === 'person' &&
  (me.role?.grants.some((grant) => grant.on === on && (grant.can.includes(verb) || grant.can.includes('*'))) ?? false);

/** The verbs on items that bulks are made of. */
const bulkVerbs = ['state', 'assign', 'tags', 'snooze'];

/** Returns whether anything can be done to several items of the inboxes at once. */
export const maySelect = (inboxes: readonly Pick<Inbox, 'can'>[]): boolean =>
  inboxes.some(({ can }) => can.some((verb) => bulkVerbs.includes(verb)));

/** Returns whether the role has any verb on anything of a kind, such as `resource`; every verb implies sight. */
export const mayAny = (me: Me, kind: 'resource' | 'action' | 'flag' | 'page'): boolean =>
  me.role?.grants.some(({ on }) => on.startsWith(`${kind}:`)) ?? false;
