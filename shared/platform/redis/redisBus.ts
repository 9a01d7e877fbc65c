/** The bus over Redis pub/sub (see bus.ts): publishes on the command connection, hears on a connection of its own. */
import { Cluster, type Redis } from 'ioredis';
import { channels, type Bus } from './bus.ts';
import type { RedisAddress, RedisClient } from './client.ts';
import { createStickyNode, type StickyNode } from './cluster.ts';
import { openSubscriber, type SubscriberConnection } from './subscriberConnection.ts';

/** How often Redis is asked whether it is there: a frozen one keeps its connections open. */
const pingMs = 1000;

/**
 * Sends a text; those like it that come before Redis has taken it become one more. Nudges of many changes at once cost
 * Redis and whoever hears them as much as a few do.
 */
const coalescingSender = (send: (text: string) => Promise<unknown>): ((text: string) => void) => {
  const under = new Set<string>();
  const again = new Set<string>();
  const sendOne = (text: string): void => {
    if (under.has(text)) {
      again.add(text);
      return;
    }
    under.add(text);
    const sent = (): void => {
      under.delete(text);
      if (again.delete(text)) sendOne(text);
    };
    send(text).then(sent, sent);
  };
  return sendOne;
};

/** Whom messages are published to: a single server, or one node of a cluster. */
const getPublishTarget = (command: RedisClient): StickyNode =>
  command instanceof Cluster ? createStickyNode(command) : { get: (): Redis => command, discard: () => undefined };

/** Makes the bus; the subscriber connection is opened by the first `subscribe`. `command` stays the caller's to close. */
export const openRedisBus = (address: RedisAddress, command: RedisClient): Bus => {
  const full = (channel: string): string => `${address.prefix}:${channel}`;
  const hearers = new Map<string, Set<(text: string) => void>>();
  const server = getPublishTarget(command);
  let hearing: SubscriberConnection | null = null;
  let up = command.status === 'ready';

  const mark = (now: boolean) => (): void => {
    up = now;
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
  }, pingMs);
  ping.unref();

  const hear = (channel: string, text: string): void => {
    for (const hearer of hearers.get(channel) ?? []) {
      try {
        hearer(text);
      } catch (error) {
        address.onError(error instanceof Error ? error : new Error(String(error)));
      }
    }
  };

  const send = async (channel: string, text: string): Promise<void> => {
    await server.get()?.publish(full(channel), text);
  };
  const nudge = coalescingSender((text) => send(channels.workAvailable, text));

  return {
    publish: (channel, text) => {
      // Nothing is sent to a Redis that doesn't answer: it would pile up in the socket.
      if (!up) return;
      if (channel === channels.workAvailable) nudge(text);
      else send(channel, text).catch(() => undefined);
    },
    subscribe: (channel, hearer) => {
      const key = full(channel);
      hearing ??= openSubscriber({ address, command, channels: () => [...hearers.keys()], onMessage: hear });
      const known = hearers.get(key);
      const own = known ?? new Set();
      // A wrapper, so that one function may hear twice and each answer ends its own.
      const entry = (text: string): void => {
        hearer(text);
      };
      own.add(entry);
      if (known === undefined) {
        hearers.set(key, own);
        hearing.add(key);
      }
      return () => {
        if (!own.delete(entry) || own.size > 0) return;
        hearers.delete(key);
        hearing?.remove(key);
      };
    },
    get connected() {
      return up;
    },
    close: async () => {
      clearInterval(ping);
      hearers.clear();
      await hearing?.close();
    },
  };
};
