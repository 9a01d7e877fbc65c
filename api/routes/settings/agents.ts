/** Settings: agents and their tokens. */
import { includesEnvironment } from '../../../shared/access/principal.ts';
import { responseObject } from '../../../shared/platform/core/schema.ts';
import { compileCheck } from '../../../shared/platform/core/validate.ts';
import { sharesReach } from '../../../shared/settings/adminChange.ts';
import {
  createAgent,
  listAgents,
  revokeAgent,
  rotateAgent,
  updateAgent,
  type AgentToken,
} from '../../../shared/settings/agents.ts';
import { agentInput, agentPatch, agentViewSchema, tokenResponse } from '../../../shared/settings/schema.ts';
import { writeEndpoint, type Endpoint, type EndpointCall } from '../../endpoint.ts';
import {
  environmentBaseUrl,
  requireManager,
  runSettingsChange,
  settingsListEndpoint,
  settingsRemovalEndpoint,
  settingsRotationEndpoint,
  settingsTag,
  settingsTarget,
  type SettingsResult,
} from './manage.ts';

const checkAgentInput = compileCheck(agentInput);
const checkAgentPatch = compileCheck(agentPatch);

const id = 'agt_01jd0000000000000000000000';
const thing = { path: '/settings/agents', type: 'agent', exampleId: id };
const target = settingsTarget(thing.type);
const agentTokenResponse = responseObject({ agent: agentViewSchema, ...tokenResponse('cagt') });

const list = settingsListEndpoint({
  path: '/settings/agents',
  plural: 'agents',
  summary: 'The agents that are not revoked',
  schema: agentViewSchema,
  find: async ({ deps, caller: { principal } }) =>
    (await listAgents(deps.db)).filter((agent) => sharesReach({ reach: principal.environments }, agent)),
});

/** Adds the address of this environment, unless the agent has access to others only. */
const credentialResult = (call: EndpointCall, { agent, token }: AgentToken): SettingsResult => {
  const here = call.caller.env.name;
  const name = includesEnvironment(agent.environments, here) ? here : (agent.environments[0] ?? here);
  return { status: 201, body: { agent, baseUrl: environmentBaseUrl(call, name) }, token };
};

const create = writeEndpoint({
  path: '/settings/agents',
  name: 'agent.create',
  summary: 'Make an agent; its token is told once',
  tag: settingsTag,
  body: agentInput,
  responses: { 201: agentTokenResponse },
  example: { body: { name: 'Triage bot', role: 'operator', mode: 'supervised', environments: ['demo'] } },
  audit: { verb: 'agent.create', target },
  check: checkAgentInput,
  handle: async (call) => {
    requireManager(call, { fresh: true });
    return runSettingsChange(call, async (tx, admin) =>
      credentialResult(call, await createAgent(tx, admin, call.body, [call.caller.env.name])),
    );
  },
});

const update = writeEndpoint({
  method: 'patch',
  path: '/settings/agents/:id',
  name: 'agent.update',
  summary: 'Change an agent; more rights (role, mode, environments, expiry) need a fresh sign-in',
  tag: settingsTag,
  body: agentPatch,
  responses: { 200: responseObject({ agent: agentViewSchema }) },
  example: { params: { id }, body: { mode: 'readonly' } },
  audit: { verb: 'agent.update', target },
  check: checkAgentPatch,
  handle: async (call) => {
    requireManager(call, { fresh: call.body.role !== undefined });
    return runSettingsChange(call, async (tx, admin) => ({
      status: 200,
      body: { agent: await updateAgent(tx, admin, call.params['id'] ?? '', call.body) },
    }));
  },
});

const rotate = settingsRotationEndpoint({
  ...thing,
  summary: 'A new token; the old one works for `grace` ms more',
  response: agentTokenResponse,
  rotate: async (call, tx, admin, grace) =>
    credentialResult(call, await rotateAgent(tx, admin, call.params['id'] ?? '', grace)),
});

const revoke = settingsRemovalEndpoint({
  ...thing,
  summary: 'Revoke an agent: its tokens end at once',
  verb: 'revoke',
  fresh: false,
  remove: revokeAgent,
});

export const agentSettings: readonly Endpoint[] = [list, create, rotate, update, revoke];
