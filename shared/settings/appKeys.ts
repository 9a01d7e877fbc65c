/** Creates, updates, rotates and revokes app keys, each of one environment. For the settings endpoints and the admin command. */
import { readKeysInUse } from '../applink/presence.ts';
import { fault, invalidAt } from '../catalogue/errors.ts';
import { newId } from '../platform/core/ids.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { AppKeyRow, EnvironmentRow } from '../platform/db/models.ts';
import { deleteTokens, issueToken, recordAdminChange, replaceToken, type Administrator } from './adminChange.ts';
import type { AppKeyInput, AppKeyPatch } from './schema.ts';

interface AppKeyView {
  readonly id: string;
  readonly name: string;
  readonly environment: string;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
}

export interface AppKeyToken {
  readonly appKey: AppKeyView;
  readonly token: string;
}

const appKeys = (db: Db | Tx) => AppKeyRow.query(db).whereNull('revoked_at').withGraphFetched('environment');

const toAppKeyView = ({ id, name, environment, lastUsedAt, createdAt }: AppKeyRow): AppKeyView => ({
  id,
  name,
  environment: environment.name,
  lastUsedAt,
  createdAt,
});

/** Returns the keys that are not revoked, oldest first. One by which an app is connected is in use as long as that lasts. */
export const listAppKeys = async (db: Db | Tx): Promise<AppKeyView[]> => {
  const [keys, inUse] = [await appKeys(db).orderBy(['created_at', 'id']), await readKeysInUse(db)];
  return keys.map((key) => {
    const view = toAppKeyView(key);
    const seenAt = inUse.get(key.id);
    return seenAt === undefined ? view : { ...view, lastUsedAt: Math.max(view.lastUsedAt ?? 0, seenAt) };
  });
};

/** Returns a key, locked for a change. Settings endpoints find only keys of their environment; the admin command finds all. */
const lockAppKey = async (tx: Tx, { env }: Administrator, id: string): Promise<AppKeyView> => {
  const found = await appKeys(tx)
    .findById(id)
    .where(env === null ? {} : { env })
    .forUpdate();
  if (found === undefined) throw fault('not_found');
  return toAppKeyView(found);
};

const recordAppKeyChange = (
  tx: Tx,
  admin: Administrator,
  verb: string,
  { id, environment }: AppKeyView,
  values: { before: object | null; after: object | null },
): Promise<void> =>
  recordAdminChange(tx, admin, {
    verb: `appKey.${verb}`,
    target: { type: 'appKey', id },
    environments: [environment],
    ...values,
  });

export const createAppKey = async (
  tx: Tx,
  admin: Administrator,
  { name }: AppKeyInput,
  environment: string,
): Promise<AppKeyToken> => {
  const id = newId('key', admin.at);
  const env = await EnvironmentRow.query(tx).findOne({ name: environment });
  if (env === undefined) throw invalidAt('environment', `there is no environment ${JSON.stringify(environment)}`);
  await AppKeyRow.query(tx).insert({ id, env: env.id, name, createdAt: admin.at });
  const token = await issueToken(tx, 'app', id, admin.at);
  const appKey = await lockAppKey(tx, admin, id);
  await recordAppKeyChange(tx, admin, 'create', appKey, { before: null, after: { name } });
  return { appKey, token };
};

export const updateAppKey = async (
  tx: Tx,
  admin: Administrator,
  id: string,
  { name }: AppKeyPatch,
): Promise<AppKeyView> => {
  const before = await lockAppKey(tx, admin, id);
  if (name === undefined || name === before.name) return before;
  await AppKeyRow.query(tx).findById(id).patch({ name });
  await recordAppKeyChange(tx, admin, 'update', before, { before: { name: before.name }, after: { name } });
  return { ...before, name };
};

/** Returns a new token. The old one expires after `grace` milliseconds. */
export const rotateAppKey = async (tx: Tx, admin: Administrator, id: string, grace: number): Promise<AppKeyToken> => {
  const appKey = await lockAppKey(tx, admin, id);
  const token = await replaceToken(tx, 'app', id, { at: admin.at, grace });
  await recordAppKeyChange(tx, admin, 'rotate', appKey, { before: null, after: { grace } });
  return { appKey, token };
};

/** Revokes a key, deletes its tokens, and returns it as it was. */
export const revokeAppKey = async (tx: Tx, admin: Administrator, id: string): Promise<AppKeyView> => {
  const appKey = await lockAppKey(tx, admin, id);
  await AppKeyRow.query(tx).findById(id).patch({ revokedAt: admin.at });
  await deleteTokens(tx, id);
  await recordAppKeyChange(tx, admin, 'revoke', appKey, { before: { name: appKey.name }, after: null });
  return appKey;
};
