/** Who may see what an agent does. Used by the list of its activity and by the live stream. */
import { fault } from '../../catalogue/errors.ts';
import type { Db } from '../../platform/db/knex.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import { requirePerson } from '../access/gates.ts';
import { includesEnvironment, type Caller } from '../access/principal.ts';

const environmentsSql = statement('agents.environments', 'select environments from agents where id = $1');

/** Returns the environments that an agent has access to, or had before it was revoked; none for an unknown one. */
const readAgentEnvironments = async (db: Db, id: string): Promise<readonly string[]> =>
  (await queryRow<{ environments: string[] }>(db, environmentsSql, [id]))?.environments ?? [];

/** Throws `403 person_required` for agents, and `403 forbidden` without `audit: see`. */
export const requireSeesAgents = (caller: Pick<Caller, 'principal'>): void => {
  requirePerson(caller);
  if (!caller.principal.access.may('audit', 'see')) throw fault('forbidden');
};

/**
 * Throws `403 person_required` for agents, `403 forbidden` without `audit: see`, and `404 not_found` for an agent that is
 * unknown or has nothing to do with the environment.
 */
export const requireSeesAgent = async (
  db: Db,
  caller: Pick<Caller, 'env' | 'principal'>,
  agent: string,
): Promise<void> => {
  requireSeesAgents(caller);
  if (!includesEnvironment(await readAgentEnvironments(db, agent), caller.env.name)) throw fault('not_found');
};
