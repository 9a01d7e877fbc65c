/** Saved answers of idempotency keys: looked up before the work, written in the transaction of the effect. */
import { createHash } from 'node:crypto';
import { fault } from '../../catalogue/errors.ts';
import type { Db, Tx } from '../db/knex.ts';
import { queryRow, executeStatement, statement } from '../db/sql.ts';
import { limits } from '../../catalogue/limits.ts';

const findResponseSql = statement(
  'once.find',
  'select fingerprint, status, body, etag, created_at from idempotency_keys where principal = $1 and key = $2',
);
const insertResponseSql = statement(
  'once.keep',
  `
  insert into idempotency_keys (principal, key, fingerprint, status, body, etag, created_at) values ($1, $2, $3, $4, $5, $6, $7)`,
);
const deleteExpiredResponsesSql = statement(
  'once.expire',
  'delete from idempotency_keys where principal = $1 and key = $2 and created_at <= $3',
);

/** An answer kept under an idempotency key, written with the effect. */
export interface SavedResponse {
  readonly principal: string;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly body: string;
  readonly etag: string | null;
}

export interface StoredResponse {
  readonly status: number;
  readonly body: string;
  readonly etag: string | null;
}

export interface IdempotencyKey {
  readonly principal: string;
  readonly key: string;
  readonly fingerprint: Buffer;
}

/** Tells requests apart: the same method, address and bytes are the same request. */
export const requestFingerprint = (method: string, url: string, body: string): Buffer =>
  createHash('sha256').update(`${method}\n${url}\n`).update(body, 'latin1').digest();

/** The saved answer of `once`, or null. Throws `422 idempotency_mismatch` when the key belongs to another request. */
export const readSavedResponse = async (
  db: Db,
  { principal, key, fingerprint }: IdempotencyKey,
  now: number,
): Promise<StoredResponse | null> => {
  const found = await queryRow<StoredResponse & { fingerprint: Buffer; created_at: number }>(db, findResponseSql, [
    principal,
    key,
  ]);
  if (found === undefined) return null;
  const oldest = now - limits.idempotencyMs;
  if (found.created_at <= oldest) {
    await executeStatement(db, deleteExpiredResponsesSql, [principal, key, oldest]);
    return null;
  }
  if (!found.fingerprint.equals(fingerprint)) throw fault('idempotency_mismatch');
  return { status: found.status, body: found.body, etag: found.etag };
};

/** Keeps an answer, in the transaction of its effect if there is one. */
export const insertSavedResponse = async (db: Db | Tx, saved: SavedResponse, now: number): Promise<void> => {
  await executeStatement(db, insertResponseSql, [
    saved.principal,
    saved.key,
    saved.fingerprint,
    saved.status,
    saved.body,
    saved.etag,
    now,
  ]);
};
