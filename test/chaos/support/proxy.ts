/** Stands between an API and PostgreSQL and can hold back every answer from the moment that a certain statement was sent. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** From the first statement on that bears all of `marks`, nothing comes back. Resolves when such a one was sent. */
  hold(marks: readonly string[]): Promise<void>;
  /** Lets everything through again. */
  release(): void;
  /** Breaks every connection, what is delayed with it, and lets through what comes after. */
  cut(): void;
  close(): Promise<void>;
}

export const startProxy = async (port: number): Promise<Proxy> => {
  const sockets = new Set<Socket>();
  let marks: readonly string[] | null = null;
  let held = false;
  let caught: () => void = () => undefined;

  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (data: Buffer) => {
      if (marks?.every((mark) => data.includes(mark)) === true) {
        held = true;
        caught();
      }
      far.write(data);
    });
    far.on('data', (data: Buffer) => {
      if (!held) near.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const release = (): void => {
    marks = null;
    held = false;
  };
  return {
    port: (server.address() as AddressInfo).port,
    hold: (wanted) =>
      new Promise((resolve) => {
        held = false;
        marks = wanted;
        caught = resolve;
      }),
    release,
    cut: () => {
      release();
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
