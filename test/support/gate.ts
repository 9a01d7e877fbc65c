/** A TCP way to a server that a test can close: how PostgreSQL or Redis goes away for the API alone. */
import { once } from 'node:events';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';

export class Gate {
  readonly #target: URL;
  readonly server = createTcpServer((from) => {
    this.#sockets.add(from);
    if (!this.open) {
      from.destroy();
      return;
    }
    const to = connect(Number(this.#target.port), this.#target.hostname);
    this.#sockets.add(to);
    from.pipe(to).pipe(from);
    if (this.#isHeld) for (const socket of [from, to]) socket.pause();
    for (const socket of [from, to]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        from.destroy();
        to.destroy();
        this.#sockets.delete(socket);
      });
    }
  });
  readonly #sockets = new Set<Socket>();
  open = true;
  #isHeld = false;

  constructor(target: URL) {
    this.#target = target;
  }

  /** Listens; returns the address that leads through the gate. */
  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const url = new URL(this.#target);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** Lets nothing through in either direction, and keeps the connections: a server that is slow without end. */
  hold(): void {
    this.#isHeld = true;
    for (const socket of this.#sockets) socket.pause();
  }

  release(): void {
    this.#isHeld = false;
    for (const socket of this.#sockets) socket.resume();
  }

  shut(): void {
    this.open = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.shut();
    this.server.close();
  }
}
