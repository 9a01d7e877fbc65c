/** Reads agents, people and app keys with their rights. For directory.ts. */
import { createGatheringReader } from '../platform/db/gather.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../platform/db/sql.ts';
import type { Clock } from '../platform/time/clock.ts';
import { appAccess } from './access/access.ts';
import type { Principal, PrincipalMode, Role } from './access/principal.ts';

const agentsByIdsSql = statement(
  'directory.agents',
  `
  select id, name, role, mode, environments, expires_at from agents where id = any ($1) and revoked_at is null`,
);
const readPerson = statement(
  'directory.person',
  `
  select name, role, environments from people where id = $1 and removed_at is null`,
);
const readAppKey = statement(
  'directory.appKey',
  `
  select k.name, e.name as environment from app_keys k join environments e on e.id = k.env where k.id = $1 and k.revoked_at is null`,
);
interface AgentRow {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly mode: PrincipalMode;
  readonly environments: string[];
  readonly expires_at: number | null;
}

/** Returns a function that reads an agent that is not revoked; reads that come at once share a statement. */
export const createAgentReader = (db: Db): ((id: string) => Promise<AgentRow | undefined>) => {
  const read = createGatheringReader(
    async (_group, ids) =>
      new Map((await queryRows<AgentRow>(db, agentsByIdsSql, [ids])).map((agent) => [agent.id, agent])),
  );
  return (id) => read(0, id);
};

interface PrincipalSource {
  readonly db: Db;
  readonly agent: (id: string) => Promise<AgentRow | undefined>;
  readonly clock: Clock;
  readonly role: (id: string) => Role | undefined;
}

/** Returns an agent, a person or an app key by id, null when it is revoked, removed or expired. */
export const readPrincipal = async (
  { db, agent, clock, role }: PrincipalSource,
  type: string,
  id: string,
): Promise<(Principal & { expiresAt: number | null }) | null> => {
  if (type === 'agent') {
    const found = await agent(id);
    const has = found === undefined ? undefined : role(found.role);
    if (found === undefined || has === undefined) return null;
    if (found.expires_at !== null && found.expires_at <= clock.now()) return null;
    return {
      type,
      id,
      name: found.name,
      mode: found.mode,
      role: has,
      access: has.access,
      environments: found.environments,
      expiresAt: found.expires_at,
    };
  }
  if (type === 'person') {
    const found = await queryRow<{ name: string; role: string; environments: string[] }>(db, readPerson, [id]);
    const has = found === undefined ? undefined : role(found.role);
    if (found === undefined || has === undefined) return null;
    return {
      type,
      id,
      name: found.name,
      mode: 'normal',
      role: has,
      access: has.access,
      environments: found.environments,
      expiresAt: null,
    };
  }
  const key = await queryRow<{ name: string; environment: string }>(db, readAppKey, [id]);
  if (key === undefined) return null;
  return {
    type: 'app',
    id,
    name: key.name,
    mode: 'normal',
    role: null,
    access: appAccess,
    environments: [key.environment],
    expiresAt: null,
  };
};
