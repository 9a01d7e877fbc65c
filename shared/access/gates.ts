/** Checks of visibility and rights that every domain shares. */
import { fault, type Fault } from '../catalogue/errors.ts';
import type { Caller, Principal } from './principal.ts';
import type { InboxDefinition } from '../environments/definition.ts';

/** Why this principal can't change anything at all now, or null. */
export const principalModeFault = ({ mode }: Principal): Fault | null => {
  if (mode === 'readonly') return fault('forbidden', 'This agent is read-only.');
  if (mode === 'supervised') return fault('forbidden', 'What a supervised agent asks for needs a person’s approval.');
  return null;
};

/** The inbox, when the caller sees it. */
export const findVisibleInbox = ({ env, principal }: Caller, name: string): InboxDefinition | undefined => {
  const inbox = env.definition.inboxes.get(name);
  return inbox !== undefined && principal.access.sees('inbox', name) ? inbox : undefined;
};
