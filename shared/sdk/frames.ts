/** Frames of the link: how a message becomes one, and why it can't. For peer.ts, outgoingQueue.ts and runResult.ts. */
import { linkLimits } from '../app/link/protocol.ts';
import { countMembers, membersMax } from './batches.ts';
import type { LinkProblem } from './problems.ts';
import { errorText } from './texts.ts';

const fits = (frame: string): boolean =>
  frame.length * 3 <= linkLimits.frameBytes || Buffer.byteLength(frame) <= linkLimits.frameBytes;

/** Returns the message as a frame, or undefined when it is no JSON or larger than `linkLimits.frameBytes`. */
export const encodeFrame = (message: object): string | undefined => {
  try {
    const frame = JSON.stringify({ jsonrpc: '2.0', ...message });
    return fits(frame) ? frame : undefined;
  } catch {
    return undefined;
  }
};

/** The JSON escapes of a NUL character and of a lone surrogate, and of a backslash, behind which neither begins. */
const escapes = /\\(?:\\|u0000|ud[89a-f]..)/g;

/** Returns a JSON text as the service can store it: without NUL characters, and with `�` for halves of surrogate pairs. */
export const cleanJson = (json: string): string =>
  json.replaceAll(escapes, (sign) => (sign === '\\\\' ? sign : sign === '\\u0000' ? '' : '\ufffd'));

/** Returns the path to the first bigint in a value, or null. */
const bigintPath = (root: unknown): string | null => {
  const paths = new Map<unknown, string>();
  let found: string | null = null;
  try {
    JSON.stringify(root, function (this: unknown, key, value: unknown) {
      const path = [paths.get(this) ?? '', key].filter((part) => part !== '').join('.');
      if (typeof value === 'object') paths.set(value, path);
      if (typeof value !== 'bigint') return value;
      found ??= path;
      return null;
    });
  } catch {
    // A value that contains itself.
  }
  return found;
};

/** Returns why a message, of which the app has made `part`, can't be sent. */
export const frameProblem = (message: object, part: unknown): LinkProblem['details'][number] => {
  let frame: string;
  try {
    frame = JSON.stringify({ jsonrpc: '2.0', ...message });
  } catch (error) {
    const path = bigintPath(part);
    return path === null
      ? { path: '', message: `is no JSON: ${errorText(error)}` }
      : { path, message: 'is a bigint, which JSON does not have' };
  }
  const bytes = Buffer.byteLength(frame);
  return bytes > linkLimits.frameBytes
    ? { path: '', message: `has ${String(bytes)} bytes, and at most ${String(linkLimits.frameBytes)} can be sent` }
    : {
        path: '',
        message: `has ${String(countMembers(frame))} members and elements, and at most ${String(membersMax)} can be sent`,
      };
};
