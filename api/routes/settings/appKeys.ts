/** Settings: the keys by which the customer's app connects to this environment. */
import { responseObject } from '../../../shared/platform/core/schema.ts';
import { compileCheck } from '../../../shared/platform/core/validate.ts';
import {
  createAppKey,
  listAppKeys,
  revokeAppKey,
  rotateAppKey,
  updateAppKey,
  type AppKeyToken,
} from '../../../shared/settings/appKeys.ts';
import { appKeyInput, appKeyPatch, appKeyViewSchema, tokenResponse } from '../../../shared/settings/schema.ts';
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

const checkAppKeyInput = compileCheck(appKeyInput);
const checkAppKeyPatch = compileCheck(appKeyPatch);

const id = 'key_01jd0000000000000000000000';
const thing = { path: '/settings/app-keys', type: 'appKey', exampleId: id };
const target = settingsTarget(thing.type);
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

const rotate = settingsRotationEndpoint({
  ...thing,
  summary: 'A new key; the old one works for `grace` ms more',
  response: appKeyTokenResponse,
  rotate: async (call, tx, admin, grace) =>
    credentialResult(call, await rotateAppKey(tx, admin, call.params['id'] ?? '', grace)),
});

const revoke = settingsRemovalEndpoint({
  ...thing,
  summary: 'Revoke an app key: it ends at once',
  verb: 'revoke',
  fresh: false,
  remove: revokeAppKey,
});

export const appKeySettings: readonly Endpoint[] = [list, create, rotate, update, revoke];
