/** Settings: the keys by which the customer's app connects to this environment. */
import { responseObject, strictObject } from '../../../shared/platform/core/schema.ts';
import { compileCheck } from '../../../shared/platform/core/validate.ts';
import {
  createAppKey,
  listAppKeys,
  revokeAppKey,
  rotateAppKey,
  updateAppKey,
  type AppKeyToken,
} from '../../../shared/settings/appKeys.ts';
import {
  appKeyInput,
  appKeyPatch,
  appKeyViewSchema,
  rotationInput,
  tokenResponse,
} from '../../../shared/settings/schema.ts';
import { writeEndpoint, type Endpoint, type EndpointCall } from '../../endpoint.ts';
import {
  environmentBaseUrl,
  requireManager,
  runSettingsChange,
  settingsListEndpoint,
  settingsTag,
  type SettingsResult,
} from './manage.ts';

const checkAppKeyInput = compileCheck(appKeyInput);
const checkAppKeyPatch = compileCheck(appKeyPatch);
const checkRotation = compileCheck(rotationInput);

const id = 'key_01jd0000000000000000000000';
const target = ({ params }: Pick<EndpointCall, 'params'>) => ({ type: 'appKey', id: params['id'] ?? null });
const appKeyTokenResponse = responseObject({ appKey: appKeyViewSchema, ...tokenResponse('capp') });

const list = settingsListEndpoint({
  path: '/settings/app-keys',
  plural: 'appKeys',
  summary: 'The app keys of this environment that are not revoked',
  schema: appKeyViewSchema,
  find: async ({ deps, caller: { env } }) =>
    (await listAppKeys(deps.db)).filter(({ environment }) => environment === env.name),
});

const credentialResult = (call: EndpointCall, { appKey, token }: AppKeyToken): SettingsResult => ({
  status: 201,
  body: { appKey, baseUrl: environmentBaseUrl(call, appKey.environment) },
  token,
});

const create = writeEndpoint({
  path: '/settings/app-keys',
  name: 'appKey.create',
  summary: 'Make an app key of this environment; it is told once',
  tag: settingsTag,
  body: appKeyInput,
  responses: { 201: appKeyTokenResponse },
  example: { body: { name: 'Shop backend' } },
  audit: { verb: 'appKey.create', target },
  check: checkAppKeyInput,
  handle: async (call) => {
    requireManager(call, { fresh: true });
    return runSettingsChange(call, async (tx, admin) =>
      credentialResult(call, await createAppKey(tx, admin, call.body, call.caller.env.name)),
    );
  },
});

const update = writeEndpoint({
  method: 'patch',
  path: '/settings/app-keys/:id',
  name: 'appKey.update',
  summary: 'Give an app key another name',
  tag: settingsTag,
  body: appKeyPatch,
  responses: { 200: responseObject({ appKey: appKeyViewSchema }) },
  example: { params: { id }, body: { name: 'Shop, Frankfurt' } },
  audit: { verb: 'appKey.update', target },
  check: checkAppKeyPatch,
  handle: async (call) => {
    requireManager(call, { fresh: false });
    return runSettingsChange(call, async (tx, admin) => ({
      status: 200,
      body: { appKey: await updateAppKey(tx, admin, call.params['id'] ?? '', call.body) },
    }));
  },
});

const rotate = writeEndpoint({
  path: '/settings/app-keys/:id/rotate',
  name: 'appKey.rotate',
  summary: 'A new key; the old one works for `grace` ms more',
  tag: settingsTag,
  body: rotationInput,
  bodyOptional: true,
  responses: { 201: appKeyTokenResponse },
  example: { params: { id }, body: { grace: 3_600_000 } },
  audit: { verb: 'appKey.rotate', target },
  check: checkRotation,
  handle: async (call) => {
    requireManager(call, { fresh: true });
    return runSettingsChange(call, async (tx, admin) =>
      credentialResult(call, await rotateAppKey(tx, admin, call.params['id'] ?? '', call.body.grace ?? 0)),
    );
  },
});

const noBody = strictObject({});

const revoke = writeEndpoint({
  method: 'delete',
  path: '/settings/app-keys/:id',
  name: 'appKey.revoke',
  summary: 'Revoke an app key: it ends at once',
  tag: settingsTag,
  body: noBody,
  bodyOptional: true,
  responses: { 204: null },
  example: { params: { id }, body: {} },
  audit: { verb: 'appKey.revoke', target },
  check: compileCheck(noBody),
  handle: async (call) => {
    requireManager(call, { fresh: false });
    return runSettingsChange(call, async (tx, admin) => {
      await revokeAppKey(tx, admin, call.params['id'] ?? '');
      return { status: 204 };
    });
  },
});

export const appKeySettings: readonly Endpoint[] = [list, create, rotate, update, revoke];
