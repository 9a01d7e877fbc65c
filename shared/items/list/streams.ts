/**
 * The ordered indexes that item lists are read from: one branch for each inbox (and state), merged in order by PostgreSQL.
 * Used by items/list/.
 */
import type { SqlValue } from '../../platform/db/sql.ts';
import { requestedFilters } from './filters.ts';
import type { ItemCountRequest, ItemFilterName, ItemListRequest } from './request.ts';

/** One index. PostgreSQL only uses a partial index when `where` repeats its definition word for word. */
export interface ItemStream {
  readonly name: string;
  /** The column that the index is ordered by before the id; null: by the id alone. */
  readonly key: 'last_seen' | 'first_seen' | 'occurrences' | 'users' | 'title_key' | 'due_at' | null;
  /** What a branch is: an inbox; a state or a person of one; a priority in a state; or the open or closed items in a state, with bounds of the key. */
  readonly by: 'inbox' | 'state' | 'assignee' | 'deadline' | 'priority';
  /** The place of the priorities that a stream by priority holds, in the lists of its inboxes; absent: the stream holds all of them. */
  readonly rank?: number;
  readonly where: string;
  /** The filters because of which the stream has fewer rows than the table. */
  readonly narrows: readonly ItemFilterName[];
  /** Those of `narrows` that every row of the stream fits. */
  readonly satisfies: readonly ItemFilterName[];
  /** The only filter of requests that read this stream; `by` needs columns of the index alone, so rows are skipped unfetched. */
  readonly skips?: { readonly filter: ItemFilterName; readonly by: string; readonly columns: string };
}

const byActivity = (name: string, where: string, narrows: ItemFilterName[], satisfies = narrows): ItemStream => ({
  name,
  key: 'last_seen',
  by: 'inbox',
  where,
  narrows,
  satisfies,
});
const byState = { by: 'state', where: '', narrows: ['states'], satisfies: ['states'] } as const;

export const itemStreams = {
  seen: byActivity('seen', '', []),
  assigned: { ...byActivity('assigned', '', ['assignees']), by: 'assignee' },
  unassigned: byActivity('unassigned', 'and i.assignee is null', ['assignees']),
  snoozed: byActivity('snoozed', 'and i.snoozed_until is not null', ['snoozed'], []),
  triaged: byActivity('triaged', 'and i.triaged', ['triaged']),
  over: byActivity('over', 'and i.due_at is not null and not i.closed', ['overdue'], []),
  overdue: {
    ...byActivity('overdue', 'and i.due_at is not null and not i.closed', ['overdue'], []),
    skips: { filter: 'overdue', by: 'i.due_at < $now::bigint', columns: 'i.id, i.last_seen, i.due_at' },
  },
  state: { ...byState, name: 'state', key: 'last_seen' },
  first: { ...byState, name: 'first', key: 'first_seen' },
  occurrences: { ...byState, name: 'occurrences', key: 'occurrences' },
  users: { ...byState, name: 'users', key: 'users' },
  title: { ...byState, name: 'title', key: 'title_key' },
  due: {
    name: 'due',
    key: 'due_at',
    by: 'deadline',
    where: 'and i.due_at is not null',
    narrows: ['states', 'overdue'],
    satisfies: ['states', 'overdue'],
  },
  undue: { ...byState, name: 'undue', key: null, where: 'and i.due_at is null' },
  priority: {
    name: 'priority',
    key: null,
    by: 'priority',
    where: '',
    narrows: ['states', 'priority'],
    satisfies: ['states', 'priority'],
  },
} as const satisfies Record<string, ItemStream>;

/** Returns whether the request filters by anything but `overdue` and the time of activity. */
const hasOtherFilters = (request: ItemCountRequest): boolean =>
  requestedFilters(request).some((filter) => filter !== 'overdue' && filter !== 'seen');

