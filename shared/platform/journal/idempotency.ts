/**
 * Saved responses of idempotency keys: the insert into `idempotency_keys`, which the statement of an effect composes,
 * and their look-up by the endpoints.
 */
import { createHash } from 'node:crypto';
import { fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import type { Db } from '../db/knex.ts';
import { executeStatement, queryRow, statement } from '../db/sql.ts';
import { type InsertSource, type Sql, insertText, sameColumns } from './inserts.ts';

const columns = ['principal', 'key', 'fingerprint', 'status', 'body', 'etag', 'created_at'] as const;

export type SavedResponseColumns = Readonly<Record<(typeof columns)[number], Sql>>;

/** Returns the text of the insert of a saved response for each row of the source. A key that is there already undoes the whole statement. */
export const savedResponseInsert = (values: SavedResponseColumns, source: InsertSource = {}): string =>
  insertText('insert into idempotency_keys', columns, values, source);

/** The columns of a saved response as those of a JSON record, which `savedResponseRow` fills. */
export const savedResponseRecord: Sql =
  'principal text, key text, fingerprint text, status smallint, body text, etag text';

/** Returns a saved response as columns of the rows of a JSON record. */
export const savedResponseOfRow = (row: string): Omit<SavedResponseColumns, 'created_at'> => ({
  ...sameColumns(['principal', 'key', 'status', 'body', 'etag'], row),
  fingerprint: `decode(${row}.fingerprint, 'hex')`,
});

const findResponseSql = statement(
  'once.find',
  'select fingerprint, status, body, etag, created_at as at from idempotency_keys where principal = $1 and key = $2',
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

/** Returns a saved response as members of a JSON record. */
export const savedResponseRow = (saved: SavedResponse): object => ({
  ...saved,
  fingerprint: saved.fingerprint.toString('hex'),
});

export interface StoredResponse {
  readonly status: number;
  readonly body: string;
  readonly etag: string | null;
  /** When it was saved. */
  readonly at: number;
}

export interface IdempotencyKey {
  readonly principal: string;
  readonly key: string;
  /** Computed when it is first asked for. */
  fingerprint(): Buffer;
}

/** Returns a hash that identifies a request: the same method, address and bytes are the same request. */
export const requestFingerprint = (method: string, url: string, body: string): Buffer =>
  createHash('sha256').update(`${method}\n${url}\n`).update(body, 'latin1').digest();

/** Returns the saved response of `once`, or null. Throws `422 idempotency_mismatch` when the key belongs to another request. */
export const readSavedResponse = async (
  db: Db,
  { principal, key, fingerprint }: IdempotencyKey,
  now: number,
): Promise<StoredResponse | null> => {
  const found = await queryRow<StoredResponse & { fingerprint: Buffer }>(db, findResponseSql, [principal, key]);
  if (found === undefined) return null;
  const oldest = now - limits.idempotencyMs;
  if (found.at <= oldest) {
    await executeStatement(db, deleteExpiredResponsesSql, [principal, key, oldest]);
    return null;
  }
  if (!found.fingerprint.equals(fingerprint())) throw fault('idempotency_mismatch');
  return found;
};
