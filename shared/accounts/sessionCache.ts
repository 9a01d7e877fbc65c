/**
 * The cache of sessions by credential, and when each was used: an agent or an app key to the minute, a person's session as
 * exactly as its idle end needs. For directory.ts.
 */
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, statement } from '../platform/db/sql.ts';
import type { Clock } from '../platform/time/clock.ts';
import type { Principal } from './access/principal.ts';

/** Milliseconds between two writes of when a principal or a session was used; with an idle end, of sessions. */
const [usedWriteMs, usedWriteIdleMs] = [60_000, 1_000];
/** Cached sessions; beyond it the oldest tenth is dropped. */
const sessionsMax = 50_000;

export interface AuthSession {
  readonly principal: Principal;
  /** SHA-256 of the token, base64: it identifies the credential and can't be used as one. */
  readonly credential: string;
  readonly expiresAt: number | null;
  readonly freshUntil: number | null;
}

const readToken = statement(
  'directory.token',
  `
  select t.kind, t.principal, t.expires_at, t.fresh_until, coalesce(t.last_used_at, t.created_at) as used_at from tokens t where t.hash = $1`,
);
const touchSql = {
  agent: statement('directory.touchAgent', 'update agents set last_used_at = $2 where id = $1'),
  app: statement('directory.touchApp', 'update app_keys set last_used_at = $2 where id = $1'),
  session: statement(
    'directory.touchSession',
    'update tokens set last_used_at = $2 where hash = $1 and coalesce(last_used_at, 0) < $2',
  ),
};

interface CachedSession {
  readonly session: AuthSession;
  /** Of a person's session: when it was used last, as far as this process knows, and what PostgreSQL has of that. */
  usedAt: number;
  writtenAt: number;
}

interface SessionCacheOptions {
  readonly db: Db;
  readonly clock: Clock;
  /** Milliseconds without a request after which a person's session ends; null: never. */
  readonly idleMs: number | null;
  readonly principal: (type: string, id: string) => Promise<(Principal & { expiresAt: number | null }) | null>;
  /** Changes when what principals are made of is loaded again. */
  readonly revision: () => number;
  readonly onError: (error: unknown) => void;
}

interface SessionCache {
  /** Returns the session of a credential, or null when it has ended. `isRequest`: whether a person's session is used by that. */
  find(credential: string, isRequest: boolean): Promise<AuthSession | null>;
  clear(): void;
}

export const createSessionCache = ({
  db,
  clock,
  idleMs,
  principal,
  revision,
  onError,
}: SessionCacheOptions): SessionCache => {
  const sessions = new Map<string, CachedSession>();
  /** When `lastUsedAt` of an agent or an app key was written, by its id. */
  const used = new Map<string, number>();
  const writeEveryMs = idleMs === null ? usedWriteMs : usedWriteIdleMs;

  const read = async (credential: string): Promise<CachedSession | null> => {
    const token = await queryRow<{
      kind: string;
      principal: string;
      expires_at: number | null;
      fresh_until: number | null;
      used_at: number;
    }>(db, readToken, [Buffer.from(credential, 'base64')]);
    if (token === undefined) return null;
    const found = await principal(token.kind, token.principal);
    if (found === null) return null;
    const { expiresAt, ...rest } = found;
    const ends = [token.expires_at, expiresAt].filter((at) => at !== null);
    const session = {
      principal: rest,
      credential,
      expiresAt: ends.length === 0 ? null : Math.min(...ends),
      freshUntil: token.fresh_until,
    };
    return { session, usedAt: token.used_at, writtenAt: token.used_at };
  };

  const readAndKeep = async (credential: string): Promise<CachedSession | null> => {
    const before = revision();
    const cached = await read(credential);
    // A session that was read while the cache was reloaded may be outdated.
    if (cached === null || before !== revision()) return cached;
    sessions.set(credential, cached);
    if (sessions.size > sessionsMax)
      for (const oldest of [...sessions.keys()].slice(0, sessionsMax / 10)) sessions.delete(oldest);
    return cached;
  };

  const isIdle = ({ session, usedAt }: CachedSession): boolean =>
    idleMs !== null && session.principal.type === 'person' && usedAt + idleMs <= clock.now();

  const noteUseOfSession = (cached: CachedSession): void => {
    const now = clock.now();
    cached.usedAt = Math.max(cached.usedAt, now);
    if (now - cached.writtenAt < writeEveryMs) return;
    cached.writtenAt = now;
    const hash = Buffer.from(cached.session.credential, 'base64');
    executeStatement(db, touchSql.session, [hash, now]).catch(onError);
  };

  const noteUseOfPrincipal = (type: 'agent' | 'app', id: string): void => {
    const now = clock.now();
    if (now - (used.get(id) ?? 0) < usedWriteMs) return;
    used.set(id, now);
    executeStatement(db, touchSql[type], [id, now]).catch(onError);
  };

  const noteUse = (cached: CachedSession, isRequest: boolean): void => {
    const { type, id } = cached.session.principal;
    if (type === 'person') {
      if (isRequest) noteUseOfSession(cached);
    } else if (id !== null && (type === 'agent' || type === 'app')) noteUseOfPrincipal(type, id);
  };

  return {
    find: async (credential, isRequest) => {
      let cached = sessions.get(credential) ?? (await readAndKeep(credential));
      // Another process may have served a request of it since.
      if (cached !== null && isIdle(cached)) cached = await readAndKeep(credential);
      if (cached === null || isIdle(cached)) return null;
      const { session } = cached;
      if (session.expiresAt !== null && session.expiresAt <= clock.now()) return null;
      noteUse(cached, isRequest);
      return session;
    },
    clear: () => {
      sessions.clear();
    },
  };
};
