/** The rights of a principal in one environment: agents may not use the new actions and flags that wait for a person's acceptance. */
import type { Definition, Environment } from '../../app/manifest/definition.ts';
import { withheldTypes, type WithheldType } from '../../app/manifest/rules/rules.ts';
import { getOrCreate } from '../../platform/caches.ts';
import type { Access } from './access.ts';
import type { Principal } from './principal.ts';

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
