/** Session of an environment, shared by all pages: API client, item store, live stream, undo and notices; reading by it, and what is still on screen when an answer comes. */
import {
  useQuery,
  type InfiniteData,
  type QueryClient,
  type QueryKey,
  type UseQueryOptions,
} from '@tanstack/react-query';
import { createContext, useContext, useEffect, useRef, type RefObject } from 'react';
import { liveUrl, openStream, type Stream } from '../live/stream.ts';
import { readDraft, writeDraft } from '../ui/draft.ts';
import { createHttp, type Http } from '../wire/http.ts';
import { createItemStore, type ItemStore } from '../wire/itemStore.ts';
import { type ItemPage, type ReadItem, isFinished, keys, newerBulk } from '../wire/queries.ts';
import { startRecovery } from '../wire/recovery.ts';
import { type RunStore, createRunStore, hearRun, readRequestsAnew, runKeys } from '../wire/runStore.ts';
import { createSendings, type Sendings } from '../wire/sendings.ts';
import { createTimelines, type Timelines } from '../wire/timelines.ts';
import type { Bulk, Counts, Flag, LiveMessage, Me } from '../wire/types.ts';
import { createNotices, type Notices } from './notices.ts';

export interface Session {
  readonly environment: string;
  readonly http: Http;
  readonly items: ItemStore;
  readonly timelines: Timelines;
  readonly runs: RunStore;
  readonly sendings: Sendings;
  readonly notices: Notices;
  readonly queries: QueryClient;
  /** Opens on first use, once the person is signed in. */
  stream(): Stream;
  close(): void;
}

/** How often items are forgotten that no answer in the cache has any more. */
const forgetMs = 60_000;

/** Returns the ids of the items that answers in the cache have. */
const cachedItems = (queries: QueryClient): ReadonlySet<string> => {
  const lists = queries.getQueriesData<InfiniteData<ItemPage>>({ queryKey: keys.items });
  return new Set([
    ...lists.flatMap(([, list]) => list?.pages.flatMap(({ ids }) => ids) ?? []),
    ...queries.getQueriesData<ReadItem>({ queryKey: ['item'] }).flatMap(([, read]) => read?.item.id ?? []),
  ]);
};

const hearBulk = (queries: QueryClient, bulk: Bulk): void => {
  queries.setQueryData<Bulk>(keys.bulk(bulk.id), (known) => newerBulk(known, bulk));
  const isListed = queries.getQueryData<readonly Bulk[]>(keys.bulks)?.some(({ id }) => id === bulk.id) === true;
  if (!isListed || isFinished(bulk)) void queries.invalidateQueries({ queryKey: keys.bulks });
};

/** ms in which the queue of requests is read anew once at most: one that has hundreds is several answers. */
const queueMs = 250;

/** Returns a function that runs `work` at once, and of calls that follow soon once more at the end of the time. */
const atMostEvery = (ms: number, work: () => void): (() => void) => {
  let isResting = false;
  let isDue = false;
  const run = (): void => {
    isResting = true;
    isDue = false;
    work();
    window.setTimeout(() => {
      isResting = false;
      if (isDue) run();
    }, ms);
  };
  return () => {
    if (isResting) isDue = true;
    else run();
  };
};

interface Hearing extends Pick<Session, 'queries' | 'items' | 'timelines' | 'runs'> {
  readonly readQueueAnew: () => void;
}

const apply = ({ queries, items, timelines, runs, readQueueAnew }: Hearing, message: LiveMessage): void => {
  switch (message.type) {
    case 'hello':
      queries.setQueryData<Counts>(keys.counts, { inboxes: message.counts, approvals: message.approvals });
      // Passing messages are not replayed.
      if (message.resumed) void queries.invalidateQueries({ queryKey: keys.savedViews });
      return;
    case 'counts':
      queries.setQueryData<Counts>(keys.counts, (known) =>
        known === undefined
          ? known
          : {
              inboxes: { ...known.inboxes, ...message.inboxes },
              approvals: message.approvals ?? known.approvals,
            },
      );
      return;
    case 'item':
      items.hear(message.item);
      readRequestsAnew(queries, ({ item }) => item === message.item.id);
      return;
    case 'claim':
      items.hearClaim(message.item, message.claim);
      return;
    case 'timeline':
      timelines.hear(message.item, message.entry);
      return;
    case 'approval':
      readQueueAnew();
      void queries.invalidateQueries({ queryKey: keys.approval(message.approval.id) });
      return;
    case 'run':
      hearRun(queries, runs, message.run);
      return;
    case 'flag': {
      const { flag } = message;
      queries.setQueryData<Flag>(keys.flag(flag.flag), (known) =>
        known === undefined || known.version > flag.version ? known : flag,
      );
      queries.setQueryData<readonly Flag[]>(keys.flags, (known) =>
        known?.map((each) => (each.flag === flag.flag && each.version < flag.version ? flag : each)),
      );
      void queries.invalidateQueries({ queryKey: keys.flagHistory(flag.flag) });
      readRequestsAnew(queries, (approval) => approval.flag === flag.flag);
      return;
    }
    case 'view':
      void queries.invalidateQueries({ queryKey: keys.savedViews });
      void queries.resetQueries({ queryKey: [...keys.items, { view: message.view.id }] });
      return;
    case 'bulk':
      hearBulk(queries, message.bulk);
      return;
    case 'read':
    case 'app':
    case 'pong':
    case 'reset':
      return;
    default:
  }
};

