/** What a caller can use at all, for the list of tools: whether a call may be made is decided where it is made. */
import type { InboxVerb, NamedKind } from '../../shared/catalogue/permissions.ts';
import type { Caller } from '../../shared/access/principal.ts';
import { mayRun } from '../../shared/actions/queries.ts';
import type { Action } from '../../shared/environments/actions.ts';
import { visibleInboxes } from '../../shared/items/filters.ts';

export type Right = (caller: Caller) => boolean;

export const always: Right = () => true;

export const seesInbox: Right = (caller) => visibleInboxes(caller).length > 0;

const namesOf: Readonly<Record<Exclude<NamedKind, 'inbox' | 'action'>, (caller: Caller) => readonly string[]>> = {
  resource: ({ env }) => [...env.definition.resources.keys()],
  page: ({ env }) => [...env.definition.pages.keys()],
  flag: ({ env }) => [...env.definition.flags.keys()],
};

export const sees = (kind: keyof typeof namesOf): Right => (caller) => namesOf[kind](caller).some((name) => caller.principal.access.sees(kind, name));

/** Whether the caller changes anything, if only by asking a person. */
const changes: Right = ({ principal }) => principal.mode !== 'readonly';

/** Whether it may do one of these in some inbox. */
export const mayInInbox = (...verbs: readonly InboxVerb[]): Right => (caller) =>
  changes(caller) && visibleInboxes(caller).some(({ name, retired }) => verbs.some((verb) => (verb !== 'create' || !retired) && caller.principal.access.can('inbox', name, verb)));

/** Those that its role may run. */
export const runnableActions = (caller: Caller): Action[] =>
  [...caller.env.definition.actions.values()].filter(({ name, resource }) => mayRun(caller, { action: name, resource }));

export const runsActions: Right = (caller) => runnableActions(caller).length > 0;

export const startsRuns: Right = (caller) => changes(caller) && runsActions(caller);

export const changesFlags: Right = (caller) =>
  changes(caller) && [...caller.env.definition.flags.keys()].some((key) => caller.principal.access.can('flag', key, 'change'));

const changesItems = mayInInbox('create', 'state', 'assign', 'tags', 'snooze', 'note', 'reply', 'triage');

/** Whether it can have requests of its own. */
export const asksForApproval: Right = (caller) => startsRuns(caller) || changesFlags(caller) || changesItems(caller);

export const seesApprovals: Right = (caller) => caller.principal.access.may('approvals', 'see') || asksForApproval(caller);

export const doesBulks: Right = (caller) => startsRuns(caller) || mayInInbox('state', 'assign', 'tags', 'snooze')(caller);
