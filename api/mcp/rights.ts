/** The rights that a caller has at all, for the list of tools; whether a call is allowed is decided by its endpoint. */
import type { Caller } from '../../shared/accounts/access/principal.ts';
import type { ActionDefinition } from '../../shared/app/manifest/actions.ts';
import type { InboxVerb, NamedKind } from '../../shared/catalogue/permissions.ts';
import { visibleInboxes } from '../../shared/items/filters/filters.ts';
import { canRunAction } from '../../shared/runs/queries.ts';

export type CallerPredicate = (caller: Caller) => boolean;

export const anyCaller: CallerPredicate = () => true;

export const canSeeAnyInbox: CallerPredicate = (caller) => visibleInboxes(caller).length > 0;

const namesOf: Readonly<Record<Exclude<NamedKind, 'inbox' | 'action'>, (caller: Caller) => readonly string[]>> = {
  resource: ({ env }) => [...env.definition.resources.keys()],
  page: ({ env }) => [...env.definition.pages.keys()],
  flag: ({ env }) => [...env.definition.flags.keys()],
};

export const canSeeAny =
  (kind: keyof typeof namesOf): CallerPredicate =>
  (caller) =>
    namesOf[kind](caller).some((name) => caller.principal.access.sees(kind, name));

/** Whether the caller may change anything, if only by a request that a person approves. */
const canChange: CallerPredicate = ({ principal }) => principal.mode !== 'readonly';

/** Returns whether the caller may do one of these in some inbox. */
export const canInAnyInbox =
  (...verbs: readonly InboxVerb[]): CallerPredicate =>
  (caller) =>
    canChange(caller) &&
    visibleInboxes(caller).some(({ name, retired }) =>
      verbs.some((verb) => (verb !== 'create' || !retired) && caller.principal.access.can('inbox', name, verb)),
    );

/** Returns the actions that the caller's role may run. */
const runnableActions = (caller: Caller): ActionDefinition[] =>
  [...caller.env.definition.actions.values()].filter(({ name, resource }) =>
    canRunAction(caller, { action: name, resource }),
  );

export const canRunAnyAction: CallerPredicate = (caller) => runnableActions(caller).length > 0;

export const canStartRuns: CallerPredicate = (caller) => canChange(caller) && canRunAnyAction(caller);

export const canChangeAnyFlag: CallerPredicate = (caller) =>
  canChange(caller) &&
  [...caller.env.definition.flags.keys()].some((key) => caller.principal.access.can('flag', key, 'change'));

const canChangeItems = canInAnyInbox('create', 'state', 'assign', 'tags', 'snooze', 'note', 'reply', 'triage', 'edit');

/** Whether the caller can have approvals of its own. */
export const canRequestApproval: CallerPredicate = (caller) =>
  canStartRuns(caller) || canChangeAnyFlag(caller) || canChangeItems(caller);

export const canSeeApprovals: CallerPredicate = (caller) =>
  caller.principal.access.may('approvals', 'see') || canRequestApproval(caller);

export const canStartBulks: CallerPredicate = (caller) =>
  canStartRuns(caller) || canInAnyInbox('state', 'assign', 'tags', 'snooze')(caller);

/** For tools whose work update_item or search does too: clients that know them may go on calling them. */
export const noCaller: CallerPredicate = () => false;