/** `onSessionEnd`: an answer said that nobody is signed in any more. */
export const createSession = (environment: string, queries: QueryClient, onSessionEnd: () => void): Session => {
  const http = createHttp(environment, { onSessionEnd, onUnreachable: () => stream?.lose() });
  const items = createItemStore();
  const timelines = createTimelines(queries);
  const runs = createRunStore();
  let stream: Stream | null = null;
  let forgetting = 0;
  const endRecovery = startRecovery(queries);
  const readQueueAnew = atMostEvery(queueMs, () => {
    void queries.invalidateQueries({ queryKey: keys.approvals });
    // A request names the others on its target.
    void queries.invalidateQueries({ queryKey: keys.everyApproval });
  });
  const readAnew = (): void => {
    void queries.invalidateQueries();
  };
  const readRole = (): string => JSON.stringify(queries.getQueryData<Me>(keys.me)?.role);
  /** The role when the stream was lost; null: it is there. */
  let lostRole: string | null = null;
  /** Reads everything anew where the role has changed while the stream was away: no message of a stream that goes on tells it. */
  const followRole = async (isResumed: boolean): Promise<void> => {
    const before = lostRole;
    lostRole = null;
    if (before === null || !isResumed) return;
    await queries.invalidateQueries({ queryKey: keys.me });
    if (readRole() !== before) readAnew();
  };
  return {
    environment,
    http,
    items,
    timelines,
    runs,
    sendings: createSendings({ read: readDraft, write: writeDraft }),
    notices: createNotices(),
    queries,
    stream: () => {
      if (stream !== null) return stream;
      forgetting = window.setInterval(() => {
        // An answer under way may bring items that the cache does not have yet.
        if (queries.isFetching() === 0) items.keepOnly(cachedItems(queries));
      }, forgetMs);
      stream = openStream({
        url: liveUrl(http),
        onMessage: (message) => {
          http.hear(message.offset);
          apply({ queries, items, timelines, runs, readQueueAnew }, message);
          if (message.type === 'hello') void followRole(message.resumed);
          // Responses read before the stream began may lack later changes, unless both began at one position.
          if (message.type === 'hello' && !message.resumed)
            void queries.invalidateQueries({
              predicate: ({ queryKey, state: { data } }) =>
                queryKey[0] === runKeys.lists[0] ||
                (typeof data === 'object' && data !== null && 'offset' in data && data.offset !== message.offset),
            });
        },
        onReset: readAnew,
        onLost: () => {
          lostRole ??= readRole();
          void queries.invalidateQueries({ queryKey: keys.me });
        },
      });
      return stream;
    },
    close: () => {
      window.clearInterval(forgetting);
      endRecovery();
      stream?.close();
    },
  };
};

export const SessionContext = createContext<Session | null>(null);

/** Returns the session of the environment that is shown. */
export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('There is no session here.');
  return session;
};

/** Reads by a query that needs no more than the API of the environment. */
export const useRead = <T, K extends QueryKey>(
  query: (http: Http) => UseQueryOptions<T, Error, T, K>,
  options: Pick<UseQueryOptions<T, Error, T, K>, 'enabled'> = {},
) => useQuery({ ...query(useSession().http), ...options });

/** Returns the ref of what a component shows, for answers that come later; null: something else is on screen by then. */
export const useOnScreen = <T>(shown: T): RefObject<T | null> => {
  const current = useRef<T | null>(null);
  useEffect(() => {
    current.current = shown;
    return () => {
      current.current = null;
    };
  }, [shown]);
  return current;
};
