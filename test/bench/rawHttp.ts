/** An HTTP connection of the load generator: one request at a time, written and read with as little work as possible. */
import { connect, type Socket } from 'node:net';

export type Done = (status: number) => void;

const headEnd = Buffer.from('\r\n\r\n');
const lengthForm = /content-length: (\d+)/i;

export class RawConnection {
  readonly #socket: Socket;
  #head: Buffer | null = null;
  /** Bytes of the body that are still to come; null while the head is read. */
  #left: number | null = null;
  readonly #failed: (error: Error) => void;
  #status = 0;
  #done: Done | null = null;

  /** `failed` is called when the connection breaks, or an answer is not 2xx. */
  constructor(port: number, failed: (error: Error) => void) {
    this.#failed = failed;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => {
      this.#read(chunk);
    });
    this.#socket.on('error', failed);
    this.#socket.on('close', () => {
      if (this.#done !== null) failed(new Error('The server closed a connection.'));
    });
  }

  send(text: string, done: Done): void {
    this.#done = done;
    this.#socket.write(text, 'latin1');
  }

  end(): void {
    this.#done = null;
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    if (this.#left === null) {
      const bytes = this.#head === null ? chunk : Buffer.concat([this.#head, chunk]);
      const at = bytes.indexOf(headEnd);
      if (at === -1) {
        this.#head = bytes;
        return;
      }
      const head = bytes.toString('latin1', 0, at);
      this.#status = Number(head.slice(9, 12));
      if (this.#status >= 300) return void this.#failed(new Error(`An answer was ${bytes.toString().slice(0, 2000)}`));
      this.#left = Number(lengthForm.exec(head)?.[1] ?? 0) - (bytes.length - at - headEnd.length);
      this.#head = null;
    } else this.#left -= chunk.length;
    if (this.#left > 0) return;
    this.#left = null;
    const done = this.#done;
    this.#done = null;
    done?.(this.#status);
  }
}
