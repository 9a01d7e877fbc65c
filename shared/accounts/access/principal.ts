/** Principals and callers: their types, their rights in one environment, and the checks of visibility and rights that all domains share. */
import type { Environment, Definition, InboxDefinition } from '../../app/manifest/definition.ts';
import { type WithheldType, withheldTypes } from '../../app/manifest/rules/rules.ts';
import { type Fault, fault, invalidAt, notFoundAt } from '../../catalogue/errors.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import { getOrCreate } from '../../platform/caches.ts';
import type { EventActor } from '../../platform/journal/events.ts';
import type { Span } from '../../platform/tracing/span.ts';
import { unknownNameMessage } from '../../platform/words/nearestNames.ts';
import type { Access } from './access.ts';

export type PrincipalMode = 'normal' | 'readonly' | 'supervised';

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly grants: readonly { readonly on: string; readonly can: readonly string[] }[];
  readonly access: Access;
}

/** The owner of a credential with its present rights. `role` is null for an app key and for the system. */
export interface Principal {
  readonly type: ActorRef['type'];
  readonly id: string | null;
  readonly name: string;
  readonly mode: PrincipalMode;
  readonly role: Role | null;
  readonly access: Access;
  /** Names of environments, or `*`. */
  readonly environments: readonly string[];
}

/** A person as the directory knows them: to assign items to, and to check what they see. */
export interface Person {
  readonly id: string;
  readonly name: string;
  /** The name of their role. */
  readonly role: string;
  readonly access: Access;
  readonly environments: readonly string[];
}

/** A principal in an environment by one request: who every operation is performed for. */
export interface Caller {
  readonly env: Environment;
  readonly principal: Principal;
  readonly requestId: string | null;
  readonly address: string | null;
  /** The person who approved the change of a supervised agent. */
  readonly approvedBy?: ActorRef;
  /** Why, in the words of the principal; null or absent: they gave no reason. */
  readonly reason?: string | null;
  /** Of the request or the job that acts for them; null or absent: it is not traced. */
  readonly span?: Span | null;
}

/** Returns the principal as timelines, the audit log and live messages show it. */
export const toActorRef = ({ type, id, name }: Principal): ActorRef => ({ type, id, name });

/** Returns the actor of what a caller does, as events record it. */
export const toEventActor = ({
  principal,
  requestId,
  address,
}: Pick<Caller, 'principal' | 'requestId' | 'address'>): EventActor => ({
  ...toActorRef(principal),
  role: principal.role?.name ?? null,
  requestId,
  address,
});

/** Returns whether a list of environment names, or `*` for all, includes the environment. */
export const includesEnvironment = (environments: readonly string[], name: string): boolean =>
  environments.includes('*') || environments.includes(name);

/** Returns the principal with the mode `normal` when it is supervised: for a change that a person has approved or is going to. */
export const withoutSupervision = (principal: Principal): Principal =>
  principal.mode === 'supervised' ? { ...principal, mode: 'normal' } : principal;

/** Returns the caller's reason as a member for what is recorded, or none. */
export const reasonMember = ({ reason = null }: Pick<Caller, 'reason'>): { readonly reason?: string } =>
  reason === null ? {} : { reason };

const restricted = new WeakMap<Definition, WeakMap<Access, Access>>();

const without = (access: Access, { withheld }: Definition): Access => {
  const isWithheld = (kind: string, name: string): boolean =>
    withheldTypes.some((type) => type === kind && withheld[type].has(name));
  const names = (type: WithheldType): string[] => [...withheld[type]].sort();
  return {
    ...access,
    sees: (kind, name) => !isWithheld(kind, name) && access.sees(kind, name),
    can: (kind, name, verb) => !isWithheld(kind, name) && access.can(kind, name, verb),
    namesSeen: (kind) => access.namesSeen(kind)?.filter((name) => !isWithheld(kind, name)) ?? null,
    key: JSON.stringify([access.key, names('action'), names('flag')]),
  };
};

/** Returns the rights of a principal in an environment; the same object when nothing is withheld from it there. */
export const accessIn = (
  { definition }: Pick<Environment, 'definition'>,
  { type, access }: Pick<Principal, 'type' | 'access'>,
): Access =>
  type !== 'agent' || withheldTypes.every((kind) => definition.withheld[kind].size === 0)
    ? access
    : getOrCreate(
        getOrCreate(restricted, definition, () => new WeakMap<Access, Access>()),
        access,
        () => without(access, definition),
      );

/** Returns the principal with its rights in an environment. */
export const principalIn = (env: Pick<Environment, 'definition'>, principal: Principal): Principal => {
  const access = accessIn(env, principal);
  return access === principal.access ? principal : { ...principal, access };
};

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

interface Named {
  readonly name: string;
}

/**
 * Returns `not_found` with a detail at `path` that lists the nearest of `known`. These have to be names that the caller sees:
 * then the answer is the same whether `wanted` is hidden or nowhere.
 */
export const unknownName = (path: string, wanted: string, known: Iterable<string | Named>): Fault => {
  const names = [...known].map((one) => (typeof one === 'string' ? one : one.name));
  return notFoundAt(path, unknownNameMessage(wanted, names));
};
