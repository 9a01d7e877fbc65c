/** Agents: programs that work with a token of their own. Served by api/routes/settings.ts; used by the admin command and the demo too. */
import { fault, invalidAt } from '../../catalogue/errors.ts';
import type { Tx, Db } from '../../platform/db/knex.ts';
import { queryRow, statement } from '../../platform/db/sql.ts';
import { type Static, nullable, responseObject, strictObject, timeSchema, Type } from '../../platform/json/schema.ts';
import { type Caller, includesEnvironment, requirePerson } from '../access/principal.ts';
import {
  displayNameSchema,
  environmentsSchema,
  modeSchema,
  reach,
  roleRef,
  roleSchema,
  stampSchema,
} from '../schema.ts';
import type { Administrator } from './adminChange.ts';
import { credentialsOf, rotation, tokenResponse } from './credentials.ts';
import { stageUnassigning } from './lostAccess.ts';
import { type ResourcePlace, environmentAddress, patchOf, resource } from './resource.ts';
import { settingsStore } from './store.ts';

const agentView = responseObject({
  id: Type.String({ description: 'Id.' }),
  name: Type.String({ description: 'Its name.' }),
  role: roleRef,
  mode: modeSchema,
  environments: reach,
  expiresAt: nullable(stampSchema('When it stops working; null: never')),
  createdBy: nullable(Type.String({ description: 'Who made it; null: the admin command.' })),
  lastUsedAt: nullable(stampSchema('Last use, to the minute')),
  createdAt: stampSchema('createdAt'),
});
export const agentInput = strictObject({
  name: displayNameSchema,
  role: roleSchema,
  mode: Type.Optional(modeSchema),
  expiresAt: Type.Optional(nullable(timeSchema('When it stops working; null: never'))),
  environments: Type.Optional(environmentsSchema),
});
const agentPatch = patchOf(agentInput);

export type Agent = Static<typeof agentView>;

export interface AgentToken {
  readonly agent: Agent;
  readonly token: string;
}

const store = settingsStore({
  type: 'agent',
  prefix: 'agt',
  scope: 'reach',
  table: { name: 'agents', ends: 'revoked_at' },
  order: ['created_at', 'id'],
  view: agentView,
  input: agentInput,
  defaults: { mode: 'normal', expiresAt: null },
  audited: ['name', 'role', 'mode', 'environments', 'expiresAt'],
  check: ({ expiresAt = null }, at) => {
    if (expiresAt !== null && expiresAt <= at)
      throw invalidAt('expiresAt', 'must be in the future, in milliseconds since 1970 UTC');
  },
});
const credentials = credentialsOf(store, 'agent');

/** Returns the agents that are not revoked, oldest first. */
export const listAgents = store.list;

/** Creates an agent and returns it with its token. `environments`: where it may act when the input has none. */
export const createAgent = async (
  tx: Tx,
  admin: Administrator,
  input: Static<typeof agentInput>,
  environments: readonly string[],
): Promise<AgentToken> => {
  const { made, token } = await credentials.create(tx, admin, input, environments);
  return { agent: made, token };
};

/** Returns a new token. The old one expires after `grace` milliseconds. Throws `conflict` for an expired agent. */
export const rotateAgent = async (tx: Tx, admin: Administrator, id: string, grace: number): Promise<AgentToken> => {
  const agent = await store.lock(tx, admin, id);
  if (agent.expiresAt !== null && agent.expiresAt <= admin.at)
    throw fault('conflict', `The agent ${agent.name} has expired; create a new one.`);
  return { agent, token: await credentials.replace(tx, admin, agent, grace) };
};

/** Revokes an agent, deletes its tokens, takes what is delegated to it, and returns it as it was. */
export const revokeAgent = async (tx: Tx, admin: Administrator, id: string): Promise<Agent> => {
  const ended = await credentials.revoke(tx, admin, id);
  await stageUnassigning(tx, admin, [id], id);
  return ended;
};

/** Changes an agent, takes what is delegated to it where it has no access any more, and returns it. */
const updateAgent = async (
  tx: Tx,
  admin: Administrator,
  id: string,
  patch: Static<typeof agentPatch>,
): Promise<Agent> => {
  const agent = await store.update(tx, admin, id, patch);
  if (patch.role !== undefined || patch.environments !== undefined) await stageUnassigning(tx, admin, [id], id);
  return agent;
};

/** Returns an answer with the address of this environment, or of another one of the agent's. */
const withAddress = (place: ResourcePlace, { agent, token }: AgentToken): object => {
  const { environments } = agent;
  const name = includesEnvironment(environments, place.here) ? place.here : (environments[0] ?? place.here);
  return { agent, baseUrl: environmentAddress(place, name), token };
};

export const agents = resource({
  type: 'agent',
  plural: 'agents',
  path: '/settings/agents',
  exampleId: 'agt_01jd0000000000000000000000',
  view: agentView,
  components: {
    Agent: [agentView, 'A program with a token.'],
    AgentPatch: [agentPatch, 'What an agent is made with, or what changes.'],
  },
  list: {
    id: 'list_agents',
    summary: 'The agents that are not revoked',
    description: 'The agents of your environments.',
    find: store.listSeen,
  },
  create: {
    body: agentInput,
    id: 'create_agent',
    summary: 'Make an agent; its token is told once',
    description: 'Makes an agent. Its token is shown once.',
    fresh: 'always',
    example: { name: 'Triage bot', role: 'operator', mode: 'supervised', environments: ['demo'] },
    answers: tokenResponse('cagt'),
    once: ['token'],
    run: async (tx, admin, call) => withAddress(call, await createAgent(tx, admin, call.body, [call.here])),
  },
  update: {
    body: agentPatch,
    id: 'update_agent',
    summary: 'Change an agent',
    description: 'Changes what is given within a second.',
    fresh: { unlessOnly: ['name'] },
    example: { mode: 'readonly' },
    run: async (tx, admin, { id, body }) => ({ agent: await updateAgent(tx, admin, id, body) }),
  },
  end: {
    verb: 'revoke',
    id: 'revoke_agent',
    summary: 'Revoke an agent: its tokens end at once',
    description: 'Ends an agent within a second.',
    fresh: 'always',
    run: (tx, admin, { id }) => revokeAgent(tx, admin, id),
  },
  own: {
    rotate: rotation({
      id: 'rotate_agent_token',
      summary: 'A new token; the old one works for `grace` ms more',
      description: 'Gives an agent another token.',
      answers: tokenResponse('cagt'),
      run: async (tx, admin, call) => withAddress(call, await rotateAgent(tx, admin, call.id, call.body.grace ?? 0)),
    }),
  },
});

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
