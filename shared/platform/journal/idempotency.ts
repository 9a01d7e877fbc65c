/**
 * Saved responses of idempotency keys: the insert into `idempotency_keys`, which the statement of an effect composes,
 * and their look-up by the endpoints.
 */
import { createHash } from 'node:crypto';
import { fault } from '../../catalogue/errors.ts';
import { limits } from '../../catalogue/limits.ts';
import type { Db, Tx } from '../db/knex.ts';
import { executeStatement, queryRow, statement, type SqlValue } from '../db/sql.ts';
import { insertText, sameColumns, type InsertSource, type Sql } from './insertText.ts';

const columns = ['principal', 'key', 'fingerprint', 'status', 'body', 'etag', 'created_at'] as const;

type SavedResponseColumns = Readonly<Record<(typeof columns)[number], Sql>>;

/** Returns the text of the insert of a saved response for each row of the source. A key that is there already undoes the whole statement. */
export const savedResponseInsert = (values: SavedResponseColumns, source: InsertSource = {}): string =>
  insertText('insert into idempotency_keys', columns, values, source);

/** Returns a saved response as members of a JSON value: the text that `savedResponseJson` makes. */
export const savedResponseOfJson = (json: Sql): Omit<SavedResponseColumns, 'created_at'> => ({
  principal: `${json} ->> 'principal'`,
  key: `${json} ->> 'key'`,
  fingerprint: `decode(${json} ->> 'fingerprint', 'hex')`,
  status: `(${json} ->> 'status')::smallint`,
  body: `${json} ->> 'body'`,
  etag: `${json} ->> 'etag'`,
});

/** Returns a saved response as six parameters from `$first` on, which `savedResponseValues` fills. */
export const savedResponseParameters = (first: number): Omit<SavedResponseColumns, 'created_at'> => {
  const parameter = (i: number): Sql => `$${String(first + i)}`;
  return {
    principal: parameter(0),
    key: parameter(1),
    fingerprint: `${parameter(2)}::bytea`,
    status: `${parameter(3)}::smallint`,
    body: parameter(4),
    etag: parameter(5),
  };
};

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
  'select fingerprint, status, body, etag, created_at from idempotency_keys where principal = $1 and key = $2',
);
const insertResponseSql = statement(
  'once.keep',
  savedResponseInsert({ ...savedResponseParameters(1), created_at: '$7' }),
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

export const savedResponseValues = (saved: SavedResponse | null): SqlValue[] => [
  saved?.principal ?? null,
  saved?.key ?? null,
  saved?.fingerprint ?? null,
  saved?.status ?? null,
  saved?.body ?? null,
  saved?.etag ?? null,
];

/** Returns a saved response as members of a JSON record. */
export const savedResponseRow = (saved: SavedResponse): object => ({
  ...saved,
  fingerprint: saved.fingerprint.toString('hex'),
});

export const savedResponseJson = (saved: SavedResponse | null): string | null =>
  saved === null ? null : JSON.stringify(savedResponseRow(saved));

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

/** Returns a hash that identifies a request: the same method, address and bytes are the same request. */
export const requestFingerprint = (method: string, url: string, body: string): Buffer =>
  createHash('sha256').update(`${method}\n${url}\n`).update(body, 'latin1').digest();

/** Returns the saved response of `once`, or null. Throws `422 idempotency_mismatch` when the key belongs to another request. */
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

/** Saves a response, in the transaction of its effect if there is one. */
export const insertSavedResponse = async (db: Db | Tx, saved: SavedResponse, now: number): Promise<void> => {
  await executeStatement(db, insertResponseSql, [...savedResponseValues(saved), now]);
};
