/** Settings: environments. */
import { includesEnvironment } from '../../../shared/access/principal.ts';
import { responseObject } from '../../../shared/platform/core/schema.ts';
import { compileCheck } from '../../../shared/platform/core/validate.ts';
import {
  createEnvironment,
  listEnvironments,
  type EnvironmentView,
} from '../../../shared/settings/environments/create.ts';
import { updateEnvironment } from '../../../shared/settings/environments/update.ts';
import { environmentInput, environmentPatch, environmentViewSchema } from '../../../shared/settings/schema.ts';
import { writeEndpoint, type Endpoint, type EndpointCall } from '../../endpoint.ts';
import { environmentBaseUrl, requireManager, runSettingsChange, settingsListEndpoint, settingsTag } from './manage.ts';

const checkEnvironmentInput = compileCheck(environmentInput);
const checkEnvironmentPatch = compileCheck(environmentPatch);

const presented = (
  call: Pick<EndpointCall, 'deps'>,
  { name, createdAt, definedAt, independentApproval, trustApp, acceptNew }: EnvironmentView,
) => ({
  name,
  baseUrl: environmentBaseUrl(call, name),
  createdAt,
  definedAt,
  independentApproval,
  trustApp,
  acceptNew,
});

const list = settingsListEndpoint({
  path: '/settings/environments',
  plural: 'environments',
  summary: 'The environments that you have access to',
  schema: environmentViewSchema,
  find: async (call) =>
    (await listEnvironments(call.deps.db))
      .filter(({ name }) => includesEnvironment(call.caller.principal.environments, name))
      .map((environment) => presented(call, environment)),
});

const create = writeEndpoint({
  path: '/settings/environments',
  name: 'environment.create',
  summary:
    'Make an environment, empty until an app declares what it holds; one that trusts its app needs a fresh sign-in',
  tag: settingsTag,
  body: environmentInput,
  responses: { 201: responseObject({ environment: environmentViewSchema }) },
  example: { body: { name: 'acceptance' } },
  audit: { verb: 'environment.create', target: () => ({ type: 'environment', id: null }) },
  check: checkEnvironmentInput,
  handle: async (call) => {
    requireManager(call, { fresh: call.body.trustApp === true });
    return runSettingsChange(call, async (tx, admin) => ({
      status: 201,
      body: { environment: presented(call, await createEnvironment(tx, admin, call.body)) },
    }));
  },
});

const update = writeEndpoint({
  method: 'patch',
  path: '/settings/environments/:name',
  name: 'environment.update',
  summary: 'Change what an environment demands of those who decide, and how far it trusts its app',
  tag: settingsTag,
  body: environmentPatch,
  responses: { 200: responseObject({ environment: environmentViewSchema }) },
  example: { params: { name: 'demo' }, body: { independentApproval: true } },
  audit: { verb: 'environment.update', target: ({ params }) => ({ type: 'environment', id: params['name'] ?? null }) },
  check: checkEnvironmentPatch,
  handle: async (call) => {
    requireManager(call, { fresh: true });
    return runSettingsChange(call, async (tx, admin) => ({
      status: 200,
      body: { environment: presented(call, await updateEnvironment(tx, admin, call.params['name'] ?? '', call.body)) },
    }));
  },
});

export const environmentSettings: readonly Endpoint[] = [list, create, update];
