/** Seals cursors of lists and offsets of the live stream: opaque to the client, not forgeable, and tied to an environment. Used by lists and api/live. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { fault } from '../../catalogue/errors.ts';

/** A place on an environment's stream: after part `part` of the row at `position`. Parts count from 0. */
interface Offset {
  readonly epoch: number;
  readonly position: number;
  readonly part: number;
}

/** The `part` of an offset after all parts of a position. */
export const lastPart = 255;

export interface Seal {
  /** Returns 22 characters, the same for equal places. */
  offset(place: Offset): string;
  /** Returns null when `text` was not made by this seal. */
  openOffset(text: string): Offset | null;
  /** Returns a cursor of `query` that carries `keys`, the place in its order. */
  cursor(query: string, keys: readonly (string | number | null)[]): string;
  /** Returns the keys of a cursor, or null without one. Throws `bad_cursor` when it was not made by this seal for this query. */
  openCursor(query: string, text: string | undefined): (string | number | null)[] | null;
}

/** Of a cursor: its MAC, and the initial counter of its encryption. */
const macBytes = 16;

const offsetForm = /^[A-Za-z0-9_-]{22}$/;
/** At least the MAC and `[]`, which are 18 bytes. */
const cursorForm = /^[A-Za-z0-9_-]{24,4096}$/;

/**
 * Returns the seal of one environment. An offset is one AES-128 block: a permutation, so that nothing of the numbers shows
 * and a changed character gives a block whose 3 marker bytes don't fit. A cursor is encrypted with an HMAC over its query and
 * keys as the initial counter (a synthetic IV as in RFC 5297); `openCursor` compares the HMAC.
 */
export const createSeal = (key: Buffer): Seal => {
  const blockKey = createHmac('sha256', key).update('offset').digest().subarray(0, 16);
  const macKey = createHmac('sha256', key).update('cursor').digest();
  const cursorKey = createHmac('sha256', key).update('cursor text').digest();
  const cipher = createCipheriv('aes-128-ecb', blockKey, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-128-ecb', blockKey, null).setAutoPadding(false);
  const marker = 0xc05501;
  const mac = (query: string, payload: Buffer): Buffer =>
    createHmac('sha256', macKey).update(query).update('\0').update(payload).digest().subarray(0, macBytes);
  return {
    offset: (place) => {
      const block = Buffer.alloc(16);
      block.writeUIntBE(marker, 0, 3);
      block.writeUInt32BE(place.epoch, 3);
      block.writeUInt8(place.part, 7);
      block.writeBigUInt64BE(BigInt(place.position), 8);
      return cipher.update(block).toString('base64url');
    },
    openOffset: (text) => {
      if (!offsetForm.test(text)) return null;
      const sealed = Buffer.from(text, 'base64url');
      if (sealed.length !== 16 || sealed.toString('base64url') !== text) return null;
      const block = decipher.update(sealed);
      if (block.readUIntBE(0, 3) !== marker) return null;
      const position = Number(block.readBigUInt64BE(8));
      return Number.isSafeInteger(position)
        ? { epoch: block.readUInt32BE(3), part: block.readUInt8(7), position }
        : null;
    },
    cursor: (query, keys) => {
      const payload = Buffer.from(JSON.stringify(keys));
      const tag = mac(query, payload);
      return Buffer.concat([tag, createCipheriv('aes-256-ctr', cursorKey, tag).update(payload)]).toString('base64url');
    },
    openCursor: (query, text) => {
      if (text === undefined) return null;
      const sealed = Buffer.from(text, 'base64url');
      if (!cursorForm.test(text) || sealed.toString('base64url') !== text) throw fault('bad_cursor');
      const tag = sealed.subarray(0, macBytes);
      const payload = createDecipheriv('aes-256-ctr', cursorKey, tag).update(sealed.subarray(macBytes));
      if (!timingSafeEqual(tag, mac(query, payload))) throw fault('bad_cursor');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the HMAC shows that `cursor` has written it
      return JSON.parse(payload.toString()) as (string | number | null)[];
    },
  };
};

/** Returns a random key for `createSeal`; each environment keeps its own. */
export const newSealKey = (): Buffer => randomBytes(32);
