/** Whoever asked for something that is done later, with the rights of now: for jobs, and for approvals when they are given. */
import type { DomainDeps } from './deps.ts';
import { includesEnvironment, type Caller } from '../access/principal.ts';

interface Requester {
  /** The environment's number. */
  readonly env: number;
  readonly actor_type: string;
  readonly actor: string;
  readonly request_id: string | null;
  readonly address: string | null;
}

const findRequester = async (
  { directory }: Pick<DomainDeps, 'directory'>,
  { env: number, actor_type: type, actor, request_id: requestId, address }: Requester,
): Promise<Caller | null> => {
  const env = directory.environmentById(number);
  const principal = env === undefined ? null : await directory.principal(type, actor);
  return env === undefined || principal === null || !includesEnvironment(principal.environments, env.name)
    ? null
    : { env, principal, requestId, address };
};

/**
 * null: revoked, removed, or not in this environment any more. A no is believed only after a fresh look: a role or an
 * environment may be newer than what this process has read.
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
