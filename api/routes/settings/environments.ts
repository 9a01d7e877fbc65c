/** Settings: environments. */
import { includesEnvironment } from '../../../shared/access/principal.ts';
import { responseObject } from '../../../shared/platform/core/schema.ts';
import { compileCheck } from '../../../shared/platform/core/validate.ts';
import {
  createEnvironment,
  listEnvironments,
  type EnvironmentView,
} from '../../../shared/settings/environments/create.ts';
import { environmentInput, environmentViewSchema } from '../../../shared/settings/schema.ts';
import { writeEndpoint, type Endpoint, type EndpointCall } from '../../endpoint.ts';
import { environmentBaseUrl, requireManager, runSettingsChange, settingsListEndpoint, settingsTag } from './manage.ts';

const checkEnvironmentInput = compileCheck(environmentInput);

const presented = (call: Pick<EndpointCall, 'deps'>, { name, createdAt, definedAt }: EnvironmentView) => ({
  name,
  baseUrl: environmentBaseUrl(call, name),
  createdAt,
  definedAt,
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
  summary: 'Make an environment, empty until an app declares what it holds',
  tag: settingsTag,
  body: environmentInput,
  responses: { 201: responseObject({ environment: environmentViewSchema }) },
  example: { body: { name: 'acceptance' } },
  audit: { verb: 'environment.create', target: () => ({ type: 'environment', id: null }) },
  check: checkEnvironmentInput,
  handle: async (call) => {
    requireManager(call, { fresh: false });
    return runSettingsChange(call, async (tx, admin) => ({
      status: 201,
      body: { environment: presented(call, await createEnvironment(tx, admin, call.body)) },
    }));
  },
});

export const environmentSettings: readonly Endpoint[] = [list, create];
