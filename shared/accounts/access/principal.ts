/** Principals and callers: the types that gates, operations and presenters share. */
import type { Environment } from '../../app/manifest/definition.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import type { Span } from '../../platform/tracing/span.ts';
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

/** Returns whether a list of environment names, or `*` for all, includes the environment. */
export const includesEnvironment = (environments: readonly string[], name: string): boolean =>
  environments.includes('*') || environments.includes(name);

/** Returns the principal with the mode `normal` when it is supervised: for a change that a person has approved or is going to. */
export const withoutSupervision = (principal: Principal): Principal =>
  principal.mode === 'supervised' ? { ...principal, mode: 'normal' } : principal;

/** Returns the caller's reason as a member for what is recorded, or none. */
export const reasonMember = ({ reason = null }: Pick<Caller, 'reason'>): { readonly reason?: string } =>
  reason === null ? {} : { reason };
