/** The bus over Redis pub/sub (see bus.ts): publishes on the command connection, hears on a connection of its own. */
import type { Redis } from 'ioredis';
import { channels, type Bus } from './bus.ts';
import { closeClient, openClient, patient, type RedisAddress } from './client.ts';

/** How often Redis is asked whether it is there: a frozen one keeps its connections open. */
const pingMs = 1000;

/**
 * Sends a text; those like it that come before Redis has taken it become one more. Nudges of many changes at once cost
 * Redis and whoever hears them as much as a few do.
 */
const mergingSender = (send: (text: string) => Promise<unknown>): ((text: string) => void) => {
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

/** Makes the bus; the subscriber connection is opened by the first `subscribe`. `command` stays the caller's to close. */
export const openRedisBus = (address: RedisAddress, command: Redis): Bus => {
  const full = (channel: string): string => `${address.prefix}:${channel}`;
  const hearers = new Map<string, Set<(text: string) => void>>();
  let subscriber: Redis | null = null;
  let up = command.status === 'ready';

  const mark = (now: boolean) => (): void => {
    up = now;
  };
  command.on('ready', mark(true)).on('close', mark(false)).on('end', mark(false));
  const ping = setInterval(() => {
    if (command.status === 'ready') command.ping().then(mark(true), mark(false));
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

  const open = (): Redis => {
    // Our own map is what counts, whatever was in flight when a connection was lost: each new one gets all of it.
    const client = openClient(address, { ...patient, autoResubscribe: false, enableOfflineQueue: false });
    client.on('message', hear);
    client.on('ready', () => {
      if (hearers.size > 0) client.subscribe(...hearers.keys()).catch(address.onError);
    });
    return client;
  };

  const nudge = mergingSender((text) => command.publish(full(channels.nudge), text));

  return {
    publish: (channel, text) => {
      // Nothing is sent to a Redis that doesn't answer: it would pile up in the socket.
      if (!up) return;
      if (channel === channels.nudge) nudge(text);
      else command.publish(full(channel), text).catch(() => undefined);
    },
    subscribe: (channel, hearer) => {
      const key = full(channel);
      subscriber ??= open();
      const known = hearers.get(key);
      const own = known ?? new Set();
      // A wrapper, so that one function may hear twice and each answer ends its own.
      const entry = (text: string): void => {
        hearer(text);
      };
      own.add(entry);
      if (known === undefined) {
        hearers.set(key, own);
        if (subscriber.status === 'ready') subscriber.subscribe(key).catch(address.onError);
      }
      return () => {
        if (!own.delete(entry) || own.size > 0) return;
        hearers.delete(key);
        if (subscriber?.status === 'ready') subscriber.unsubscribe(key).catch(address.onError);
      };
    },
    get up() {
      return up;
    },
    close: async () => {
      clearInterval(ping);
      hearers.clear();
      if (subscriber !== null) await closeClient(subscriber);
    },
  };
};
