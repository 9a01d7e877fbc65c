/** Making, changing, rotating and revoking agents. */
import { fault, invalid } from '../catalogue/errors.ts';
import { newId } from '../core/ids.ts';
import type { Db, Tx } from '../db/knex.ts';
import { row, rows, run, statement } from '../db/sql.ts';
import { checkReach, dropTokens, environmentNames, issueToken, replaceToken, roleOf, settle, type Administrator, type RoleRef } from './administer.ts';
import type { Mode } from './principal.ts';
import type { AgentInput, AgentPatch } from './schema.ts';

export interface AgentView {
  readonly id: string;
  readonly name: string;
  readonly role: RoleRef;
  readonly mode: Mode;
  readonly environments: readonly string[];
  readonly expiresAt: number | null;
  /** The person who made it; null: the admin command. */
  readonly createdBy: string | null;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}

export interface AgentToken {
  readonly agent: AgentView;
  readonly token: string;
}

const select = `
  select a.id, a.name, json_build_object('id', r.id, 'name', r.name) as role, a.mode, a.environments, a.expires_at as "expiresAt",
    a.created_by as "createdBy", a.last_used_at as "lastUsedAt", a.created_at as "createdAt"
  from agents a join roles r on r.id = a.role where a.revoked_at is null`;
const list = statement('administer.agents.list', `${select} order by a.created_at, a.id`);
const locked = statement('administer.agents.locked', `${select} and a.id = $1 for update of a`);
const insert = statement('administer.agents.insert', `
  insert into agents (id, name, role, mode, environments, created_by, expires_at, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`);
const update = statement('administer.agents.update', `
  update agents set name = $2, role = $3, mode = $4, environments = $5, expires_at = $6 where id = $1`);
const revoke = statement('administer.agents.revoke', 'update agents set revoked_at = $2 where id = $1');

/** Those that are not revoked, oldest first. */
export const listAgents = (db: Db | Tx): Promise<AgentView[]> => rows<AgentView>(db, list);

const agentOf = async (tx: Tx, admin: Administrator, id: string): Promise<AgentView> => {
  const agent = await row<AgentView>(tx, locked, [id]);
  if (agent === undefined) throw fault('not_found');
  checkReach(admin, agent);
  return agent;
};

const told = ({ name, role, mode, environments, expiresAt }: AgentView): object => ({ name, role: role.name, mode, environments, expiresAt });

const changed = (tx: Tx, admin: Administrator, verb: string, before: AgentView | null, after: AgentView | null): Promise<void> => {
  const environments = [...(before?.environments ?? []), ...(after?.environments ?? [])];
  const id = (after ?? before)?.id ?? '';
  return settle(tx, admin, { verb: `agent.${verb}`, target: { type: 'agent', id }, environments, before: before && told(before), after: after && told(after) });
};

const checkExpiry = (expiresAt: number | null, at: number): void => {
  if (expiresAt !== null && expiresAt <= at) throw invalid('expiresAt', 'must be in the future, in milliseconds since 1970 UTC');
};

/** `environments` is where it may act unless the input says otherwise. */
export const createAgent = async (tx: Tx, admin: Administrator, input: AgentInput, environments: readonly string[]): Promise<AgentToken> => {
  const { name, mode = 'normal', expiresAt = null } = input;
  checkExpiry(expiresAt, admin.at);
  const id = newId('agt', admin.at);
  const role = await roleOf(tx, input.role);
  const where = await environmentNames(tx, admin, input.environments ?? environments);
  await run(tx, insert, [id, name, role.id, mode, where, admin.by.type === 'person' ? admin.by.id : null, expiresAt, admin.at]);
  const token = await issueToken(tx, 'agent', id, admin.at);
  const agent = await agentOf(tx, admin, id);
  await changed(tx, admin, 'create', null, agent);
  return { agent, token };
};

export const updateAgent = async (tx: Tx, admin: Administrator, id: string, patch: AgentPatch): Promise<AgentView> => {
  const before = await agentOf(tx, admin, id);
  if (patch.expiresAt !== undefined) checkExpiry(patch.expiresAt, admin.at);
  const role = patch.role === undefined ? before.role : await roleOf(tx, patch.role);
  const environments = patch.environments === undefined ? before.environments : await environmentNames(tx, admin, patch.environments);
  const { name, mode, expiresAt } = { ...before, ...patch };
  const after: AgentView = { ...before, name, role, mode, environments, expiresAt };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  await run(tx, update, [id, name, role.id, mode, environments, expiresAt]);
  await changed(tx, admin, 'update', before, after);
  return after;
};

/** A new token; the old one works for `grace` ms more. */
export const rotateAgent = async (tx: Tx, admin: Administrator, id: string, grace: number): Promise<AgentToken> => {
  const agent = await agentOf(tx, admin, id);
  if (agent.expiresAt !== null && agent.expiresAt <= admin.at) throw fault('conflict', `The agent ${agent.name} has expired; make a new one.`);
  const token = await replaceToken(tx, 'agent', id, { at: admin.at, grace });
  await settle(tx, admin, { verb: 'agent.rotate', target: { type: 'agent', id }, environments: agent.environments, before: null, after: { grace } });
  return { agent, token };
};

/** Answers the agent as it was. */
export const revokeAgent = async (tx: Tx, admin: Administrator, id: string): Promise<AgentView> => {
  const agent = await agentOf(tx, admin, id);
  await run(tx, revoke, [id, admin.at]);
  await dropTokens(tx, id);
  await changed(tx, admin, 'revoke', agent, null);
  return agent;
};
