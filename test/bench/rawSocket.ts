/** A WebSocket subscriber that only counts frames: thousands of them fit into one process. */
import { connect, type Socket } from 'node:net';

export interface Address {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  /** Text that is sent as soon as the socket is open, as the peer's protocol wants it. */
  readonly first?: string;
}

const headEnd = Buffer.from('\r\n\r\n');
const textFrame = 0x81;

/** Returns a client's frame (RFC 6455) with a mask of zero, which leaves the text as it is. */
const masked = (text: string): Buffer =>
  Buffer.concat([Buffer.from([textFrame, 0x80 | Buffer.byteLength(text), 0, 0, 0, 0]), Buffer.from(text)]);

export class RawSocket {
  readonly #socket: Socket;
  readonly #heard: () => void;
  readonly #opened: () => void;
  readonly #first: string | undefined;
  #open = false;
  /** Bytes of the present frame that are still to come. */
  #left = 0;
  /** The beginning of a frame's header that was cut off. */
  #rest: Buffer | null = null;

  /** `heard` is called for each text frame, `opened` once, `failed` when the connection breaks. */
  constructor(
    { port, path, token, first }: Address,
    { heard, opened, failed }: { heard(): void; opened(): void; failed(error: Error): void },
  ) {
    this.#heard = heard;
    this.#opened = opened;
    this.#first = first;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => {
      this.#read(chunk);
    });
    this.#socket.on('error', failed);
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = null;
    if (this.#open) {
      this.#frames(bytes);
      return;
    }
    const at = bytes.indexOf(headEnd);
    if (at === -1) {
      this.#rest = bytes;
      return;
    }
    if (!bytes.subarray(0, 12).equals(Buffer.from('HTTP/1.1 101'))) throw new Error(bytes.toString());
    this.#open = true;
    if (this.#first !== undefined) this.#socket.write(masked(this.#first));
    this.#opened();
    this.#frames(bytes.subarray(at + 4));
  }

  #frames(bytes: Buffer): void {
    let at = this.#left;
    while (at < bytes.length) {
      const short = (bytes[at + 1] ?? 0) & 0x7f;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (at + head > bytes.length) {
        this.#rest = bytes.subarray(at);
        this.#left = 0;
        return;
      }
      if (bytes[at] === textFrame) this.#heard();
      at += head + (short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUIntBE(at + 4, 6));
    }
    this.#left = at - bytes.length;
  }
}
