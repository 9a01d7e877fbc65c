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
  select id, name, role, 'normal' as mode, environments, null::bigint as expires_at from people where id = $1 and removed_at is null`,
);
const readAppKey = statement(
  'directory.appKey',
  `
  select k.name, e.name as environment from app_keys k join environments e on e.id = k.env where k.id = $1 and k.revoked_at is null`,
);
/** An agent or a person. */
interface HolderRow {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly mode: PrincipalMode;
  readonly environments: string[];
  readonly expires_at: number | null;
}

/** Returns a function that reads an agent that is not revoked; reads that come at once share a statement. */
export const createAgentReader = (db: Db): ((id: string) => Promise<HolderRow | undefined>) => {
  const read = createGatheringReader(
    async (_group, ids) =>
      new Map((await queryRows<HolderRow>(db, agentsByIdsSql, [ids])).map((agent) => [agent.id, agent])),
  );
  return (id) => read(0, id);
};

interface PrincipalSource {
  readonly db: Db;
  readonly agent: (id: string) => Promise<HolderRow | undefined>;
  readonly clock: Clock;
  readonly role: (id: string) => Promise<Role | undefined>;
}

/** Returns an agent, a person or an app key by id, null when it is revoked, removed or expired. */
export const readPrincipal = async (
  { db, agent, clock, role }: PrincipalSource,
  type: string,
  id: string,
): Promise<(Principal & { expiresAt: number | null }) | null> => {
  if (type === 'agent' || type === 'person') {
    const found = type === 'agent' ? await agent(id) : await queryRow<HolderRow>(db, readPerson, [id]);
    const has = found === undefined ? undefined : await role(found.role);
    if (found === undefined || has === undefined) return null;
    const { name, mode, environments, expires_at: expiresAt } = found;
    if (expiresAt !== null && expiresAt <= clock.now()) return null;
    return { type, id, name, mode, role: has, access: has.access, environments, expiresAt };
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
