/** Splits what an app sends into batches that fit a frame. Used by recordBatches.ts and answerResender.ts. */
import { linkLimits } from '../app/link/protocol.ts';

/** Bytes and members that a value adds to a frame. */
export interface Weight {
  readonly bytes: number;
  /** Members and elements on all levels together. */
  readonly members: number;
}

/** Limits of a batch; the rest of the frame is its envelope. */
const bytesMax = linkLimits.frameBytes - 64 * 1024;
export const membersMax = linkLimits.frameMembers - 100;

/** Returns how many members and elements a JSON text has, counted as the service does: by the commas outside of strings. */
export const countMembers = (json: string): number => {
  let count = 0;
  let isInString = false;
  for (let i = 0; i < json.length; i++) {
    const sign = json.charCodeAt(i);
    // Behind a backslash, which only strings have, a quote does not end the string.
    if (sign === 0x5c) i += 1;
    else if (sign === 0x22) isInString = !isInString;
    else if (sign === 0x2c && !isInString) count += 1;
  }
  return count;
};

/** Returns what a value weighs in a batch, with the comma behind it. */
export const jsonWeight = (value: unknown): Weight => {
  try {
    // `JSON.stringify` returns undefined for undefined and functions, whatever its type says.
    const json = String(JSON.stringify(value));
    return { bytes: Buffer.byteLength(json) + 1, members: countMembers(json) + 1 };
  } catch {
    // No JSON: the whole batch is refused when it is sent.
    return { bytes: 0, members: 0 };
  }
};

/**
 * Returns the values in order, in batches of at most `linkLimits.batch` values that fit one frame. A value that is too large for
 * a frame is alone in its batch.
 */
export const splitIntoFrames = <T>(values: readonly T[], weightOf: (value: T) => Weight = jsonWeight): T[][] => {
  const batches: T[][] = [];
  let last: T[] = [];
  let room: Weight = { bytes: bytesMax, members: membersMax };
  for (const value of values) {
    const { bytes, members } = weightOf(value);
    if (last.length > 0 && (last.length >= linkLimits.batch || bytes > room.bytes || members > room.members)) {
      batches.push(last);
      last = [];
      room = { bytes: bytesMax, members: membersMax };
    }
    last.push(value);
    room = { bytes: room.bytes - bytes, members: room.members - members };
  }
  return last.length === 0 ? batches : [...batches, last];
};
