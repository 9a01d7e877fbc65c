/** A relay in front of one server's port, which can be cut as a network is: nothing comes through and nobody is told. Used by node.ts. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** From now on nothing comes through; connections stay open, and new ones are accepted by nobody. */
  cut(): void;
  /** Breaks what was cut, and lets new connections through. */
  mend(): void;
  close(): Promise<void>;
}

export const openRelay = async (target: number): Promise<Relay> => {
  const sockets = new Set<Socket>();
  let isCut = false;

  const keep = (socket: Socket, other: () => Socket | undefined): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      // What was sent before the end still arrives.
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
    near.on('data', (data: Buffer) => far.write(data));
    far.on('data', (data: Buffer) => near.write(data));
    if (!isCut) near.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend: () => {
      if (!isCut) return;
      isCut = false;
      breakAll();
    },
    close: async () => {
      isCut = false;
      breakAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
