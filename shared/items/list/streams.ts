/** The ordered indexes that lists are read from: one branch for each inbox (and state), merged in order by PostgreSQL. */
import type { Value } from '../../platform/db/sql.ts';
import type { CountRequest, Filter, ListRequest } from './request.ts';

/** One index. `where` is repeated word for word from its definition, else PostgreSQL would not use it. */
export interface Stream {
  readonly name: string;
  /** The column it is ordered by before the id; null: by the id alone. */
  readonly key: 'last_seen' | 'first_seen' | 'occurrences' | 'users' | 'title_key' | 'due_at' | null;
  /** Whether its branches are inboxes alone, their states, or their states open and closed with bounds of the key. */
  readonly by: 'inbox' | 'state' | 'deadline';
  readonly where: string;
  /** The filters that leave it fewer rows than there are. */
  readonly narrows: readonly Filter[];
  /** Those of them that all of its rows pass. */
  readonly decides: readonly Filter[];
  /** The only filter that is asked with it, by columns that the index holds: so rows are skipped without being fetched. */
  readonly skips?: { readonly filter: Filter; readonly by: string; readonly columns: string };
}

const bySeen = (name: string, where: string, narrows: Filter[], decides = narrows): Stream => ({ name, key: 'last_seen', by: 'inbox', where, narrows, decides });
const byState = { by: 'state', where: '', narrows: ['states'], decides: ['states'] } as const;

export const streams = {
  seen: bySeen('seen', '', []),
  assigned: bySeen('assigned', 'and i.assignee = $assignee', ['assignee']),
  unassigned: bySeen('unassigned', 'and i.assignee is null', ['assignee']),
  snoozed: bySeen('snoozed', 'and i.snoozed_until is not null', ['snoozed'], []),
  triaged: bySeen('triaged', 'and i.triaged', ['triaged']),
  over: bySeen('over', 'and i.due_at is not null and not i.closed', ['overdue'], []),
  overdue: {
    ...bySeen('overdue', 'and i.due_at is not null and not i.closed', ['overdue'], []),
    skips: { filter: 'overdue', by: 'i.due_at < $now::bigint', columns: 'i.id, i.last_seen, i.due_at' },
  },
  state: { ...byState, name: 'state', key: 'last_seen' },
  first: { ...byState, name: 'first', key: 'first_seen' },
  occurrences: { ...byState, name: 'occurrences', key: 'occurrences' },
  users: { ...byState, name: 'users', key: 'users' },
  title: { ...byState, name: 'title', key: 'title_key' },
  due: { name: 'due', key: 'due_at', by: 'deadline', where: 'and i.due_at is not null', narrows: ['states', 'overdue'], decides: ['states', 'overdue'] },
  undue: { ...byState, name: 'undue', key: null, where: 'and i.due_at is null' },
} as const satisfies Record<string, Stream>;

/** Whether anything but `overdue` is asked. */
const others = ({ states, tags, assignee, words, triaged, snoozed }: CountRequest): boolean =>
  [states, tags, assignee, words, triaged, snoozed].some((value) => value !== null);

/** The newest activity, read from the index that leaves the fewest rows. */
export const seenStream = (request: CountRequest): Stream => {
  if (request.snoozed === true) return streams.snoozed;
  if (request.assignee !== null && request.assignee !== 'none') return streams.assigned;
  if (request.overdue === true) return others(request) ? streams.over : streams.overdue;
  if (request.triaged === true) return streams.triaged;
  if (request.states !== null) return streams.state;
  return request.assignee === null ? streams.seen : streams.unassigned;
};

/** The streams of a sort, one after the other. */
export const streamsOf = (request: ListRequest): readonly Stream[] => {
  switch (request.sort) {
    case 'lastSeen': return [seenStream(request)];
    case 'firstSeen': return [streams.first];
    case 'occurrences': return [streams.occurrences];
    case 'users': return [streams.users];
    case 'title': return [streams.title];
    // Nothing without a deadline is overdue.
    case 'due': return request.overdue === true ? [streams.due] : [streams.due, streams.undue];
  }
};

/** The branches of a stream, as arrays of parameters; `least` and `below` bound the key (half-open). */
export interface Branches extends Readonly<Record<string, Value>> {
  readonly inbox: (string | null)[];
  readonly state: (string | null)[];
  readonly closed: ('true' | 'false' | null)[];
  readonly least: (number | null)[];
  readonly below: (number | null)[];
}

const ever = Number.MAX_SAFE_INTEGER;

export const branchesOf = (stream: Stream, { inboxes, states, overdue, now }: CountRequest): Branches => {
  const branches: Branches = { inbox: [], state: [], closed: [], least: [], below: [] };
  const add = (inbox: string, state: string | null, closed: 'true' | 'false' | null, least: number | null, below: number | null): void => {
    branches.inbox.push(inbox);
    branches.state.push(state);
    branches.closed.push(closed);
    branches.least.push(least);
    branches.below.push(below);
  };
  for (const inbox of inboxes) {
    if (stream.by === 'inbox') {
      add(inbox.name, null, null, null, null);
      continue;
    }
    for (const state of new Set(inbox.states)) {
      if (states !== null && !states.includes(state)) continue;
      if (stream.by === 'state') {
        add(inbox.name, state, null, null, null);
        continue;
      }
      add(inbox.name, state, 'false', overdue === false ? now : -ever, overdue === true ? now : ever);
      if (overdue !== true) add(inbox.name, state, 'true', -ever, ever);
    }
  }
  return branches;
};
