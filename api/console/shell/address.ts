/** What stands in the addresses of pages besides their paths: read without what a page does not know, and written as people write it. Used by the router and the pages. */

type Raw = Readonly<Record<string, unknown>>;

/** Properties of a page with a search in its address. */
export interface SearchProps<S> {
  readonly search: S;
  readonly onSearch: (search: S, replace?: boolean) => void;
}

/** Returns the members of an address that have a text, of those with these names. */
const textsOf = (raw: Raw, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = raw[name];
      return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
    }),
  );

const endedStatuses = ['approved', 'rejected', 'expired', 'cancelled', 'stale', 'answered'] as const;

export type EndedStatus = (typeof endedStatuses)[number];

export interface ApprovalsSearch {
  /** The requests that ended so; left out: those that wait. */
  readonly status?: EndedStatus;
}

export const readApprovalsSearch = (raw: Raw): ApprovalsSearch => {
  const status = endedStatuses.find((each) => each === raw['status']);
  return status === undefined ? {} : { status };
};

export interface RecordsSearch {
  readonly q?: string;
  /** JSON, as the API takes it. */
  readonly filters?: string;
  readonly sort?: string;
  /** The record that is open beside the list. */
  readonly record?: string;
}

export const readRecordsSearch = (raw: Raw): RecordsSearch => textsOf(raw, ['q', 'filters', 'sort', 'record']);

export interface RunsSearch {
  readonly status?: string;
  readonly action?: string;
  /** The run that is open beside the list. */
  readonly run?: string;
  /** The action, without a record, whose sheet is to be opened. */
  readonly act?: string;
}

export const readRunsSearch = (raw: Raw): RunsSearch => textsOf(raw, ['status', 'action', 'run', 'act']);

const auditNames = ['actor', 'actorKind', 'verb', 'target', 'record', 'from', 'to'] as const;

/** Kinds of principals, as the API names them. */
export const actorKinds = ['agent', 'person', 'app', 'system'] as const;

/** `from` and `to`: milliseconds since 1970 UTC. */
export type AuditSearch = Readonly<Partial<Record<(typeof auditNames)[number], string>>>;

export const readAuditSearch = (raw: Raw): AuditSearch => {
  const search: AuditSearch = textsOf(raw, auditNames);
  if (actorKinds.some((kind) => kind === search.actorKind)) return search;
  const { actorKind: _, ...rest } = search;
  return rest;
};

const jobsNames = ['state', 'kind', 'about', 'error', 'since', 'sort'] as const;

export type JobsSearch = Readonly<Partial<Record<(typeof jobsNames)[number], string>>>;

export const readJobsSearch = (raw: Raw): JobsSearch => textsOf(raw, jobsNames);

/** The parameters of a page stand in the address by their own names. */
export const readParams = (raw: Raw): Record<string, string> =>
  Object.fromEntries(Object.entries(raw).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])));

/** Returns the query of an address as people write it, without quotes around texts. */
export const stringifySearch = (search: Raw): string => {
  const pairs = Object.entries(search).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString().replaceAll('%2C', ',')}`;
};

export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));
