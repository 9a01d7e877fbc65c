/** Queries of the settings: agents and what they do, roles, people, app keys, environments, loosenings, erasures, jobs, and the audit log. Used by their pages. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Http } from './http.ts';
import { type ItemQuery } from './queries.ts';
import { memberOf, pagesOf, wholeOf, listQuery, type PageOf, read, withCursor, byCursor } from './reading.ts';
import type {
  Agent,
  AppKey,
  AuditEntry,
  Environment,
  Erasure,
  Loosening,
  Member,
  OwnSession,
  Role,
  Job,
  JobCounts,
} from './types.ts';

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

export const agentsQuery = listQuery<Agent>(settingsKeys.agents, '/settings/agents', 'agents');

export const rolesQuery = listQuery<Role>(settingsKeys.roles, '/settings/roles', 'roles', { staleTime: 60_000 });

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
  read<PageOf<'entries', AuditEntry>>(
    http,
    `/settings/agents/${encodeURIComponent(agent)}/activity`,
    { limit: perAgent, cursor },
    signal,
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
    ...memberOf<readonly OwnSession[]>(http, '/me/sessions', 'sessions'),
  });

/** The people who may sign in, as those who manage settings see them. */
export const membersQuery = listQuery<Member>(settingsKeys.members, '/settings/people', 'people');

const appKeysQuery = listQuery<AppKey>(settingsKeys.appKeys, '/settings/app-keys', 'appKeys');

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

export const environmentsQuery = listQuery<Environment>(
  settingsKeys.environments,
  '/settings/environments',
  'environments',
);

/** How often it is asked whether an app waits for a person, in ms. */
const looseningsMs = 60_000;

export const waitingLooseningsQuery = (http: Http) =>
  queryOptions({
    queryKey: [...settingsKeys.loosenings, 'waiting'],
    ...wholeOf<Loosening>(http, '/settings/loosenings', 'loosenings', { status: 'waiting' }),
    refetchInterval: looseningsMs,
  });

export const looseningsQuery = (http: Http) =>
  infiniteQueryOptions({
    queryKey: [...settingsKeys.loosenings, 'all'],
    ...pagesOf<PageOf<'loosenings', Loosening>>(http, '/settings/loosenings', { limit: 50 }),
  });

/** How often it is asked what became of erasures that are under way, in ms. */
const erasuresMs = 2_000;

export const erasuresQuery = (http: Http) =>
  infiniteQueryOptions({
    queryKey: settingsKeys.erasures,
    ...pagesOf<PageOf<'erasures', Erasure>>(http, '/settings/erasures', { limit: 50 }),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ erasures }) => erasures.some(({ status }) => status === 'running')) === true
        ? erasuresMs
        : false,
  });

export const jobsKey = ['jobs'] as const;

interface JobPage extends PageOf<'jobs', Job> {
  readonly counts: JobCounts;
  /** What a run waits for that was looked for by its id and has no job. */
  readonly why: string | null;
}

/** The query of background jobs. */
export const jobsQuery = (http: Http, filter: Readonly<Record<string, string>>) =>
  infiniteQueryOptions({
    queryKey: [...jobsKey, filter],
    ...pagesOf<JobPage>(http, '/settings/jobs', { ...filter, limit: 50 }),
  });

type AuditPage = PageOf<'entries', AuditEntry> & { readonly archivedBefore?: number };

export const readAuditPage = (http: Http, query: ItemQuery, cursor: string | null): Promise<AuditPage> =>
  read(http, '/audit', withCursor({ ...query, limit: 200 }, cursor));

export const auditQuery = (http: Http, query: ItemQuery) =>
  infiniteQueryOptions({
    queryKey: ['audit', query],
    queryFn: ({ pageParam }) => readAuditPage(http, query, pageParam),
    ...byCursor,
  });

/** How often it is asked whether more was done, in ms. */
const watchedMs = 3_000;

/** Query of the newest entries of a time that is not over. */
export const arrivalsQuery = (http: Http, query: ItemQuery) =>
  queryOptions({
    queryKey: ['arrivals', query],
    queryFn: async () => (await readAuditPage(http, query, null)).entries,
    refetchInterval: watchedMs,
    gcTime: 0,
    retry: false,
  });
