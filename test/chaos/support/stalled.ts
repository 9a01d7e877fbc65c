/** A subscriber that stops reading right after the upgrade, and notices all the same when the connection is ended. */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';

export interface Stalled {
  /** When the connection was found ended; null: not yet. */
  readonly endedAt: () => number | null;
  close(): void;
}

const probeMs = 250;
/** An empty, masked pong: a sign of life, so that it isn't the missing one that ends the connection. */
const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

export const openStalled = (base: string, token: string): Promise<Stalled> =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(base);
    const socket = connect(Number(port), hostname);
    let endedAt: number | null = null;
    // Nothing is read, so only what is written can find the other side gone.
    const probe = setInterval(() => socket.write(pong), probeMs);
    const end = (): void => {
      endedAt ??= Date.now();
      clearInterval(probe);
    };
    socket.on('error', end);
    socket.on('close', end);
    socket.write(
      [
        `GET ${pathname}/live HTTP/1.1`,
        `host: ${hostname}:${port}`,
        'connection: upgrade',
        'upgrade: websocket',
        'sec-websocket-version: 13',
        `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
        `authorization: Bearer ${token}`,
        '',
        '',
      ].join('\r\n'),
    );
    socket.once('data', (head: Buffer) => {
      socket.pause();
      if (!head.toString('latin1').startsWith('HTTP/1.1 101')) {
        socket.destroy();
        reject(new Error(`The upgrade was answered with ${head.toString('latin1').slice(0, 100)}`));
      } else {
        resolve({
          endedAt: () => endedAt,
          close: () => {
            end();
            socket.destroy();
          },
        });
      }
    });
  });
