/** Who may see what an agent does. Used by the list of its activity and by the live stream. */
import { includesEnvironment, type Principal } from '../access/principal.ts';
import { fault } from '../catalogue/errors.ts';
import type { Environment } from '../environments/definition.ts';
import type { Db } from '../platform/db/knex.ts';
import { AgentRow } from '../platform/db/models.ts';

/** Returns the environments that an agent has access to, or had before it was revoked; none for an unknown one. */
const readAgentEnvironments = async (db: Db, id: string): Promise<readonly string[]> =>
  (await AgentRow.query(db).findById(id))?.environments ?? [];

/**
 * Throws `403 person_required` for agents, `403 forbidden` without `audit: see`, and `404 not_found` for an agent that is
 * unknown or has nothing to do with the environment.
 */
export const requireSeesAgent = async (
  db: Db,
  { env, principal }: { readonly env: Environment; readonly principal: Principal },
  agent: string,
): Promise<void> => {
  if (principal.type !== 'person') throw fault('person_required');
  if (!principal.access.may('audit', 'see')) throw fault('forbidden');
  if (!includesEnvironment(await readAgentEnvironments(db, agent), env.name)) throw fault('not_found');
};
