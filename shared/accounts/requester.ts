/** Looks up the requester of work that is done later, with present rights. For jobs, and for approvals when they are decided. */
import { fault } from '../catalogue/errors.ts';
import { type Caller, principalIn, includesEnvironment } from './access/principal.ts';
import type { DomainDeps } from './deps.ts';

interface Requester {
  /** The number of the environment, as the column `env` has it. */
  readonly env: number;
  readonly actor_type: string;
  readonly actor: string;
  readonly request_id: string | null;
  readonly address: string | null;
  readonly reason?: string | null;
}

const findRequester = async (
  { directory }: Pick<DomainDeps, 'directory'>,
  { env: envId, actor_type: type, actor, request_id: requestId, address, reason = null }: Requester,
): Promise<Caller | null> => {
  const env = directory.environmentById(envId);
  const principal = env === undefined ? null : await directory.principal(type, actor);
  return env === undefined || principal === null || !includesEnvironment(principal.environments, env.name)
    ? null
    : { env, principal: principalIn(env, principal), requestId, address, reason };
};

/**
 * Returns the requester as a caller, or null when it is revoked, removed, or has no access to the environment any more.
 * Refreshes the directory before it returns null, as a role or an environment may be newer than the cache.
 */
export const readRequester = async (
  deps: Pick<DomainDeps, 'directory'>,
  requester: Requester,
): Promise<Caller | null> => {
  const known = await findRequester(deps, requester);
  if (known !== null) return known;
  await deps.directory.refresh();
  return findRequester(deps, requester);
};

/** Why what was accepted earlier is not done when its requester is revoked, removed, or has no access to the environment any more. */
export const revokedMessage = 'Whoever asked for this may not act here any more.';

/** Returns the requester as a caller. Throws `forbidden` where `readRequester` returns null. */
export const requireRequester = async (deps: Pick<DomainDeps, 'directory'>, requester: Requester): Promise<Caller> => {
  const caller = await readRequester(deps, requester);
  if (caller === null) throw fault('forbidden', revokedMessage);
  return caller;
};

/** Throws for what an agent requested before it became supervised, unless a person has approved it. */
export const requireApprovedIfSupervised = ({ principal }: Caller, isApproved: boolean): void => {
  if (principal.mode === 'supervised' && !isApproved)
    throw fault('forbidden', 'This agent is supervised now, and no person has approved this.');
};

/** Returns a caller who has waited with present rights, or null when they may not act in the environment any more. */
export const readPresentCaller = async (
  deps: Pick<DomainDeps, 'directory'>,
  { principal: { type, id }, env, requestId, address, reason = null }: Caller,
): Promise<Caller | null> =>
  id === null
    ? null
    : readRequester(deps, { env: env.id, actor_type: type, actor: id, request_id: requestId, address, reason });
