/** Thousands of subscribers and the one who sends to them through Redis; the time is taken here, where frames come in. */
import { answerCalls } from '../ipc.ts';
import { openPublisher, type Prepare, type Target } from '../publishers.ts';
import { RawSocket, type Address } from '../rawSocket.ts';

export interface Told {
  readonly frames: number;
  readonly framesPerSecond: number;
  /** From the publication to the last socket's frame, in ms. */
  readonly roundMs: number;
}

export interface Telling {
  readonly to: Target;
  /** Messages in one go. */
  readonly burst: number;
  readonly ms: number;
}

/** Of the target that is told first; this process has no other. */
let publisher: Promise<Prepare> | null = null;
let sockets: RawSocket[] = [];
let frames = 0;
let wanted = Number.POSITIVE_INFINITY;
let reached = (): void => undefined;

const heard = (): void => {
  frames += 1;
  if (frames >= wanted) reached();
};
const until = (count: number): Promise<void> =>
  new Promise((resolve) => {
    wanted = count;
    reached = () => {
      wanted = Number.POSITIVE_INFINITY;
      resolve();
    };
    if (frames >= count) reached();
  });

/** Connects in groups, so that no backlog overflows, and waits for the frames that each socket is sent at first. */
const open = async (options: { address: Address; count: number; greetings: number }): Promise<void> => {
  const { address, count, greetings } = options;
  frames = 0;
  for (let from = 0; from < count; from += 100) {
    await Promise.all(
      Array.from(
        { length: Math.min(100, count - from) },
        () =>
          new Promise<void>((opened, failed) => void sockets.push(new RawSocket(address, { heard, opened, failed }))),
      ),
    );
  }
  await until(count * greetings);
};

const close = (): void => {
  for (const socket of sockets) socket.end();
  sockets = [];
};

/** Publishes one after the other, each when all sockets have the one before it. */
const tell = async ({ to, burst, ms }: Telling): Promise<Told> => {
  publisher ??= openPublisher(to);
  const prepare = await publisher;
  let rounds = 0;
  let busy = 0;
  frames = 0;
  let next = prepare(burst);
  const end = performance.now() + ms;
  for (let publish = await next; performance.now() < end; publish = await next) {
    const began = performance.now();
    rounds += 1;
    const all = until(frames + sockets.length * burst);
    publish();
    // The next one's rows are written while this one is published.
    next = prepare(burst);
    await all;
    busy += performance.now() - began;
  }
  return { frames, framesPerSecond: frames / (busy / 1000), roundMs: busy / rounds };
};

answerCalls({ open, close, tell });
