/** Splits the records and ids that an app pushes into batches that fit a frame. Used by connect.ts. */
import { linkLimits } from '../applink/protocol.ts';

/** Bytes of a batch as JSON; the rest of the frame is for what stands around it. */
const bytesMax = linkLimits.frameBytes - 64 * 1024;

const sizeOf = (value: unknown): number => {
  try {
    // `JSON.stringify` returns undefined for undefined and functions, whatever its type says.
    return Buffer.byteLength(String(JSON.stringify(value))) + 1;
  } catch {
    // No JSON: outgoingQueue.ts refuses the whole batch.
    return 0;
  }
};

/** Returns the values in order, in batches of at most `linkLimits.batch` values that fit one frame; a larger value is alone in its batch. */
export const splitIntoFrames = <T>(values: readonly T[]): T[][] => {
  const batches: T[][] = [];
  let last: T[] = [];
  let bytes = 0;
  for (const value of values) {
    const size = sizeOf(value);
    if (last.length > 0 && (last.length >= linkLimits.batch || bytes + size > bytesMax)) {
      batches.push(last);
      last = [];
      bytes = 0;
    }
    last.push(value);
    bytes += size;
  }
  return last.length === 0 ? batches : [...batches, last];
};
