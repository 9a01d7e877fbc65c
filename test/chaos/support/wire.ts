/** The wire between a customer's app and the APIs: leads to the first that answers, and can be cut, or delay what goes over it. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** `up`: from the app to the service; `down`: from the service to the app. */
export type Direction = 'up' | 'down';

export interface Wire {
  readonly port: number;
  /** From now on nothing goes through in this direction; both ends stay connected. */
  hold(direction: Direction): void;
  /** Lets through what was delayed, also from an end that has gone meanwhile, and all that follows. */
  release(): void;
  /** Destroys every connection with what is delayed; the app may connect again at once. */
  cut(): void;
  /** Cuts, and lets nobody connect until `accept`. */
  refuse(): void;
  accept(): void;
  close(): Promise<void>;
}

class Pipe {
  readonly #from: Socket;
  readonly #to: Socket;
  readonly #isHeld: () => boolean;
  #queue: Buffer[] = [];
  #ended = false;

  constructor(from: Socket, to: Socket, isHeld: () => boolean) {
    this.#from = from;
    this.#to = to;
    this.#isHeld = isHeld;
    from.on('data', (data: Buffer) => {
      if (isHeld()) this.#queue.push(data);
      else to.write(data);
    });
    from.on('close', () => {
      this.#ended = true;
      this.flush();
    });
  }

  flush(): void {
    if (this.#isHeld()) return;
    for (const data of this.#queue) this.#to.write(data);
    this.#queue = [];
    if (this.#ended) this.#to.end();
  }

  destroy(): void {
    this.#queue = [];
    this.#from.destroy();
    this.#to.destroy();
  }
}

/** `targets`: ports of those that may answer, the most wanted first. */
export const openWire = async (targets: () => readonly number[]): Promise<Wire> => {
  const held = new Set<Direction>();
  const pipes = new Set<Pipe>();
  const sockets = new Set<Socket>();
  let refusing = false;

  const join = (near: Socket, far: Socket): void => {
    const up = new Pipe(near, far, () => held.has('up'));
    const down = new Pipe(far, near, () => held.has('down'));
    for (const pipe of [up, down]) pipes.add(pipe);
    far.on('close', () => void pipes.delete(down));
    near.on('close', () => {
      if (!held.has('up')) pipes.delete(up);
    });
    near.resume();
  };
  const dial = (near: Socket, [port, ...others]: readonly number[]): void => {
    if (port === undefined || refusing) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    let connected = false;
    far.setNoDelay(true);
    sockets.add(far);
    far.on('close', () => void sockets.delete(far));
    far.on('error', () => {
      if (!connected) dial(near, others);
    });
    far.on('connect', () => {
      connected = true;
      if (near.destroyed || refusing) far.destroy();
      else join(near, far);
    });
  };
  const server = createServer({ pauseOnConnect: true }, (near) => {
    near.setNoDelay(true);
    sockets.add(near);
    near.on('error', () => undefined);
    near.on('close', () => void sockets.delete(near));
    dial(near, targets());
  });
  const cut = (): void => {
    for (const pipe of pipes) pipe.destroy();
    pipes.clear();
    for (const socket of sockets) socket.destroy();
    held.clear();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    hold: (direction) => void held.add(direction),
    release: () => {
      held.clear();
      for (const pipe of pipes) pipe.flush();
    },
    cut,
    refuse: () => {
      refusing = true;
      cut();
    },
    accept: () => {
      refusing = false;
    },
    close: async () => {
      refusing = true;
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
