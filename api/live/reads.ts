/**
 * What agents read, told to those who watch them (`/live?agent=`) and not kept. A process that has such a stream says so
 * through Redis as long as it has it; the others publish what that agent reads, and nothing while nobody watches.
 */
import type { Access } from '../../shared/accounts/access/access.ts';
import { type Caller, toActorRef } from '../../shared/accounts/access/principal.ts';
import { type Sight, sightOf, seesAllOf } from '../../shared/accounts/access/sight.ts';
import type { ActorRef } from '../../shared/catalogue/events.ts';
import type { NamedKind } from '../../shared/catalogue/permissions.ts';
import type { Deps } from '../../shared/deps.ts';
import { queryRows, statement } from '../../shared/platform/db/sql.ts';
import { type EphemeralMessage, channels } from '../../shared/platform/redis/bus.ts';

/** An object that was read, and the name by which a role sees it or not. */
interface ReadTarget {
  readonly type: string;
  /** The id; of a record with its resource before it: `order:ord_1`. */
  readonly id: string;
  /** null: the target is shown only to roles that see all that the agent sees. */
  readonly seenBy: { readonly kind: NamedKind; readonly name: string } | null;
}

export interface ReadPart {
  readonly type: 'read';
  readonly agent: ActorRef;
  readonly verb: string;
  readonly via: 'http' | 'mcp';
  readonly targets: readonly ReadTarget[];
  /** The parameters; null: they were not understood. */
  readonly query: Readonly<Record<string, unknown>> | null;
  readonly outcome: 'ok' | 'denied' | 'failed';
  readonly code: string | null;
  /** What the agent's role sees; it is not sent. */
  readonly sight: Sight;
}

export interface ShownRead extends Omit<ReadPart, 'sight' | 'targets'> {
  readonly targets: readonly Pick<ReadTarget, 'type' | 'id'>[];
}

/**
 * Returns the read as a role sees it, or null. The agent's words (its parameters) may come from anything that it sees, so
 * they are only shown to a role that sees as much; of a read of things that the role does not see nothing is told.
 */
export const presentRead = ({ sight, targets, query, ...part }: ReadPart, access: Access): ShownRead | null => {
  const seesAll = seesAllOf(access, sight);
  const seen = targets.filter(({ seenBy }) => seesAll || (seenBy !== null && access.sees(seenBy.kind, seenBy.name)));
  if (targets.length > 0 && seen.length === 0) return null;
  return { ...part, targets: seen.map(({ type, id }) => ({ type, id })), query: seesAll ? query : null };
};

/** How often a process repeats whom its streams watch, and for how long the others believe it, in ms. */
const repeatMs = 5_000;
const believedMs = 15_000;
/** Reads that wait for the inboxes of their items to be looked up; further ones aren't told. */
const waitingMost = 1_000;

const readInboxes = statement(
  'live.inboxesOfItems',
  'select id, inbox from items where env = $1 and id = any($2::text[])',
);

/** A read without what the caller tells. */
export interface AgentRead extends Pick<ReadPart, 'verb' | 'via' | 'query' | 'outcome' | 'code' | 'targets'> {
  /** Ids of items; the inboxes by which they are seen are looked up. */
  readonly items: readonly string[];
}

export interface ReadFeed {
  /** Returns whether somebody watches the agent: false and nothing else while nobody watches any. */
  isWatched(env: number, agent: string | null): boolean;
  /** Begins to watch; the function that is returned ends it. */
  watch(env: number, agent: string): () => void;
  /** Publishes a read of the caller to the streams that watch it; of several reads of one call with the same verb, the first. */
  tell(caller: Caller, read: AgentRead): void;
  stop(): void;
}

const keyOf = (env: number, agent: string): string => `${String(env)} ${agent}`;

export const createReadFeed = ({ db, bus, clock, log }: Deps): ReadFeed => {
  /** The number of this process's streams by whom they watch. */
  const own = new Map<string, { readonly env: number; readonly agent: string; streams: number }>();
  /** When what another process said ends, by whom it is about. */
  const heard = new Map<string, NodeJS.Timeout>();
  /** The call of a tool may read its endpoint several times. */
  const told = new WeakMap<Caller, string>();
  let waiting = 0;
  let before: Promise<void> = Promise.resolve();

  const say = (watched: { readonly env: number; readonly agent: string }): void => {
    bus.publish(channels.watched, JSON.stringify({ env: watched.env, agent: watched.agent }));
  };
  const unsubscribe = bus.subscribe(channels.watched, (text) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only processes of this service publish here
    const { env, agent } = JSON.parse(text) as { env: number; agent: string };
    const key = keyOf(env, agent);
    clearTimeout(heard.get(key));
    heard.set(key, setTimeout(() => heard.delete(key), believedMs).unref());
  });
  const repeat = setInterval(() => {
    for (const watched of own.values()) say(watched);
  }, repeatMs).unref();

  const targetsOf = async (env: number, { items, targets }: AgentRead): Promise<readonly ReadTarget[]> => {
    if (items.length === 0) return targets;
    const rows = await queryRows<{ id: string; inbox: string }>(db, readInboxes, [env, items]);
    const inboxes = new Map(rows.map(({ id, inbox }) => [id, inbox]));
    const found = items.map((id): ReadTarget => {
      const name = inboxes.get(id);
      return { type: 'item', id, seenBy: name === undefined ? null : { kind: 'inbox', name } };
    });
    return [...targets, ...found];
  };

  const publish = async ({ env, principal }: Caller, at: number, read: AgentRead): Promise<void> => {
    const { items: _, ...rest } = read;
    const part: ReadPart = {
      type: 'read',
      agent: toActorRef(principal),
      ...rest,
      targets: await targetsOf(env.id, read),
      sight: sightOf(principal.access),
    };
    const message: EphemeralMessage = { kind: 'passing', at, part };
    bus.publish(channels.live(env.id), JSON.stringify(message));
  };

  return {
    isWatched: (env, agent) =>
      (heard.size > 0 || own.size > 0) &&
      agent !== null &&
      (heard.has(keyOf(env, agent)) || own.has(keyOf(env, agent))),
    watch: (env, agent) => {
      const key = keyOf(env, agent);
      const watched = own.get(key) ?? { env, agent, streams: 0 };
      watched.streams += 1;
      own.set(key, watched);
      say(watched);
      return () => {
        watched.streams -= 1;
        if (watched.streams === 0) own.delete(key);
      };
    },
    tell: (caller, read) => {
      if (told.get(caller) === read.verb || waiting >= waitingMost) return;
      told.set(caller, read.verb);
      waiting += 1;
      const at = clock.now();
      before = before
        .then(() => publish(caller, at, read))
        .catch((error: unknown) => {
          log.debug({ err: error }, 'a read could not be told to those who watch the agent');
        })
        .finally(() => {
          waiting -= 1;
        });
    },
    stop: () => {
      clearInterval(repeat);
      unsubscribe();
      for (const timer of heard.values()) clearTimeout(timer);
      heard.clear();
    },
  };
};
