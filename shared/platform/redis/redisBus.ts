/** The bus (bus.ts) over Redis pub/sub: seals and publishes on the command connection, receives on a subscriber connection and opens. */
import { Cluster, type Redis } from 'ioredis';
import { channels, type Bus } from './bus.ts';
import { type StickyNode, type RedisAddress, type RedisClient, createStickyNode } from './client.ts';
import type { RefusalReporter } from './droppedMessages.ts';
import type { KeyRing } from './keyRing.ts';
import { createMessageSeal } from './messageSeal.ts';
import { openSubscriber, type SubscriberConnection } from './subscriberConnection.ts';

/** Time between two pings in ms: a frozen Redis keeps its connections open. */
const pingIntervalMs = 1000;

/**
 * Returns a function that sends a text. Equal texts that come while one is being sent become one more, so that the wake
 * signals of many changes cost Redis and the subscribers as much as a few.
 */
const coalescingSender = (send: (text: string) => Promise<unknown>): ((text: string) => void) => {
  const sending = new Set<string>();
  const repeat = new Set<string>();
  const sendOne = (text: string): void => {
    if (sending.has(text)) {
      repeat.add(text);
      return;
    }
    sending.add(text);
    const sent = (): void => {
      sending.delete(text);
      if (repeat.delete(text)) sendOne(text);
    };
    send(text).then(sent, sent);
  };
  return sendOne;
};

/** Returns the node that messages are published through: the single server, or one node of the cluster. */
const getPublishTarget = (command: RedisClient): StickyNode =>
  command instanceof Cluster ? createStickyNode(command) : { get: (): Redis => command, discard: () => undefined };

/** What keeps others with access to Redis out. */
export interface RedisSecurity {
  /** Closed by whoever closes the connections. */
  readonly keys: KeyRing;
  /** Called for each message or job that is refused. */
  readonly onRefused: RefusalReporter;
}

/** Opens the bus. The first `subscribe` opens the subscriber connection. The caller closes `command`. */
export const openRedisBus = (address: RedisAddress, command: RedisClient, security: RedisSecurity): Bus => {
  const seal = createMessageSeal(security.keys);
  const full = (channel: string): string => `${address.prefix}:${channel}`;
  const subscribers = new Map<string, Set<(text: string) => void>>();
  const waiting = new Set<() => void>();
  const server = getPublishTarget(command);
  let connection: SubscriberConnection | null = null;
  let isUp = command.status === 'ready';

  const mark = (now: boolean) => (): void => {
    isUp = now;
  };
  command.on('ready', mark(true)).on('close', mark(false)).on('end', mark(false));
  const ping = setInterval(() => {
    if (command.status !== 'ready') return;
    server
      .get()
      ?.ping()
      .then(mark(true), () => {
        mark(false)();
        server.discard();
      });
  }, pingIntervalMs);
  ping.unref();

  const onMessage = (channel: string, message: Buffer): void => {
    const own = subscribers.get(channel);
    if (own === undefined) return;
    const opened = seal.open(channel, message);
    if (opened.kind === 'dropped') security.onRefused(opened.why);
    else emit(own, opened.text);
  };
  const onSubscribed = (): void => {
    emit(waiting, '');
  };
  const emit = (own: ReadonlySet<(text: string) => void>, text: string): void => {
    for (const subscriber of own) {
      try {
        subscriber(text);
      } catch (error) {
        address.onError(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };

  const send = async (channel: string, text: string): Promise<void> => {
    const sealed = seal.seal(full(channel), text);
    if (sealed !== null) await server.get()?.publish(full(channel), sealed);
  };
  const sendWakeSignal = coalescingSender((text) => send(channels.workAvailable, text));

  return {
    publish: (channel, text) => {
      // Texts to a Redis that doesn't answer would pile up in the socket.
      if (!isUp) return;
      if (channel === channels.workAvailable) sendWakeSignal(text);
      else send(channel, text).catch(() => undefined);
    },
    subscribe: (channel, subscriber) => {
      const key = full(channel);
      connection ??= openSubscriber({
        address,
        command,
        channels: () => [...subscribers.keys()],
        onMessage,
        onSubscribed,
      });
      const known = subscribers.get(key);
      const own = known ?? new Set();
      // A wrapper, so that one function may subscribe twice and each returned function ends one subscription.
      const entry = (text: string): void => {
        subscriber(text);
      };
      own.add(entry);
      if (known === undefined) {
        subscribers.set(key, own);
        connection.add(key);
      }
      return () => {
        if (!own.delete(entry) || own.size > 0) return;
        subscribers.delete(key);
        connection?.remove(key);
      };
    },
    onSubscribed: (listener) => {
      waiting.add(listener);
      return () => waiting.delete(listener);
    },
    countSubscribers: async (channel) => {
      if (command instanceof Cluster || !isUp) return null;
      const counts = await command.pubsub('NUMSUB', full(channel)).catch(() => null);
      return counts === null ? null : Number(counts[1]);
    },
    get connected() {
      return isUp;
    },
    close: async () => {
      clearInterval(ping);
      subscribers.clear();
      await connection?.close();
    },
  };
};
