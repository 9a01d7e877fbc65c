/**
 * A relay in front of one server's port, which can be cut as a network is: nothing comes through and nobody is told. Used by
 * proxy.ts and failover/node.ts.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

interface RelayOptions {
  /** Called with what a client sends, before it goes on. */
  readonly onSent?: (data: Buffer) => void;
  /** Returns whether an answer goes on; it is dropped otherwise. */
  readonly letsAnswer?: () => boolean;
}

export interface Relay {
  readonly port: number;
  /** From now on nothing comes through; connections stay open, and new ones are accepted by nobody. */
  cut(): void;
  /** Breaks what was cut, and lets new connections through. */
  mend(): void;
  /** Breaks every connection, and lets new ones through. */
  breakAll(): void;
  close(): Promise<void>;
}

export const openRelay = async (
  target: number,
  { onSent = () => undefined, letsAnswer = () => true }: RelayOptions = {},
): Promise<Relay> => {
  const sockets = new Set<Socket>();
  let isCut = false;

  const keep = (socket: Socket, other: () => Socket | undefined): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      // Data sent before the end still arrives.
      other()?.end();
    });
  };
  const server = createServer({ pauseOnConnect: true }, (near) => {
    if (isCut) {
      keep(near, () => undefined);
      return;
    }
    const far = connect(target, '127.0.0.1');
    keep(near, () => far);
    keep(far, () => near);
    far.on('error', () => near.destroy());
    near.on('data', (data: Buffer) => {
      onSent(data);
      far.write(data);
    });
    far.on('data', (data: Buffer) => {
      if (letsAnswer()) near.write(data);
    });
    near.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakAll = (): void => {
    isCut = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend: () => {
      if (isCut) breakAll();
    },
    breakAll,
    close: async () => {
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