/** Returns the stream by activity that has the fewest rows for the request. */
export const activityStream = (request: ItemCountRequest): ItemStream => {
  if (request.snoozed === true) return itemStreams.snoozed;
  const { assignees } = request;
  if (assignees !== null && !assignees.includes('none')) return itemStreams.assigned;
  if (request.overdue === true) return hasOtherFilters(request) ? itemStreams.over : itemStreams.overdue;
  if (request.triaged === true) return itemStreams.triaged;
  if (request.states !== null) return itemStreams.state;
  return assignees?.length === 1 ? itemStreams.unassigned : itemStreams.seen;
};

/** Returns the streams of a sort, which are read one after the other. */
export const streamsForSort = (request: ItemListRequest): readonly ItemStream[] => {
  switch (request.sort) {
    case 'lastSeen':
      return [activityStream(request)];
    case 'firstSeen':
      return [itemStreams.first];
    case 'occurrences':
      return [itemStreams.occurrences];
    case 'users':
      return [itemStreams.users];
    case 'title':
      return [itemStreams.title];
    // Items without a deadline are never overdue.
    case 'due':
      return request.overdue === true ? [itemStreams.due] : [itemStreams.due, itemStreams.undue];
    // A stream for each place in the inboxes' lists: their order holds for items at once when an app declares another.
    case 'priority': {
      const ranks = Math.max(...request.inboxes.map(({ priorities }) => priorities.length), 1);
      const streams = Array.from({ length: ranks }, (_, rank): ItemStream => ({ ...itemStreams.priority, rank }));
      return request.descending ? streams.reverse() : streams;
    }
  }
};

/** The branches of a stream, as arrays of parameters; `least` and `below` bound the key (half-open). */
interface Branches extends Readonly<Record<string, SqlValue>> {
  readonly inbox: (string | null)[];
  readonly state: (string | null)[];
  readonly assignee: (string | null)[];
  readonly priority: (string | null)[];
  readonly closed: ('true' | 'false' | null)[];
  readonly least: (number | null)[];
  readonly below: (number | null)[];
}

const timeMax = Number.MAX_SAFE_INTEGER;

interface Branch {
  readonly state?: string;
  readonly assignee?: string;
  readonly priority?: string;
  readonly closed?: 'true' | 'false';
  readonly least?: number;
  readonly below?: number;
}

export const branchesOf = (
  stream: ItemStream,
  { inboxes, states, assignees, overdue, now, priority: wanted }: ItemCountRequest,
): Branches => {
  const branches: Branches = { inbox: [], state: [], assignee: [], priority: [], closed: [], least: [], below: [] };
  const add = (inbox: string, { state, assignee, priority, closed, least, below }: Branch): void => {
    branches.inbox.push(inbox);
    branches.state.push(state ?? null);
    branches.assignee.push(assignee ?? null);
    branches.priority.push(priority ?? null);
    branches.closed.push(closed ?? null);
    branches.least.push(least ?? null);
    branches.below.push(below ?? null);
  };
  for (const inbox of inboxes) {
    if (stream.by === 'inbox') {
      add(inbox.name, {});
      continue;
    }
    if (stream.by === 'assignee') {
      for (const assignee of new Set(assignees)) add(inbox.name, { assignee });
      continue;
    }
    for (const state of new Set(inbox.states)) {
      if (states !== null && !states.includes(state)) continue;
      if (stream.by === 'priority') {
        const { rank } = stream;
        for (const priority of rank === undefined ? inbox.priorities.flat() : (inbox.priorities[rank] ?? []))
          if (wanted === null || wanted.includes(priority)) add(inbox.name, { state, priority });
        continue;
      }
      if (stream.by === 'state') {
        add(inbox.name, { state });
        continue;
      }
      const [least, below] = [overdue === false ? now : -timeMax, overdue === true ? now : timeMax];
      add(inbox.name, { state, closed: 'false', least, below });
      if (overdue !== true) add(inbox.name, { state, closed: 'true', least: -timeMax, below: timeMax });
    }
  }
  return branches;
};
