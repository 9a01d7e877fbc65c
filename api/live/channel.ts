/**
 * One environment's stream in this process: puts what it hears and reads into order and hands each tick's messages to the
 * groups of sessions, all at once. `seen` is the newest position it has, `head` the newest that it has handed on.
 */
import type { Deps } from '../../shared/deps.ts';
import type { Environment } from '../../shared/environments/definition.ts';
import type { LiveBatch, PassingMessage } from '../../shared/platform/redis/bus.ts';
import { Batch, entriesOf, type Entry, type StreamRow } from './batch.ts';
import { Counts } from './counts.ts';
import { Groups } from './group.ts';
import type { StreamLog } from './log.ts';
import type { ResetReason } from './offsets.ts';
import type { Part } from './visible.ts';
import { atMostEvery, Turn, Waiting } from './waiting.ts';

/** Counts are told at most four times a second, by the clock of whoever hears them too: what was on its way a little longer is close to what follows. */
const countsEveryMs = 260;

/** A session, as its channel knows it. */
interface Subscribed {
  /** Sends a `reset` message. */
  reset(reason: ResetReason): void;
}

export class Channel {
  readonly envId: number;
  readonly counts: Counts;
  readonly groups = new Groups();
  readonly sessions = new Set<Subscribed>();
  /** Ends its waits when there is something new. */
  readonly news = new Waiting();
  /** Sessions and waiting calls, also those that are about to begin. */
  users = 0;
  /** -1 until it has begun: before that, what is heard tells nothing. */
  head = -1;
  seen = -1;
  env: Environment;
  readonly #deps: Deps;
  readonly #log: StreamLog;
  readonly #turn = new Turn<Entry>(() => {
    this.flush();
  });
  #wanted = 0;
  /** Whether the epoch has changed: the next look tells where the stream is now. */
  #restored = false;
  #catching: Promise<void> | null = null;

  constructor(deps: Deps, log: StreamLog, env: Environment) {
    this.#deps = deps;
    this.#log = log;
    this.env = env;
    this.envId = env.id;
    this.counts = new Counts(env.id);
  }

  /** Begins at `position`, or begins anew there. */
  start(position: number): void {
    this.#turn.take();
    this.head = position;
    this.seen = position;
    this.#wanted = position;
  }

  /** A message of the bus. Resolves when everything that it told of was taken. */
  async hear(text: string): Promise<void> {
    if (this.seen < 0) return;
    const message = JSON.parse(text) as LiveBatch | PassingMessage;
    if (message.kind === 'passing') {
      this.#turn.add([{ position: null, index: 0, at: message.at, part: message.part as Part }]);
      return;
    }
    const last = message.first + message.rows.length - 1;
    if (message.first > this.seen + 1) {
      await this.reach(last);
      return;
    }
    this.take(message.rows.map(({ at, parts }, i) => ({ position: message.first + i, at, parts: parts as Part[] })));
    this.counts.apply(message.counts, last, message.at);
    if (this.counts.hasNews) this.#tellCounts();
  }

  /** Rows from wherever they come; only the next ones in order count. */
  take(rows: readonly StreamRow[]): void {
    for (const row of rows) {
      if (row.position !== this.seen + 1) continue;
      this.#turn.add(entriesOf(row));
      this.seen = row.position;
    }
  }

  /** `position` is the newest in the database; `before` is `seen` from before it was read, at `at`. */
  async look(position: number, before: number, at: number): Promise<void> {
    if (position < before || this.#restored) {
      this.#restored = false;
      await this.#restart(position, 'epoch');
    }
    await this.reach(position);
    if (position === before) this.counts.confirm(position, at);
  }

  /** Reads the log until it has `position`, if it doesn't yet. */
  async reach(position: number): Promise<void> {
    if (position <= this.seen) return;
    this.#wanted = Math.max(this.#wanted, position);
    this.#catching ??= this.#catchUp().finally(() => {
      this.#catching = null;
    });
    await this.#catching;
  }

  async readCounts(): Promise<void> {
    await this.counts.read(this.#deps.db, this.#deps.clock.now());
    if (this.counts.hasNews) this.#tellCounts();
  }

  /** The directory was loaded anew. */
  renew(): void {
    const env = this.#deps.directory.environmentById(this.envId);
    if (env === undefined) return;
    this.#restored ||= env.epoch !== this.env.epoch;
    this.env = env;
  }

  /** Hands on what is there, so that `head` is `seen`. */
  flush(): void {
    const entries = this.#turn.take();
    const before = this.head;
    this.head = this.seen;
    if (entries.length === 0) return;
    try {
      this.groups.deliver(new Batch(this.env, entries), before);
    } catch (error) {
      // A bug here must end neither the process nor the chain in silence.
      this.#deps.log.error({ err: error, env: this.envId, position: this.head }, 'live messages could not be made');
      for (const session of this.sessions) session.reset('gone');
    }
    if (this.head > before) this.news.wake();
  }

  readonly #tellCounts = atMostEvery(countsEveryMs, () => {
    this.#turn.add([{ position: null, index: 0, at: this.counts.at, part: { type: 'counts', inboxes: this.counts.news(this.env.definition) } }]);
  });

  async #catchUp(): Promise<void> {
    while (this.seen < this.#wanted) {
      const page = await this.#log.read(this.env, { position: this.seen, parts: 0 });
      if (page.gone) return this.#restart(this.#wanted, 'gone');
      if (page.rows.length === 0) break;
      this.take(page.rows);
    }
    await this.readCounts();
  }

  /** Every session has to start anew. */
  async #restart(position: number, reason: ResetReason): Promise<void> {
    this.#log.forget();
    this.start(position);
    this.counts.restart();
    for (const session of this.sessions) session.reset(reason);
    this.news.wake();
    await this.readCounts();
  }
}
