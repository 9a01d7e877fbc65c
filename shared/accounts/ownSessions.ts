/** The sessions of one person, as they see and end them themselves. For api/routes/me.ts. */
import { fault } from '../catalogue/errors.ts';
import type { Config } from '../platform/config/config.ts';
import type { Db, Tx } from '../platform/db/knex.ts';
import { executeStatement, queryRows, statement } from '../platform/db/sql.ts';
import { rowId } from '../platform/ids.ts';
import type { Caller } from './access/principal.ts';
import { recordAdminChange, toAdministrator } from './settings/adminChange.ts';

interface StoredSession {
  readonly hash: Buffer;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly address: string | null;
}

interface SessionView {
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** Where it was opened from; null: not known. */
  readonly address: string | null;
  readonly current: boolean;
}

/** More sessions than a person looks through. */
const listMax = 200;

const listSql = statement(
  'sessions.list',
  `
  select hash, created_at as "createdAt", coalesce(last_used_at, created_at) as "lastUsedAt", address
  from tokens where kind = 'person' and principal = $1 and expires_at > $2 and coalesce(last_used_at, created_at) > $3
  order by created_at desc, hash limit $4`,
);
const deleteSql = statement('sessions.end', 'delete from tokens where hash = $1');
const deleteOthersSql = statement('sessions.endOthers', 'delete from tokens where principal = $1 and hash <> $2');

/** Returns the time at or before which a session was used last that has ended by its idle end, in epoch ms; -1: none has. */
export const idleSince = ({ sessionIdleMs }: Pick<Config, 'sessionIdleMs'>, at: number): number =>
  sessionIdleMs === null ? -1 : at - sessionIdleMs;

/** The id is made of the hash of the token, of which 48 bits tell nobody the token, so that no session lacks one. */
const sessionId = ({ hash, createdAt }: StoredSession): string => rowId('ses', createdAt, hash.readUIntBE(0, 6));

interface SessionsDeps {
  readonly config: Pick<Config, 'sessionIdleMs'>;
  /** Epoch milliseconds. */
  readonly at: number;
}

const readSessions = (db: Db | Tx, person: string | null, { config, at }: SessionsDeps): Promise<StoredSession[]> =>
  queryRows<StoredSession>(db, listSql, [person, at, idleSince(config, at), listMax]);

/** Returns the person's sessions that have not ended, the newest first. `credential`: of the session that asks. */
export const listOwnSessions = async (
  db: Db,
  person: string | null,
  credential: string,
  deps: SessionsDeps,
): Promise<SessionView[]> =>
  (await readSessions(db, person, deps)).map((session) => ({
    id: sessionId(session),
    createdAt: session.createdAt,
    lastUsedAt: session.lastUsedAt,
    address: session.address,
    current: session.hash.toString('base64') === credential,
  }));

/** Ends one of the caller's own sessions; returns its credential. Throws `not_found` for any other id. */
export const endOwnSession = async (tx: Tx, caller: Caller, id: string, deps: SessionsDeps): Promise<string> => {
  const found = (await readSessions(tx, caller.principal.id, deps)).find((session) => sessionId(session) === id);
  if (found === undefined || (await executeStatement(tx, deleteSql, [found.hash])) === 0) throw fault('not_found');
  await recordAdminChange(tx, toAdministrator(caller, deps.at), {
    verb: 'person.endSession',
    target: { type: 'session', id },
    environments: [caller.env.name],
    before: null,
    after: null,
  });
  return found.hash.toString('base64');
};

/** Ends all sessions of a person but the one with this credential. */
export const endOtherSessions = async (tx: Tx, person: string, credential: string): Promise<void> => {
  await executeStatement(tx, deleteOthersSql, [person, Buffer.from(credential, 'base64')]);
};
