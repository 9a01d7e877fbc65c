/**
 * Seals the messages that processes send each other through Redis, for redisBus.ts: who reads them learns channel, sender and
 * size, and who writes or repeats them has no effect.
 *
 * AES-256-GCM. Each sender encrypts with a key of its own, an HMAC of its random name under the day's key (keyRing.ts), so that
 * its counter alone makes every nonce unique. The tag covers the header below and the channel, which names the target.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import type { KeyRing } from './keyRing.ts';

/** Bytes of the header: form, day of the key, sender, counter, time. Nonces are counter and time. */
const dayAt = 1;
const senderAt = 5;
const counterAt = 21;
const timeAt = 27;
const headerBytes = 33;
const tagBytes = 16;
const form = 1;
/** A call of an app and a batch of live messages are smaller (4 MiB and 1 MB with a row more). */
const messageBytesMax = 16 * 1024 * 1024;

/** How far a message's time may be from PostgreSQL's, in ms. */
const ageMaxMs = 60_000;

/** Why a message is dropped. */
export type DropReason = 'malformed' | 'unknown key' | 'old' | 'repeated' | 'forged';

type OpenedMessage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'dropped'; readonly why: DropReason };

interface MessageSeal {
  /** Returns the message to publish on `channel`; null while no key is known. */
  seal(channel: string, text: string): Buffer | null;
  /** Returns the text of a message, once, or why it is dropped. */
  open(channel: string, message: Buffer): OpenedMessage;
}

/** The state of a sender of messages that were opened. */
interface Sender {
  /** Its key of the last message, and the day's key that it was derived from. */
  readonly dayKey: KeyObject;
  readonly key: KeyObject;
  /** The counter of its last message: those of one sender come in order, on whichever channels. */
  readonly counter: number;
  /** Until then its messages are young enough to be repeated, in epoch ms. */
  readonly until: number;
}

const dropped = (why: DropReason): OpenedMessage => ({ kind: 'dropped', why });

const deriveKey = (key: KeyObject, sender: Buffer): KeyObject =>
  createSecretKey(createHmac('sha256', key).update(sender).digest());

const decrypt = (key: KeyObject, message: Buffer, channel: string): string | null => {
  const decipher = createDecipheriv('aes-256-gcm', key, message.subarray(counterAt, headerBytes));
  decipher.setAAD(Buffer.concat([message.subarray(0, headerBytes), Buffer.from(channel)]));
  decipher.setAuthTag(message.subarray(-tagBytes));
  const text = decipher.update(message.subarray(headerBytes, -tagBytes));
  try {
    decipher.final();
  } catch {
    return null;
  }
  return text.toString();
};

export const createMessageSeal = (ring: Pick<KeyRing, 'now' | 'today' | 'find' | 'request'>): MessageSeal => {
  const self = randomBytes(counterAt - senderAt);
  let own: { readonly dayKey: KeyObject; readonly key: KeyObject } | null = null;
  let counter = 0;
  const senders = new Map<string, Sender>();
  let sweptAt = 0;

  const getOwnKey = (day: number): KeyObject | null => {
    const dayKey = ring.find(day);
    if (dayKey === undefined) {
      ring.request();
      return null;
    }
    if (own?.dayKey !== dayKey) own = { dayKey, key: deriveKey(dayKey, self) };
    return own.key;
  };

  const forgetSilent = (now: number): void => {
    if (now - sweptAt < ageMaxMs) return;
    sweptAt = now;
    for (const [name, { until }] of senders) if (until < now) senders.delete(name);
  };

  const open = (channel: string, message: Buffer): OpenedMessage => {
    if (message.length < headerBytes + tagBytes || message.length > messageBytesMax || message[0] !== form)
      return dropped('malformed');
    const now = ring.now();
    const time = message.readUIntBE(timeAt, 6);
    if (Math.abs(now - time) > ageMaxMs) return dropped('old');
    const dayKey = ring.find(message.readUInt32BE(dayAt));
    if (dayKey === undefined) {
      ring.request();
      return dropped('unknown key');
    }
    const name = message.toString('latin1', senderAt, counterAt);
    const known = senders.get(name);
    const number = message.readUIntBE(counterAt, 6);
    if (known !== undefined && number <= known.counter) return dropped('repeated');
    const key = known?.dayKey === dayKey ? known.key : deriveKey(dayKey, message.subarray(senderAt, counterAt));
    const text = decrypt(key, message, channel);
    if (text === null) {
      // After a restore or a failover that lost the row, the day may have another key.
      ring.request();
      return dropped('forged');
    }
    senders.set(name, { dayKey, key, counter: number, until: Math.max(known?.until ?? 0, time + ageMaxMs) });
    forgetSilent(now);
    return { kind: 'text', text };
  };

  return {
    seal: (channel, text) => {
      const day = ring.today();
      const key = getOwnKey(day);
      if (key === null) return null;
      counter += 1;
      const header = Buffer.alloc(headerBytes);
      header.writeUInt8(form, 0);
      header.writeUInt32BE(day, dayAt);
      self.copy(header, senderAt);
      header.writeUIntBE(counter, counterAt, 6);
      header.writeUIntBE(Math.round(ring.now()), timeAt, 6);
      const cipher = createCipheriv('aes-256-gcm', key, header.subarray(counterAt));
      cipher.setAAD(Buffer.concat([header, Buffer.from(channel)]));
      return Buffer.concat([header, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open,
  };
};
