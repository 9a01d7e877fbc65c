/** Reads on from the log for one session, a page each time that its socket has drained, until it is in step with the feed. */
import type { Socket } from 'node:net';
import type { EnvironmentChannel } from './channel.ts';
import type { LiveContext } from './context.ts';
import type { LiveMessageBatch } from './messageBatch.ts';
import type { StreamPosition } from './offsets.ts';

/** Between tries of a read that failed, and of one that found nothing although there should be something, in ms. */
const retryMs = 500;
const emptyPageRetryMs = 100;

interface CatchUpReader {
  readonly socket: Socket;
  readonly channel: EnvironmentChannel;
  /** Called with the next messages, in order. */
  read(batch: LiveMessageBatch): void;
  /** Called when the next rows were deleted. */
  onTrimmed(): void;
  /** Called when everything up to the channel's `head` was read, in the same turn. */
  onCaughtUp(): void;
}

export class CatchUp {
  readonly #context: LiveContext;
  readonly #reader: CatchUpReader;
  /** null: not reading. */
  #place: StreamPosition | null = null;
  #busy = false;

  constructor(context: LiveContext, reader: CatchUpReader) {
    this.#context = context;
    this.#reader = reader;
  }

  /** Begins at `place`, also when it was reading from another. */
  from(place: StreamPosition): void {
    this.#place = place;
    this.#step();
  }

  stop(): void {
    this.#place = null;
  }

  #step(): void {
    const place = this.#place;
    if (place === null || this.#busy) return;
    const { channel, socket } = this.#reader;
    if (socket.writableNeedDrain) {
      this.#wait((go) => socket.once('drain', go));
      return;
    }
    channel.flush();
    // Where it is ahead of the feed, or inside a row, the next rows are only in the log.
    if (place.position === channel.deliveredPosition && place.parts === 0) {
      this.#place = null;
      this.#reader.onCaughtUp();
    } else this.#wait((go) => void this.#readPage(place).then((ms) => (ms === 0 ? go() : setTimeout(go, ms).unref())));
  }

  #wait(work: (go: () => void) => void): void {
    this.#busy = true;
    work(() => {
      this.#busy = false;
      this.#step();
    });
  }

  /** Returns the milliseconds to wait before the next page. */
  async #readPage(place: StreamPosition): Promise<number> {
    const { log, deps } = this.#context;
    const { channel } = this.#reader;
    try {
      const { env } = channel;
      const page = await log.read(env, place);
      // Stopped, or moved by a reset, meanwhile.
      if (this.#place !== place) return 0;
      if (page.trimmed) this.#reader.onTrimmed();
      else if (page.batch === null) return emptyPageRetryMs;
      else {
        this.#place = { position: page.last, parts: 0 };
        this.#reader.read(page.batch);
        // Ahead of the feed: then it is news for the others too, and this one gets it only here.
        channel.append(page.rows, env.epoch);
      }
      return 0;
    } catch (error) {
      deps.log.debug({ err: error }, 'a live stream could not read the log; it will try again');
      return retryMs;
    }
  }
}
