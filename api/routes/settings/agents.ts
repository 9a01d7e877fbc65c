/** Settings: agents and their tokens. */
import { isInReach } from '../../../shared/settings/administer.ts';
import { createAgent, listAgents, revokeAgent, rotateAgent, updateAgent, type AgentToken } from '../../../shared/settings/agents.ts';
import { agentInput, agentPatch, agentView, rotation, tokenAnswer } from '../../../shared/settings/schema.ts';
import { inEnvironment } from '../../../shared/access/principal.ts';
import { answer, closed } from '../../../shared/platform/core/schema.ts';
import { compile } from '../../../shared/platform/core/validate.ts';
import { write, type Call, type Endpoint } from '../../endpoint.ts';
import { baseUrlOf, change, mustManage, settingsList, tag, type Told } from './manage.ts';

const checkAgentInput = compile(agentInput);
const checkAgentPatch = compile(agentPatch);
const checkRotation = compile(rotation);

const id = 'agt_01jd0000000000000000000000';
const target = ({ params }: Pick<Call, 'params'>) => ({ type: 'agent', id: params['id'] ?? null });
const told = answer({ agent: agentView, ...tokenAnswer('cagt') });

const list = settingsList({
  path: '/settings/agents',
  plural: 'agents',
  summary: 'The agents that are not revoked',
  schema: agentView,
  find: async ({ deps, caller: { principal } }) => (await listAgents(deps.db)).filter((agent) => isInReach({ reach: principal.environments }, agent)),
});

/** With the address of this environment, unless the agent may only act in others. */
const credential = (call: Call, { agent, token }: AgentToken): Told => {
  const here = call.caller.env.name;
  const name = inEnvironment(agent.environments, here) ? here : (agent.environments[0] ?? here);
  return { status: 201, body: { agent, baseUrl: baseUrlOf(call, name) }, token };
};

const create = write({
  path: '/settings/agents',
  name: 'agent.create',
  summary: 'Make an agent; its token is told once',
  tag,
  body: agentInput,
  responses: { 201: told },
  example: { body: { name: 'Triage bot', role: 'operator', mode: 'supervised', environments: ['demo'] } },
  audit: { verb: 'agent.create', target },
  check: checkAgentInput,
  handle: async (call) => {
    mustManage(call, { fresh: true });
    return change(call, async (tx, admin) => credential(call, await createAgent(tx, admin, call.body, [call.caller.env.name])));
  },
});

const update = write({
  method: 'patch',
  path: '/settings/agents/:id',
  name: 'agent.update',
  summary: 'Change an agent; another role needs a fresh sign-in',
  tag,
  body: agentPatch,
  responses: { 200: answer({ agent: agentView }) },
  example: { params: { id }, body: { mode: 'readonly' } },
  audit: { verb: 'agent.update', target },
  check: checkAgentPatch,
  handle: async (call) => {
    mustManage(call, { fresh: call.body.role !== undefined });
    return change(call, async (tx, admin) => ({ status: 200, body: { agent: await updateAgent(tx, admin, call.params['id'] ?? '', call.body) } }));
  },
});

const rotate = write({
  path: '/settings/agents/:id/rotate',
  name: 'agent.rotate',
  summary: 'A new token; the old one works for `grace` ms more',
  tag,
  body: rotation,
  bodyOptional: true,
  responses: { 201: told },
  example: { params: { id }, body: { grace: 3_600_000 } },
  audit: { verb: 'agent.rotate', target },
  check: checkRotation,
  handle: async (call) => {
    mustManage(call, { fresh: true });
    return change(call, async (tx, admin) => credential(call, await rotateAgent(tx, admin, call.params['id'] ?? '', call.body.grace ?? 0)));
  },
});

const noBody = closed({});

const revoke = write({
  method: 'delete',
  path: '/settings/agents/:id',
  name: 'agent.revoke',
  summary: 'Revoke an agent: its tokens end at once',
  tag,
  body: noBody,
  bodyOptional: true,
  responses: { 204: null },
  example: { params: { id }, body: {} },
  audit: { verb: 'agent.revoke', target },
  check: compile(noBody),
  handle: async (call) => {
    mustManage(call, { fresh: false });
    return change(call, async (tx, admin) => {
      await revokeAgent(tx, admin, call.params['id'] ?? '');
      return { status: 204 };
    });
  },
});

export const agentSettings: readonly Endpoint[] = [list, create, rotate, update, revoke];
