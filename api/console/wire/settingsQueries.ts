/** Queries of the settings: agents and what they do, roles, people, app keys, environments, loosenings, erasures. Used by their pages. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { body } from './queries.ts';
import type { Agent, AppKey, AuditEntry, Environment, Erasure, Loosening, Member, OwnSession, Role } from './types.ts';

export const settingsKeys = {
  agents: ['agents'],
  roles: ['roles'],
  sessions: ['sessions'],
  members: ['members'],
  appKeys: ['appKeys'],
  environments: ['environments'],
  loosenings: ['loosenings'],
  erasures: ['erasures'],
  names: ['settingsNames'],
  ledger: (agents: readonly string[]) => ['ledger', agents],
} as const;

type Query = Readonly<Record<string, string | number>>;

interface Reading {
  readonly http: Http;
  readonly path: string;
  /** The member of the answer that is the list. */
  readonly name: string;
  readonly query?: Query;
}

/** Returns the whole of a list that people keep, page by page. */
const readAll = async <T>({ http, path, name, query = {} }: Reading, signal: AbortSignal): Promise<readonly T[]> => {
  const all: T[] = [];
  let cursor: unknown = null;
  do {
    const page: Readonly<Record<string, unknown>> = await body(
      http.call('GET', path, {
        query: { ...query, limit: 200, ...(typeof cursor === 'string' ? { cursor } : {}) },
        signal,
      }),
    );
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API holds its answers against its schemas
    all.push(...(page[name] as T[]));
    ({ cursor } = page);
  } while (typeof cursor === 'string');
  return all;
};

export const agentsQuery = (http: Http) =>
  queryOptions({
    queryKey: settingsKeys.agents,
    queryFn: ({ signal }) => readAll<Agent>({ http, path: '/settings/agents', name: 'agents' }, signal),
  });

export const rolesQuery = (http: Http) =>
  queryOptions({
    queryKey: settingsKeys.roles,
    queryFn: ({ signal }) => readAll<Role>({ http, path: '/settings/roles', name: 'roles' }, signal),
    staleTime: 60_000,
  });

interface ActivityPage {
  readonly entries: readonly AuditEntry[];
  readonly cursor: string | null;
}

/** Each agent's next cursor, and entries held back because another agent's unread pages may have newer ones. */
interface LedgerPlace {
  readonly cursors: Readonly<Record<string, string | null>>;
  readonly rest: readonly AuditEntry[];
}

interface LedgerPage extends LedgerPlace {
  readonly entries: readonly AuditEntry[];
}

const perAgent = 50;

const readActivity = (http: Http, agent: string, cursor: string | undefined, signal: AbortSignal) =>
  body(
    http.call<ActivityPage>('GET', `/settings/agents/${encodeURIComponent(agent)}/activity`, {
      query: { limit: perAgent, cursor },
      signal,
    }),
  );

/** Ids of entries are ordered by time. */
const byNewest = (a: AuditEntry, b: AuditEntry): number => (a.id < b.id ? 1 : -1);

/** Returns the merged entries of several agents, back to the time to which all of them are read. */
const readLedger = async (
  http: Http,
  agents: readonly string[],
  place: LedgerPlace | null,
  signal: AbortSignal,
): Promise<LedgerPage> => {
  const waiting = new Set(place?.rest.map(({ actor }) => actor.id));
  const pages = await Promise.all(
    agents.map(async (agent) => {
      const cursor = place?.cursors[agent];
      if (cursor === null || waiting.has(agent)) return { agent, entries: [], cursor: cursor ?? null };
      return { agent, ...(await readActivity(http, agent, cursor, signal)) };
    }),
  );
  const all = [...(place?.rest ?? []), ...pages.flatMap(({ entries }) => entries)].toSorted(byNewest);
  const cursors = Object.fromEntries(pages.map(({ agent, cursor }) => [agent, cursor]));
  const oldest = new Map(all.map(({ actor, id }) => [actor.id, id]));
  const ends = agents.flatMap((agent) => (cursors[agent] === null ? [] : [oldest.get(agent) ?? '']));
  const end = ends.reduce((later, each) => (each > later ? each : later), '');
  return { entries: all.filter(({ id }) => id >= end), rest: all.filter(({ id }) => id < end), cursors };
};

