/** Settings: the keys by which the customer's app connects to this environment. */
import { createAppKey, listAppKeys, revokeAppKey, rotateAppKey, updateAppKey, type AppKeyToken } from '../../../shared/settings/appKeys.ts';
import { appKeyInput, appKeyPatch, appKeyView, rotation, tokenAnswer } from '../../../shared/settings/schema.ts';
import { answer, closed } from '../../../shared/platform/core/schema.ts';
import { compile } from '../../../shared/platform/core/validate.ts';
import { write, type Call, type Endpoint } from '../../endpoint.ts';
import { baseUrlOf, change, mustManage, settingsList, tag, type Told } from './manage.ts';

const checkAppKeyInput = compile(appKeyInput);
const checkAppKeyPatch = compile(appKeyPatch);
const checkRotation = compile(rotation);

const id = 'key_01jd0000000000000000000000';
const target = ({ params }: Pick<Call, 'params'>) => ({ type: 'appKey', id: params['id'] ?? null });
const told = answer({ appKey: appKeyView, ...tokenAnswer('capp') });

const list = settingsList({
  path: '/settings/app-keys',
  plural: 'appKeys',
  summary: 'The app keys of this environment that are not revoked',
  schema: appKeyView,
  find: async ({ deps, caller: { env } }) => (await listAppKeys(deps.db)).filter(({ environment }) => environment === env.name),
});

const credential = (call: Call, { appKey, token }: AppKeyToken): Told => ({ status: 201, body: { appKey, baseUrl: baseUrlOf(call, appKey.environment) }, token });

const create = write({
  path: '/settings/app-keys',
  name: 'appKey.create',
  summary: 'Make an app key of this environment; it is told once',
  tag,
  body: appKeyInput,
  responses: { 201: told },
  example: { body: { name: 'Shop backend' } },
  audit: { verb: 'appKey.create', target },
  check: checkAppKeyInput,
  handle: async (call) => {
    mustManage(call, { fresh: true });
    return change(call, async (tx, admin) => credential(call, await createAppKey(tx, admin, call.body, call.caller.env.name)));
  },
});

const update = write({
  method: 'patch',
  path: '/settings/app-keys/:id',
  name: 'appKey.update',
  summary: 'Give an app key another name',
  tag,
  body: appKeyPatch,
  responses: { 200: answer({ appKey: appKeyView }) },
  example: { params: { id }, body: { name: 'Shop, Frankfurt' } },
  audit: { verb: 'appKey.update', target },
  check: checkAppKeyPatch,
  handle: async (call) => {
    mustManage(call, { fresh: false });
    return change(call, async (tx, admin) => ({ status: 200, body: { appKey: await updateAppKey(tx, admin, call.params['id'] ?? '', call.body) } }));
  },
});

const rotate = write({
  path: '/settings/app-keys/:id/rotate',
  name: 'appKey.rotate',
  summary: 'A new key; the old one works for `grace` ms more',
  tag,
  body: rotation,
  bodyOptional: true,
  responses: { 201: told },
  example: { params: { id }, body: { grace: 3_600_000 } },
  audit: { verb: 'appKey.rotate', target },
  check: checkRotation,
  handle: async (call) => {
    mustManage(call, { fresh: true });
    return change(call, async (tx, admin) => credential(call, await rotateAppKey(tx, admin, call.params['id'] ?? '', call.body.grace ?? 0)));
  },
});

const noBody = closed({});

const revoke = write({
  method: 'delete',
  path: '/settings/app-keys/:id',
  name: 'appKey.revoke',
  summary: 'Revoke an app key: it ends at once',
  tag,
  body: noBody,
  bodyOptional: true,
  responses: { 204: null },
  example: { params: { id }, body: {} },
  audit: { verb: 'appKey.revoke', target },
  check: compile(noBody),
  handle: async (call) => {
    mustManage(call, { fresh: false });
    return change(call, async (tx, admin) => {
      await revokeAppKey(tx, admin, call.params['id'] ?? '');
      return { status: 204 };
    });
  },
});

export const appKeySettings: readonly Endpoint[] = [list, create, rotate, update, revoke];
