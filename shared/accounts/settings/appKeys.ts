/** App keys, by which the app of one environment connects. Served by api/routes/settings.ts; used by the admin command and the demo too. */
import { readKeysInUse } from '../../app/link/presence.ts';
import type { Db, Tx } from '../../platform/db/knex.ts';
import { nullable, responseObject, strictObject, Type, type Static } from '../../platform/json/schema.ts';
import { displayNameSchema, stampSchema } from '../schema.ts';
import type { Administrator } from './adminChange.ts';
import { credentialsOf, rotation, tokenResponse } from './credentials.ts';
import { environmentAddress, patchOf, resource, type ResourcePlace } from './resource.ts';
import { settingsStore } from './store.ts';

const appKeyView = responseObject({
  id: Type.String({ description: 'Id.' }),
  name: Type.String({ description: 'Its name.' }),
  environment: Type.String({ description: 'Environment.' }),
  lastUsedAt: nullable(stampSchema('Last use, to the minute')),
  createdAt: stampSchema('createdAt'),
});
export const appKeyInput = strictObject({ name: displayNameSchema });
const appKeyPatch = patchOf(appKeyInput);

export type AppKey = Static<typeof appKeyView>;

export interface AppKeyToken {
  readonly appKey: AppKey;
  readonly token: string;
}

const store = settingsStore({
  type: 'appKey',
  prefix: 'key',
  scope: 'environment',
  table: { name: 'app_keys', ends: 'revoked_at' },
  order: ['created_at', 'id'],
  view: appKeyView,
  input: appKeyInput,
  audited: ['name'],
});
const credentials = credentialsOf(store, 'app');

/** Returns the keys that are not revoked, oldest first. One by which an app is connected is in use as long as that lasts. */
export const listAppKeys = async (db: Db | Tx): Promise<AppKey[]> => {
  const [keys, inUse] = [await store.list(db), await readKeysInUse(db)];
  return keys.map((key) => {
    const seenAt = inUse.get(key.id);
    return seenAt === undefined ? key : { ...key, lastUsedAt: Math.max(key.lastUsedAt ?? 0, seenAt) };
  });
};

export const createAppKey = async (
  tx: Tx,
  admin: Administrator,
  input: Static<typeof appKeyInput>,
  environment: string,
): Promise<AppKeyToken> => {
  const { made, token } = await credentials.create(tx, admin, input, [environment]);
  return { appKey: made, token };
};

/** Returns a new token. The old one expires after `grace` milliseconds. */
export const rotateAppKey = async (tx: Tx, admin: Administrator, id: string, grace: number): Promise<AppKeyToken> => {
  const appKey = await store.lock(tx, admin, id);
  return { appKey, token: await credentials.replace(tx, admin, appKey, grace) };
};

/** Revokes a key, deletes its tokens, and returns it as it was. */
export const revokeAppKey = credentials.revoke;

const withAddress = (place: ResourcePlace, { appKey, token }: AppKeyToken): object => ({
  appKey,
  baseUrl: environmentAddress(place, appKey.environment),
  token,
});

export const appKeys = resource({
  type: 'appKey',
  plural: 'appKeys',
  path: '/settings/app-keys',
  exampleId: 'key_01jd0000000000000000000000',
  view: appKeyView,
  components: { AppKey: [appKeyView, 'A key by which an app connects.'] },
  list: {
    id: 'list_app_keys',
    summary: 'The app keys of this environment that are not revoked',
    description: 'The app keys of this environment.',
    find: async ({ db, here }) => (await listAppKeys(db)).filter(({ environment }) => environment === here),
  },
  create: {
    body: appKeyInput,
    id: 'create_app_key',
    summary: 'Make an app key of this environment; it is told once',
    description: 'Makes an app key. Its token is shown once.',
    fresh: 'always',
    example: { name: 'Shop backend' },
    answers: tokenResponse('capp'),
    once: ['token'],
    run: async (tx, admin, call) => withAddress(call, await createAppKey(tx, admin, call.body, call.here)),
  },
  update: {
    body: appKeyPatch,
    id: 'update_app_key',
    summary: 'Give an app key another name',
    description: 'Changes the name of an app key.',
    fresh: 'never',
    example: { name: 'Shop, Frankfurt' },
    run: async (tx, admin, { id, body }) => ({ appKey: await store.update(tx, admin, id, body) }),
  },
  end: {
    verb: 'revoke',
    id: 'revoke_app_key',
    summary: 'Revoke an app key: it ends at once',
    description: 'Ends an app key within a second.',
    fresh: 'always',
    run: (tx, admin, { id }) => revokeAppKey(tx, admin, id),
  },
  own: {
    rotate: rotation({
      id: 'rotate_app_key',
      summary: 'A new key; the old one works for `grace` ms more',
      description: 'Gives an app key another token.',
      answers: tokenResponse('capp'),
      run: async (tx, admin, call) => withAddress(call, await rotateAppKey(tx, admin, call.id, call.body.grace ?? 0)),
    }),
  },
});
