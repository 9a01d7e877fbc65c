/** Creates, updates, rotates and revokes agents. For the settings endpoints and the admin command. */
import { includesEnvironment, type PrincipalMode } from '../access/principal.ts';
import { fault, invalidAt } from '../catalogue/errors.ts';
import { newId } from '../platform/core/ids.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { AgentRow } from '../platform/db/models.ts';
import {
  deleteTokens,
  issueToken,
  lockRole,
  recordAdminChange,
  replaceToken,
  requireReach,
  resolveEnvironmentNames,
  type Administrator,
  type RoleRef,
} from './adminChange.ts';
import type { AgentInput, AgentPatch } from './schema.ts';

interface AgentView {
  readonly id: string;
  readonly name: string;
  readonly role: RoleRef;
  readonly mode: PrincipalMode;
  readonly environments: readonly string[];
  readonly expiresAt: number | null;
  /** The person who created it; null: the admin command. */
  readonly createdBy: string | null;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}

export interface AgentToken {
  readonly agent: AgentView;
  readonly token: string;
}

const agents = (db: Db | Tx) => AgentRow.query(db).whereNull('revoked_at').withGraphFetched('itsRole');

const toAgentView = ({
  id,
  name,
  itsRole,
  mode,
  environments,
  expiresAt,
  createdBy,
  lastUsedAt,
  createdAt,
}: AgentRow): AgentView => ({
  id,
  name,
  role: { id: itsRole.id, name: itsRole.name },
  mode,
  environments,
  expiresAt,
  createdBy,
  lastUsedAt,
  createdAt,
});

/** Returns the agents that are not revoked, oldest first. */
export const listAgents = async (db: Db | Tx): Promise<AgentView[]> =>
  (await agents(db).orderBy(['created_at', 'id'])).map(toAgentView);

/** Returns an agent, locked for a change. Throws `not_found` and `forbidden` as `requireReach` does. */
const lockAgent = async (tx: Tx, admin: Administrator, id: string): Promise<AgentView> => {
  const found = await agents(tx).findById(id).forUpdate();
  if (found === undefined) throw fault('not_found');
  const agent = toAgentView(found);
  requireReach(admin, agent);
  return agent;
};

const agentAuditJson = ({ name, role, mode, environments, expiresAt }: AgentView): object => ({
  name,
  role: role.name,
  mode,
  environments,
  expiresAt,
});

const recordAgentChange = (
  tx: Tx,
  admin: Administrator,
  verb: string,
  before: AgentView | null,
  after: AgentView | null,
): Promise<void> => {
  const environments = [...(before?.environments ?? []), ...(after?.environments ?? [])];
  const id = (after ?? before)?.id ?? '';
  return recordAdminChange(tx, admin, {
    verb: `agent.${verb}`,
    target: { type: 'agent', id },
    environments,
    before: before && agentAuditJson(before),
    after: after && agentAuditJson(after),
  });
};

const checkExpiry = (expiresAt: number | null, at: number): void => {
  if (expiresAt !== null && expiresAt <= at)
    throw invalidAt('expiresAt', 'must be in the future, in milliseconds since 1970 UTC');
};

/** Creates an agent and returns it with its token. `environments`: where it may act when the input has none. */
export const createAgent = async (
  tx: Tx,
  admin: Administrator,
  input: AgentInput,
  environments: readonly string[],
): Promise<AgentToken> => {
  const { name, mode = 'normal', expiresAt = null } = input;
  checkExpiry(expiresAt, admin.at);
  const id = newId('agt', admin.at);
  const role = await lockRole(tx, input.role);
  const where = await resolveEnvironmentNames(tx, admin, input.environments ?? environments);
  const createdBy = admin.by.type === 'person' ? admin.by.id : null;
  await AgentRow.query(tx).insert({
    id,
    name,
    role: role.id,
    mode,
    environments: where,
    createdBy,
    expiresAt,
    createdAt: admin.at,
  });
  const token = await issueToken(tx, 'agent', id, admin.at);
  const agent = await lockAgent(tx, admin, id);
  await recordAgentChange(tx, admin, 'create', null, agent);
  return { agent, token };
};

const modesByWidth: readonly PrincipalMode[] = ['readonly', 'supervised', 'normal'];

/** Returns whether the agent may do more, in more environments, or for longer than before. */
const isWider = (before: AgentView, after: AgentView): boolean =>
  after.role.id !== before.role.id ||
  modesByWidth.indexOf(after.mode) > modesByWidth.indexOf(before.mode) ||
  !after.environments.every((name) => includesEnvironment(before.environments, name)) ||
  (before.expiresAt !== null && (after.expiresAt === null || after.expiresAt > before.expiresAt));

/**
 * Changes an agent and returns it. Writes nothing when the patch changes nothing. Throws `fresh_sign_in_required` when it
 * widens the agent and the administrator's sign-in is not fresh.
 */
export const updateAgent = async (tx: Tx, admin: Administrator, id: string, patch: AgentPatch): Promise<AgentView> => {
  const before = await lockAgent(tx, admin, id);
  if (patch.expiresAt !== undefined) checkExpiry(patch.expiresAt, admin.at);
  const role = patch.role === undefined ? before.role : await lockRole(tx, patch.role);
  const environments =
    patch.environments === undefined
      ? before.environments
      : await resolveEnvironmentNames(tx, admin, patch.environments);
  const { name, mode, expiresAt } = { ...before, ...patch };
  const after: AgentView = { ...before, name, role, mode, environments, expiresAt };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  if (!admin.fresh && isWider(before, after)) throw fault('fresh_sign_in_required');
  await AgentRow.query(tx)
    .findById(id)
    .patch({ name, role: role.id, mode, environments: [...environments], expiresAt });
  await recordAgentChange(tx, admin, 'update', before, after);
  return after;
};

/** Returns a new token. The old one expires after `grace` milliseconds. Throws `conflict` for an expired agent. */
export const rotateAgent = async (tx: Tx, admin: Administrator, id: string, grace: number): Promise<AgentToken> => {
  const agent = await lockAgent(tx, admin, id);
  if (agent.expiresAt !== null && agent.expiresAt <= admin.at)
    throw fault('conflict', `The agent ${agent.name} has expired; create a new one.`);
  const token = await replaceToken(tx, 'agent', id, { at: admin.at, grace });
  await recordAdminChange(tx, admin, {
    verb: 'agent.rotate',
    target: { type: 'agent', id },
    environments: agent.environments,
    before: null,
    after: { grace },
  });
  return { agent, token };
};

/** Revokes an agent, deletes its tokens, and returns it as it was. */
export const revokeAgent = async (tx: Tx, admin: Administrator, id: string): Promise<AgentView> => {
  const agent = await lockAgent(tx, admin, id);
  await AgentRow.query(tx).findById(id).patch({ revokedAt: admin.at });
  await deleteTokens(tx, id);
  await recordAgentChange(tx, admin, 'revoke', agent, null);
  return agent;
};
