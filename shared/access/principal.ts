/** Who calls: the types that gates, operations and presenters share. */
import type { ActorRef } from '../catalogue/events.ts';
import type { Environment } from '../environments/definition.ts';
import type { Access } from './access.ts';

export type PrincipalMode = 'normal' | 'readonly' | 'supervised';

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly grants: readonly { readonly on: string; readonly can: readonly string[] }[];
  readonly access: Access;
}

/** A credential's owner as it stands now. `role` is null for an app key and the system. */
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

/** A person as other principals may know them. */
export interface Person {
  readonly id: string;
  readonly name: string;
  readonly access: Access;
  readonly environments: readonly string[];
}

/** Who does something where, and by which request: what every operation is performed for. */
export interface Caller {
  readonly env: Environment;
  readonly principal: Principal;
  readonly requestId: string | null;
  readonly address: string | null;
  /** Who decided that a supervised agent's change is made. */
  readonly approvedBy?: ActorRef;
}

export const toActorRef = ({ type, id, name }: Principal): ActorRef => ({ type, id, name });

export const includesEnvironment = (environments: readonly string[], name: string): boolean =>
  environments.includes('*') || environments.includes(name);

/** A supervised agent for what a person has approved: its mode asks for nothing more. */
export const withoutSupervision = (principal: Principal): Principal =>
  principal.mode === 'supervised' ? { ...principal, mode: 'normal' } : principal;