/** Query of the ledger's pages, newest entries first. */
export const ledgerQuery = (http: Http, agents: readonly string[]) =>
  infiniteQueryOptions({
    queryKey: settingsKeys.ledger(agents),
    queryFn: ({ pageParam, signal }) => readLedger(http, agents, pageParam, signal),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names the type of the later places
    initialPageParam: null as LedgerPlace | null,
    getNextPageParam: ({ cursors, rest }): LedgerPlace | null =>
      rest.length > 0 || Object.values(cursors).some((cursor) => cursor !== null) ? { cursors, rest } : null,
    staleTime: Infinity,
    gcTime: 0,
  });

/** The caller's own sessions. */
export const sessionsQuery = (http: Http) =>
  queryOptions({
    queryKey: settingsKeys.sessions,
    queryFn: async ({ signal }) =>
      (await body(http.call<{ sessions: readonly OwnSession[] }>('GET', '/me/sessions', { signal }))).sessions,
  });

/** The people who may sign in, as those who manage settings see them. */
export const membersQuery = (http: Http) =>
  queryOptions({
    queryKey: settingsKeys.members,
    queryFn: ({ signal }) => readAll<Member>({ http, path: '/settings/people', name: 'people' }, signal),
  });

export const appKeysQuery = (http: Http) =>
  queryOptions({
    queryKey: settingsKeys.appKeys,
    queryFn: ({ signal }) => readAll<AppKey>({ http, path: '/settings/app-keys', name: 'appKeys' }, signal),
  });

/** Query of the names of agents, people, roles and app keys by their ids, for those who manage them. */
export const settingsNamesQuery = (http: Http) =>
  queryOptions({
    queryKey: settingsKeys.names,
    queryFn: async ({ client }) => {
      const lists = await Promise.all([
        client.fetchQuery(agentsQuery(http)),
        client.fetchQuery(membersQuery(http)),
        client.fetchQuery(rolesQuery(http)),
        client.fetchQuery(appKeysQuery(http)),
      ]);
      return new Map(lists.flat().map(({ id, name }) => [id, name]));
    },
    staleTime: 60_000,
  });

export const environmentsQuery = (http: Http) =>
  queryOptions({
    queryKey: settingsKeys.environments,
    queryFn: ({ signal }) =>
      readAll<Environment>({ http, path: '/settings/environments', name: 'environments' }, signal),
  });

/** How often it is asked whether an app waits for a person, in ms. */
const looseningsMs = 60_000;

export const waitingLooseningsQuery = (http: Http) =>
  queryOptions({
    queryKey: [...settingsKeys.loosenings, 'waiting'],
    queryFn: ({ signal }) =>
      readAll<Loosening>(
        { http, path: '/settings/loosenings', name: 'loosenings', query: { status: 'waiting' } },
        signal,
      ),
    refetchInterval: looseningsMs,
  });

/** Returns how a list is read page by page, the newest first. */
const pagesOf = <P extends { readonly cursor: string | null }>(http: Http, path: string) => ({
  queryFn: ({ pageParam, signal }: { readonly pageParam: string | null; readonly signal: AbortSignal }) =>
    body(
      http.call<P>('GET', path, { query: { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) }, signal }),
    ),
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names the type of the later cursors
  initialPageParam: null as string | null,
  getNextPageParam: ({ cursor }: P) => cursor,
});

interface LooseningsPage {
  readonly loosenings: readonly Loosening[];
  readonly cursor: string | null;
}

export const looseningsQuery = (http: Http) =>
  infiniteQueryOptions({
    queryKey: [...settingsKeys.loosenings, 'all'],
    ...pagesOf<LooseningsPage>(http, '/settings/loosenings'),
  });

interface ErasuresPage {
  readonly erasures: readonly Erasure[];
  readonly cursor: string | null;
}

/** How often it is asked what became of erasures that are under way, in ms. */
const erasuresMs = 2_000;

export const erasuresQuery = (http: Http) =>
  infiniteQueryOptions({
    queryKey: settingsKeys.erasures,
    ...pagesOf<ErasuresPage>(http, '/settings/erasures'),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ erasures }) => erasures.some(({ status }) => status === 'running')) === true
        ? erasuresMs
        : false,
  });
