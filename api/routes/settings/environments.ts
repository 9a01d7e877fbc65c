/** Settings: environments. */
import { environmentInput, environmentView } from '../../../shared/settings/schema.ts';
import { inEnvironment } from '../../../shared/access/principal.ts';
import { answer } from '../../../shared/platform/core/schema.ts';
import { compile } from '../../../shared/platform/core/validate.ts';
import { createEnvironment, listEnvironments, type EnvironmentView } from '../../../shared/settings/environments/create.ts';
import { write, type Call, type Endpoint } from '../../endpoint.ts';
import { baseUrlOf, change, mustManage, settingsList, tag } from './manage.ts';

const checkEnvironmentInput = compile(environmentInput);

const presented = (call: Pick<Call, 'deps'>, { name, createdAt, definedAt }: EnvironmentView) => ({ name, baseUrl: baseUrlOf(call, name), createdAt, definedAt });

const list = settingsList({
  path: '/settings/environments',
  plural: 'environments',
  summary: 'The environments that you have access to',
  schema: environmentView,
  find: async (call) => (await listEnvironments(call.deps.db)).filter(({ name }) => inEnvironment(call.caller.principal.environments, name)).map((environment) => presented(call, environment)),
});

const create = write({
  path: '/settings/environments',
  name: 'environment.create',
  summary: 'Make an environment, empty until an app declares what it holds',
  tag,
  body: environmentInput,
  responses: { 201: answer({ environment: environmentView }) },
  example: { body: { name: 'acceptance' } },
  audit: { verb: 'environment.create', target: () => ({ type: 'environment', id: null }) },
  check: checkEnvironmentInput,
  handle: async (call) => {
    mustManage(call, { fresh: false });
    return change(call, async (tx, admin) => ({ status: 201, body: { environment: presented(call, await createEnvironment(tx, admin, call.body)) } }));
  },
});

export const environmentSettings: readonly Endpoint[] = [list, create];
