/**
 * The directory: a cache of environments, roles, people, and of sessions by token, which every request needs and which
 * rarely change. It reloads when the revision row has been raised: on a wake signal by Redis, and by a poll, as Redis may
 * be unavailable. Of the environments, which may be many and large, it reads those again that have changed.
 */
import { inOrderSql } from '../app/manifest/declaredOrder.ts';
import { toEnvironment, type Environment, type StoredEnvironment } from '../app/manifest/definition.ts';
import type { Grant } from '../catalogue/permissions.ts';
import type { Db } from '../platform/db/knex.ts';
import { queryRow, queryRows, statement } from '../platform/db/sql.ts';
import { readPastEvents, type PastEvents } from '../platform/journal/pastEvents.ts';
import { channels, type Bus } from '../platform/redis/bus.ts';
import type { Clock } from '../platform/time/clock.ts';
import { compileAccess } from './access/access.ts';
import { includesEnvironment, type Person, type Principal, type Role } from './access/principal.ts';
import { parseTokenKind, tokenHash } from './access/tokens.ts';
import { createAgentReader, readPrincipal } from './principals.ts';
import { createSessionCache, type AuthSession } from './sessionCache.ts';

/** Milliseconds after which a process without wake signals notices a new revision. */
const pollMs = 500;

export interface Directory {
  environment(name: string): Environment | undefined;
  environmentById(id: number): Environment | undefined;
  environments(): Environment[];
  role(id: string): Role | undefined;
  person(id: string): Person | undefined;
  /** Returns an agent that is not revoked. */
  agent(id: string): Person | undefined;
  past(): PastEvents;
  /** Returns the people of an environment, by name. */
  people(env: Environment): Person[];
  /** Returns the session of a request's token, or null when it is unknown, revoked or expired. No query for a wrong checksum. */
  sessionByToken(token: string): Promise<AuthSession | null>;
  /** Returns the session of a credential, or null when it has ended. That is no use of a person's session. */
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
/** Selects environments as `toEnvironment` takes them, with the rules of the names that the manifest declares, and of retired inboxes. */
export const environmentSql = `
  select e.id, e.name, e.epoch, e.seal_key, e.closed_at is not null as closed, ${inOrderSql('manifest')}, ${inOrderSql('definition')}, (
    select jsonb_agg(jsonb_build_object('type', r.type, 'name', r.name, 'rule', r.rule)) from definition_rules r
    where r.env = e.id and (
      r.type = 'action' and r.name in (select a->>'name' from jsonb_array_elements(d.manifest->'actions') a)
      or r.type = 'flag' and r.name in (select f->>'key' from jsonb_array_elements(d.manifest->'flags') f)
      or r.type = 'inbox' and r.name in (
        select i->'declared'->>'name' from jsonb_array_elements(d.definition->'inboxes') i))
  ) as rules
  from environments e left join definitions d on d.env = e.id`;
/**
 * Selects a version of each environment, which changes with it: the transactions that wrote its rows last, whatever release they were of.
 * Of its rules the sum of a hash of each: numbers of transactions begin anew some day, so that the greatest need not be the last.
 */
const readVersions = statement(
  'directory.versions',
  `
  select e.id, concat_ws(' ', e.xmin, d.xmin, r.rules) as version
  from environments e left join definitions d on d.env = e.id
  left join (select env, sum(hashtextextended(concat_ws(' ', type, name, xmin), 0)) as rules from definition_rules group by env) r on r.env = e.id
  order by e.id`,
);
const readEnvironments = statement('directory.environments', `${environmentSql} where e.id = any ($1::int[])`);
const readRoles = statement('directory.roles', 'select id, name, grants from roles');
const readPeople = statement(
  'directory.people',
  'select id, name, role, environments from people where removed_at is null order by name, id',
);
const readAgents = statement(
  'directory.agentNames',
  'select id, name, role, environments from agents where revoked_at is null',
);
interface HolderNames {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly environments: string[];
}
interface EnvironmentVersion {
  readonly id: number;
  readonly version: string;
}

interface DirectoryState {
  readonly revision: number;
  /** Of each environment as it is in this state. */
  readonly versions: ReadonlyMap<number, string>;
  readonly environments: ReadonlyMap<string, Environment>;
  readonly environmentsById: ReadonlyMap<number, Environment>;
  readonly roles: ReadonlyMap<string, Role>;
  readonly people: ReadonlyMap<string, Person>;
  readonly agents: ReadonlyMap<string, Person>;
  readonly past: PastEvents;
}

/** Returns all environments; those that have not changed since `former` are the same objects, as they may be large. */
const loadEnvironments = async (
  db: Db,
  former: DirectoryState | null,
): Promise<Pick<DirectoryState, 'versions' | 'environments' | 'environmentsById'>> => {
  // Before the rows: what changes in between is read again, as its version is an older one.
  const versions = await queryRows<EnvironmentVersion>(db, readVersions);
  const changed = versions.filter(({ id, version }) => former?.versions.get(id) !== version).map(({ id }) => id);
  const rows = changed.length === 0 ? [] : await queryRows<StoredEnvironment>(db, readEnvironments, [changed]);
  const read = new Map(rows.map((row) => [row.id, toEnvironment(row)]));
  const environments = versions.flatMap(({ id }) => read.get(id) ?? former?.environmentsById.get(id) ?? []);
  return {
    versions: new Map(versions.map(({ id, version }) => [id, version])),
    environments: new Map(environments.map((environment) => [environment.name, environment])),
    environmentsById: new Map(environments.map((environment) => [environment.id, environment])),
  };
};

const loadState = async (db: Db, revision: number, former: DirectoryState | null): Promise<DirectoryState> => {
  const [environments, roleRows, personRows, agentRows, past] = await Promise.all([
    loadEnvironments(db, former),
    queryRows<{ id: string; name: string; grants: Grant[] }>(db, readRoles),
    queryRows<HolderNames>(db, readPeople),
    queryRows<HolderNames>(db, readAgents),
    readPastEvents(db),
  ]);
  const roles = new Map(roleRows.map((role) => [role.id, { ...role, access: compileAccess(role.grants) }]));
  const nothing = compileAccess([]);
  const toHolders = (rows: readonly HolderNames[]): ReadonlyMap<string, Person> =>
    new Map(
      rows.map(({ role: id, ...holder }) => {
        const role = roles.get(id);
        return [holder.id, { ...holder, role: role?.name ?? '', access: role?.access ?? nothing }];
      }),
    );
  return {
    revision,
    ...environments,
    roles,
    past,
    people: toHolders(personRows),
    agents: toHolders(agentRows),
  };
};

interface DirectoryOptions {
  readonly db: Db;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Milliseconds without a request after which a person's session ends; null: never. */
  readonly idleMs: number | null;
  readonly onError: (error: unknown) => void;
}

/** Returns the directory after its first load. */
export const openDirectory = async ({ db, bus, clock, idleMs, onError }: DirectoryOptions): Promise<Directory> => {
  const revisionNow = async (): Promise<number> => (await queryRow<{ n: number }>(db, readRevision))?.n ?? 0;
  let wake = (): void => undefined;
  const onWake = (): void => {
    wake();
  };
  // Before the first load, as what changes after it is told only to subscribers; and again once what was told is lost no more.
  const ends = [bus.subscribe(channels.revision, onWake), bus.onSubscribed(onWake)];
  const unsubscribe = (): void => {
    for (const end of ends) end();
  };
  const firstState = async (): Promise<DirectoryState> => {
    try {
      return await loadState(db, await revisionNow(), null);
    } catch (error) {
      unsubscribe();
      throw error;
    }
  };
  let state = await firstState();
  const listeners = new Set<() => void>();
  let loading: Promise<void> | null = null;
  let closed = false;

  const reload = async (): Promise<void> => {
    const revision = await revisionNow();
    if (revision === state.revision || closed) return;
    state = await loadState(db, revision, state);
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
  wake = () => {
    refresh().catch(onError);
  };
  // The revision may have been raised during the first load.
  wake();

  const agent = createAgentReader(db);
  /** Returns a role, also one that was made so lately that this process has not heard of it. */
  const knownRole = async (id: string): Promise<Role | undefined> => {
    if (!state.roles.has(id)) await refresh();
    return state.roles.get(id);
  };
  const principal = (type: string, id: string) => readPrincipal({ db, agent, clock, role: knownRole }, type, id);
  const sessions = createSessionCache({ db, clock, idleMs, principal, revision: () => state.revision, onError });

  return {
    environment: (name) => state.environments.get(name),
    environmentById: (id) => state.environmentsById.get(id),
    environments: () => [...state.environments.values()],
    role: (id) => state.roles.get(id),
    person: (id) => state.people.get(id),
    agent: (id) => state.agents.get(id),
    past: () => state.past,
    people: (env) => [...state.people.values()].filter((person) => includesEnvironment(person.environments, env.name)),
    sessionByToken: async (token) =>
      parseTokenKind(token) === null ? null : sessions.find(tokenHash(token).toString('base64'), true),
    sessionByCredential: (credential) => sessions.find(credential, false),
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
