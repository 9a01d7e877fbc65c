/** Checks of visibility and rights that the domains (items, records, actions, bulks, flags) share. */
import type { InboxDefinition } from '../../app/manifest/definition.ts';
import { fault, invalidAt, type Fault } from '../../catalogue/errors.ts';
import type { Caller, Principal } from './principal.ts';

/** Returns the fault for a principal whose mode lets it change nothing by itself, or null. */
export const principalModeFault = ({ mode }: Principal): Fault | null => {
  if (mode === 'readonly') return fault('forbidden', 'This agent is read-only.');
  if (mode === 'supervised') return fault('forbidden', 'A supervised agent needs a person’s approval for this change.');
  return null;
};

/** Throws `403 person_required` for agents and apps. */
export const requirePerson = ({ principal }: Pick<Caller, 'principal'>): void => {
  if (principal.type !== 'person') throw fault('person_required');
};

/** Returns the inbox, or undefined when it doesn't exist or the caller doesn't see it. */
export const findVisibleInbox = ({ env, principal }: Caller, name: string): InboxDefinition | undefined => {
  const inbox = env.definition.inboxes.get(name);
  return inbox !== undefined && principal.access.sees('inbox', name) ? inbox : undefined;
};

/** Returns the fault of a change without the reason that it needs; null with one, and for the app and the service itself. */
export const reasonFault = ({
  principal: { type },
  reason = null,
}: Pick<Caller, 'principal' | 'reason'>): Fault | null =>
  reason !== null || (type !== 'agent' && type !== 'person')
    ? null
    : invalidAt('reason', 'is required here: say why, in at most 2,000 characters');
