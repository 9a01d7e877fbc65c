/**
 * Live messages as JSON text and as WebSocket text frames (RFC 6455 section 5.2, server side: one fragment, not masked).
 * Frames are made once and written to many sockets; `ws` makes its own for each socket.
 */

/** Offsets are 22 ASCII characters each (listing/seal.ts), so one can be written over another in a finished frame. */
export const offsetLength = 22;

const beforeOffset = '{"type":"","offset":"'.length;
const betweenOffsets = offsetLength + '","prev":"'.length;

/** Returns the index in the message's text at which its `offset` begins. */
export const offsetIndex = (type: string): number => beforeOffset + type.length;
/** Returns the index at which its `prev` begins. */
export const prevIndex = (type: string): number => offsetIndex(type) + betweenOffsets;

/** Returns the members of a message beside the four that every message has: JSON without its opening brace. */
export const membersJson = (members: object): string => JSON.stringify(members).slice(1);

export interface MessageHead {
  readonly type: string;
  readonly offset: string;
  readonly prev: string | null;
  readonly at: number;
}

export const encodeMessage = ({ type, offset, prev, at }: MessageHead, rest: string): string =>
  `{"type":"${type}","offset":"${offset}","prev":${prev === null ? 'null' : `"${prev}"`},"at":${String(at)}${rest === '}' ? '' : ','}${rest}`;

const finText = 0x81;
const headerLength = (payload: number): number => (payload < 126 ? 2 : payload < 65_536 ? 4 : 10);

const writeHeader = (into: Buffer, at: number, payload: number): number => {
  into[at] = finText;
  if (payload < 126) {
    into[at + 1] = payload;
    return at + 2;
  }
  if (payload < 65_536) {
    into[at + 1] = 126;
    return into.writeUInt16BE(payload, at + 2);
  }
  into[at + 1] = 127;
  into.writeUInt16BE(0, at + 2);
  return into.writeUIntBE(payload, at + 4, 6);
};

interface EncodedFrames {
  readonly bytes: Buffer;
  /** Where the text of each frame begins. */
  readonly starts: readonly number[];
}

/** Returns all texts, each as one frame, in one buffer. */
export const encodeFrames = (texts: readonly string[]): EncodedFrames => {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headerLength(length) + length, 0));
  const starts: number[] = [];
  let at = 0;
  texts.forEach((text, i) => {
    at = writeHeader(bytes, at, lengths[i] ?? 0);
    starts.push(at);
    at += bytes.write(text, at);
  });
  return { bytes, starts };
};

/** An empty ping, and the close frames are `ws`'s own. */
export const pingFrame = Buffer.from([0x89, 0]);
