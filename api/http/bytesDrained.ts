/** Distinguishes slow readers from clients that do not read at all, for the live stream and the app link. */
import type { Socket } from 'node:net';

const numberIn = (thing: unknown, name: string): number | undefined => {
  const found: unknown = typeof thing === 'object' && thing !== null ? Reflect.get(thing, name) : undefined;
  return typeof found === 'number' ? found : undefined;
};

/**
 * Returns the bytes that the kernel has taken so far. Node reports only whole writes, libuv also parts of one. What waits would be
 * no measure of it: our own ping adds to that. The kernel itself takes more only when a third of its send buffer is free
 * (Linux: of up to 4 MiB), so on a fast line a client that reads less than about 100 KB/s may seem not to read at all.
 */
export const bytesDrained = (socket: Socket): number => {
  const handle: unknown = Reflect.get(socket, '_handle');
  const dispatched = numberIn(handle, 'bytesWritten');
  const queued = numberIn(handle, 'writeQueueSize');
  return dispatched === undefined || queued === undefined
    ? socket.bytesWritten - socket.writableLength
    : dispatched - queued;
};
