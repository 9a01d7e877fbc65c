/**
 * The directory: a cache of environments, roles, people, and of sessions by token, which every request needs and which
 * rarely change. It reloads when the revision row has been raised: on a wake signal by Redis, and by a poll, as Redis may
 * be unavailable.
 */
import { appAccess, compileAccess } from '../access/access.ts';
import {
  includesEnvironment,
  type Person,
  type Principal,
  type PrincipalMode,
  type Role,
} from '../access/principal.ts';
import { parseTokenKind, tokenHash } from '../access/tokens.ts';
import type { Grant } from '../catalogue/permissions.ts';
import { toEnvironment, type Environment, type StoredEnvironment } from '../environments/definition.ts';
import type { Clock } from '../platform/core/clock.ts';
import type { Db } from '../platform/db/knex.ts';
import { executeStatement, queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { channels, type Bus } from '../platform/redis/bus.ts';

/** Milliseconds after which a process without wake signals notices a new revision. */
const pollMs = 500;
/** Milliseconds between two writes of `lastUsedAt` of one principal. */
const lastUsedWriteMs = 60_000;
/** Cached sessions; beyond it the oldest tenth is dropped. */
const tokensMax = 50_000;

export interface AuthSession {
  readonly principal: Principal;
  /** SHA-256 of the token, base64: it identifies the credential and can't be used as one. */
  readonly credential: string;
  readonly expiresAt: number | null;
  readonly freshUntil: number | null;
}

export interface Directory {
  environment(name: string): Environment | undefined;
  environmentById(id: number): Environment | undefined;
  environments(): Environment[];
  role(id: string): Role | undefined;
  person(id: string): Person | undefined;
  /** Returns the people of an environment, by name. */
  people(env: Environment): Person[];
  /** Returns the session of a token, or null when it is unknown, revoked or expired. No query for a wrong checksum. */
  sessionByToken(token: string): Promise<AuthSession | null>;
  /** Returns the session of a credential, or null when it has ended. */
  sessionByCredential(credential: string): Promise<AuthSession | null>;
  /** Returns an agent, a person or an app key by id, for work done later in its name; null when it is revoked or removed. */
  principal(type: string, id: string): Promise<Principal | null>;
  /** Calls the listener after each reload, and returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Reloads; resolves when everything that was committed before the call is in the cache. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

const readRevision = statement('directory.revision', 'select n from revisions where id = 1');
/** Selects environments as `toEnvironment` takes them, with the rules of the names that the manifest declares. */
export const environmentSql = `
  select e.id, e.name, e.epoch, e.seal_key, d.manifest, d.definition, (
    select jsonb_agg(jsonb_build_object('type', r.type, 'name', r.name, 'rule', r.rule)) from definition_rules r
    where r.env = e.id and (
      r.type = 'action' and r.name in (select a->>'name' from jsonb_array_elements(d.manifest->'actions') a)
      or r.type = 'flag' and r.name in (select f->>'key' from jsonb_array_elements(d.manifest->'flags') f))
  ) as rules
  from environments e left join definitions d on d.env = e.id`;
const readEnvironments = statement('directory.environments', `${environmentSql} order by e.id`);
const readRoles = statement('directory.roles', 'select id, name, grants from roles');
const readPeople = statement(
  'directory.people',
  'select id, name, role, environments from people where removed_at is null order by name, id',
);
const readToken = statement(
  'directory.token',
  `
  select t.kind, t.principal, t.expires_at, t.fresh_until from tokens t where t.hash = $1`,
);
const readAgent = statement(
  'directory.agent',
  `
  select name, role, mode, environments, expires_at from agents where id = $1 and revoked_at is null`,
);
const readPerson = statement(
  'directory.person',
  `
  select name, role, environments from people where id = $1 and removed_at is null`,
);
const readAppKey = statement(
  'directory.appKey',
  `
  select k.name, e.name as environment from app_keys k join environments e on e.id = k.env where k.id = $1 and k.revoked_at is null`,
);
const touchSql = {
  agent: statement('directory.touchAgent', 'update agents set last_used_at = $2 where id = $1'),
  app: statement('directory.touchApp', 'update app_keys set last_used_at = $2 where id = $1'),
};

interface DirectoryState {
  readonly revision: number;
  readonly environments: ReadonlyMap<string, Environment>;
  readonly environmentsById: ReadonlyMap<number, Environment>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly people: ReadonlyMap<string, Person>;
}

const loadState = async (db: Db, revision: number): Promise<DirectoryState> => {
  const [environmentRows, roleRows, personRows] = await Promise.all([
    queryRows<StoredEnvironment>(db, readEnvironments),
    queryRows<{ id: string; name: string; grants: Grant[] }>(db, readRoles),
    queryRows<{ id: string; name: string; role: string; environments: string[] }>(db, readPeople),
  ]);
  const roles = new Map(roleRows.map((role) => [role.id, { ...role, access: compileAccess(role.grants) }]));
  const environments = environmentRows.map(toEnvironment);
  const nothing = compileAccess([]);
  return {
    revision,
    roles,
    environments: new Map(environments.map((environment) => [environment.name, environment])),
    environmentsById: new Map(environments.map((environment) => [environment.id, environment])),
    people: new Map(
      personRows.map((person) => [person.id, { ...person, access: roles.get(person.role)?.access ?? nothing }]),
    ),
  };
};

interface DirectoryOptions {
  readonly db: Db;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Returns the directory after its first load. */
export const openDirectory = async ({ db, bus, clock, onError }: DirectoryOptions): Promise<Directory> => {
  const revisionNow = async (): Promise<number> => (await queryRow<{ n: number }>(db, readRevision))?.n ?? 0;
  let state = await loadState(db, await revisionNow());
  const sessions = new Map<string, AuthSession>();
  const used = new Map<string, number>();
  const listeners = new Set<() => void>();
  let loading: Promise<void> | null = null;
  let closed = false;

  const reload = async (): Promise<void> => {
    const revision = await revisionNow();
    if (revision === state.revision || closed) return;
    state = await loadState(db, revision);
    sessions.clear();
    for (const listener of listeners) listener();
  };
  const refresh = async (): Promise<void> => {
    while (loading !== null) await loading;
    loading = reload().finally(() => {
      loading = null;
    });
    await loading;
  };
  const look = (): void => {
    if (loading === null) refresh().catch(onError);
  };
  const timer = setInterval(look, pollMs);
  const unsubscribe = bus.subscribe(channels.revision, () => {
    refresh().catch(onError);
  });

  const principal = async (type: string, id: string): Promise<(Principal & { expiresAt: number | null }) | null> => {
    if (type === 'agent') {
      const found = await queryRow<{
        name: string;
        role: string;
        mode: PrincipalMode;
        environments: string[];
        expires_at: number | null;
      }>(db, readAgent, [id]);
      const role = found === undefined ? undefined : state.roles.get(found.role);
      if (found === undefined || role === undefined) return null;
      if (found.expires_at !== null && found.expires_at <= clock.now()) return null;
      return {
        type,
        id,
        name: found.name,
        mode: found.mode,
        role,
        access: role.access,
        environments: found.environments,
        expiresAt: found.expires_at,
      };
    }
    if (type === 'person') {
      const found = await queryRow<{ name: string; role: string; environments: string[] }>(db, readPerson, [id]);
      const role = found === undefined ? undefined : state.roles.get(found.role);
      if (found === undefined || role === undefined) return null;
      return {
        type,
        id,
        name: found.name,
        mode: 'normal',
        role,
        access: role.access,
        environments: found.environments,
        expiresAt: null,
      };
    }
    const key = await queryRow<{ name: string; environment: string }>(db, readAppKey, [id]);
    if (key === undefined) return null;
    return {
      type: 'app',
      id,
      name: key.name,
      mode: 'normal',
      role: null,
      access: appAccess,
      environments: [key.environment],
      expiresAt: null,
    };
  };

  const lookUp = async (credential: string): Promise<AuthSession | null> => {
    const token = await queryRow<{
      kind: string;
      principal: string;
      expires_at: number | null;
      fresh_until: number | null;
    }>(db, readToken, [Buffer.from(credential, 'base64')]);
    if (token === undefined) return null;
    const found = await principal(token.kind, token.principal);
    if (found === null) return null;
    const { expiresAt, ...rest } = found;
    const ends = [token.expires_at, expiresAt].filter((at) => at !== null);
    return {
      principal: rest,
      credential,
      expiresAt: ends.length === 0 ? null : Math.min(...ends),
      freshUntil: token.fresh_until,
    };
  };

  const noteUse = ({ principal: { type, id } }: AuthSession): void => {
    if (id === null || (type !== 'agent' && type !== 'app')) return;
    const now = clock.now();
    if (now - (used.get(id) ?? 0) < lastUsedWriteMs) return;
    used.set(id, now);
    executeStatement(db, touchSql[type], [id, now]).catch(onError);
  };

  const sessionOf = async (credential: string): Promise<AuthSession | null> => {
    let session = sessions.get(credential) ?? null;
    if (session === null) {
      const { revision } = state;
      session = await lookUp(credential);
      // A session that was read while the cache was reloaded may be outdated.
      if (session !== null && revision === state.revision) {
        sessions.set(credential, session);
        if (sessions.size > tokensMax)
          for (const oldest of [...sessions.keys()].slice(0, tokensMax / 10)) sessions.delete(oldest);
      }
    }
    if (session === null || (session.expiresAt !== null && session.expiresAt <= clock.now())) return null;
    noteUse(session);
    return session;
  };

  return {
    environment: (name) => state.environments.get(name),
    environmentById: (id) => state.environmentsById.get(id),
    environments: () => [...state.environments.values()],
    role: (id) => state.roles.get(id),
    person: (id) => state.people.get(id),
    people: (env) => [...state.people.values()].filter((person) => includesEnvironment(person.environments, env.name)),
    sessionByToken: async (token) =>
      parseTokenKind(token) === null ? null : sessionOf(tokenHash(token).toString('base64')),
    sessionByCredential: sessionOf,
    principal: async (type, id) => {
      const found = await principal(type, id);
      if (found === null) return null;
      const { expiresAt: _, ...rest } = found;
      return rest;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh,
    close: async () => {
      closed = true;
      clearInterval(timer);
      unsubscribe();
      await loading?.catch(() => undefined);
    },
  };
};
