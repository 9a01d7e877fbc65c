/** Cuts what an app pushes into pieces that fit a frame; used by connect.ts. */
import { linkLimits } from '../applink/protocol.ts';

/** Leaves room for the frame around them. */
const bytesMax = linkLimits.frameBytes - 64 * 1024;

const sizeOf = (value: unknown): number => {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '') + 1;
  } catch {
    // It is refused with its batch, where the whole frame is looked at.
    return 0;
  }
};

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
