/** Making, rotating and revoking app keys; each belongs to one environment. */
import { fault, invalid } from '../catalogue/errors.ts';
import { newId } from '../core/ids.ts';
import type { Db, Tx } from '../db/knex.ts';
import { row, rows, run, statement } from '../db/sql.ts';
import { dropTokens, issueToken, replaceToken, settle, type Administrator } from './administer.ts';
import type { AppKeyInput } from './schema.ts';

export interface AppKeyView {
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

const select = `
  select k.id, k.name, e.name as environment, k.last_used_at as "lastUsedAt", k.created_at as "createdAt"
  from app_keys k join environments e on e.id = k.env where k.revoked_at is null`;
const list = statement('administer.appKeys.list', `${select} order by k.created_at, k.id`);
/** An environment's settings know its own keys; the admin command knows all. */
const locked = statement('administer.appKeys.locked', `${select} and k.id = $1 and ($2::int is null or k.env = $2::int) for update of k`);
const insert = statement('administer.appKeys.insert', `
  insert into app_keys (id, env, name, created_at) select $1, e.id, $2, $3::bigint from environments e where e.name = $4`);
const revoke = statement('administer.appKeys.revoke', 'update app_keys set revoked_at = $2 where id = $1');

/** Those that are not revoked, oldest first. */
export const listAppKeys = (db: Db | Tx): Promise<AppKeyView[]> => rows<AppKeyView>(db, list);

const appKeyOf = async (tx: Tx, admin: Administrator, id: string): Promise<AppKeyView> => {
  const appKey = await row<AppKeyView>(tx, locked, [id, admin.env]);
  if (appKey === undefined) throw fault('not_found');
  return appKey;
};

const changed = (tx: Tx, admin: Administrator, verb: string, { id, environment }: AppKeyView, told: { before: object | null; after: object | null }): Promise<void> =>
  settle(tx, admin, { verb: `appKey.${verb}`, target: { type: 'appKey', id }, environments: [environment], ...told });

export const createAppKey = async (tx: Tx, admin: Administrator, { name }: AppKeyInput, environment: string): Promise<AppKeyToken> => {
  const id = newId('key', admin.at);
  const made = await run(tx, insert, [id, name, admin.at, environment]);
  if (made === 0) throw invalid('environment', `there is no environment ${JSON.stringify(environment)}`);
  const token = await issueToken(tx, 'app', id, admin.at);
  const appKey = await appKeyOf(tx, admin, id);
  await changed(tx, admin, 'create', appKey, { before: null, after: { name } });
  return { appKey, token };
};

/** A new token; the old one works for `grace` ms more. */
export const rotateAppKey = async (tx: Tx, admin: Administrator, id: string, grace: number): Promise<AppKeyToken> => {
  const appKey = await appKeyOf(tx, admin, id);
  const token = await replaceToken(tx, 'app', id, { at: admin.at, grace });
  await changed(tx, admin, 'rotate', appKey, { before: null, after: { grace } });
  return { appKey, token };
};

/** Answers the key as it was. */
export const revokeAppKey = async (tx: Tx, admin: Administrator, id: string): Promise<AppKeyView> => {
  const appKey = await appKeyOf(tx, admin, id);
  await run(tx, revoke, [id, admin.at]);
  await dropTokens(tx, id);
  await changed(tx, admin, 'revoke', appKey, { before: { name: appKey.name }, after: null });
  return appKey;
};
