/**
 * One environment's stream in this process: puts what it hears and reads into order and hands each tick's messages to the
 * groups of sessions, all at once. `seen` is the newest position it has, `head` the newest that it has handed on.
 */
import type { Deps } from '../../shared/deps.ts';
import type { Environment } from '../../shared/environments/definition.ts';
import type { LiveBatch, EphemeralMessage } from '../../shared/platform/redis/bus.ts';
import { LiveMessageBatch, toStreamEntries, type StreamEntry, type StreamRow } from './messageBatch.ts';
import { ChannelCounts } from './counts.ts';
import { SessionGroups } from './group.ts';
import type { StreamLog } from './log.ts';
import type { ResetReason } from './offsets.ts';
import type { StreamPart } from './visibility.ts';
import { throttle, EventLoopBatch, WaitQueue } from './throttle.ts';

/** Counts are told at most four times a second, by the clock of whoever hears them too: what was on its way a little longer is close to what follows. */
const countsEveryMs = 260;

/** A session, as its channel knows it. */
interface Subscribed {
  /** Sends a `reset` message. */
  reset(reason: ResetReason): void;
}

export class EnvironmentChannel {
  readonly envId: number;
  readonly counts: ChannelCounts;
  readonly groups = new SessionGroups();
  readonly sessions = new Set<Subscribed>();
  /** Ends its waits when there is something new. */
  readonly newMessages = new WaitQueue();
  /** Sessions and waiting calls, also those that are about to begin. */
  users = 0;
  /** -1 until it has begun: before that, what is heard tells nothing. */
  deliveredPosition = -1;
  newestPosition = -1;
  env: Environment;
  readonly #deps: Deps;
  readonly #log: StreamLog;
  readonly #turn = new EventLoopBatch<StreamEntry>(() => {
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
    this.counts = new ChannelCounts(env.id);
  }

  /** Begins at `position`, or begins anew there. */
  start(position: number): void {
    this.#turn.take();
    this.deliveredPosition = position;
    this.newestPosition = position;
    this.#wanted = position;
  }

  /** A message of the bus. Resolves when everything that it told of was taken. */
  async receive(text: string): Promise<void> {
    if (this.newestPosition < 0) return;
    const message = JSON.parse(text) as LiveBatch | EphemeralMessage;
    if (message.kind === 'passing') {
      this.#turn.add([{ position: null, index: 0, at: message.at, part: message.part as StreamPart }]);
      return;
    }
    const last = message.first + message.rows.length - 1;
    if (message.first > this.newestPosition + 1) {
      await this.readUpTo(last);
      return;
    }
    this.append(
      message.rows.map(({ at, parts }, i) => ({ position: message.first + i, at, parts: parts as StreamPart[] })),
    );
    this.counts.apply(message.counts, last, message.at);
    if (this.counts.hasChanged) this.#tellCounts();
  }

  /** Rows from wherever they come; only the next ones in order count. */
  append(rows: readonly StreamRow[]): void {
    for (const row of rows) {
      if (row.position !== this.newestPosition + 1) continue;
      this.#turn.add(toStreamEntries(row));
      this.newestPosition = row.position;
    }
  }

  /** `position` is the newest in the database; `before` is `seen` from before it was read, at `at`. */
  async catchUpTo(position: number, before: number, at: number): Promise<void> {
    if (position < before || this.#restored) {
      this.#restored = false;
      await this.#restart(position, 'epoch');
    }
    await this.readUpTo(position);
    if (position === before) this.counts.confirm(position, at);
  }

  /** Reads the log until it has `position`, if it doesn't yet. */
  async readUpTo(position: number): Promise<void> {
    if (position <= this.newestPosition) return;
    this.#wanted = Math.max(this.#wanted, position);
    this.#catching ??= this.#catchUp().finally(() => {
      this.#catching = null;
    });
    await this.#catching;
  }

  async readCounts(): Promise<void> {
    await this.counts.read(this.#deps.db, this.#deps.clock.now());
    if (this.counts.hasChanged) this.#tellCounts();
  }

  /** The directory was loaded anew. */
  reloadEnvironment(): void {
    const env = this.#deps.directory.environmentById(this.envId);
    if (env === undefined) return;
    this.#restored ||= env.epoch !== this.env.epoch;
    this.env = env;
  }

  /** Hands on what is there, so that `head` is `seen`. */
  flush(): void {
    const entries = this.#turn.take();
    const before = this.deliveredPosition;
    this.deliveredPosition = this.newestPosition;
    if (entries.length === 0) return;
    try {
      this.groups.deliver(new LiveMessageBatch(this.env, entries), before);
    } catch (error) {
      // A bug here must end neither the process nor the chain in silence.
      this.#deps.log.error(
        { err: error, env: this.envId, position: this.deliveredPosition },
        'live messages could not be made',
      );
      for (const session of this.sessions) session.reset('gone');
    }
    if (this.deliveredPosition > before) this.newMessages.wakeAll();
  }

  readonly #tellCounts = throttle(countsEveryMs, () => {
    this.#turn.add([
      {
        position: null,
        index: 0,
        at: this.counts.at,
        part: { type: 'counts', inboxes: this.counts.takeChanged(this.env.definition) },
      },
    ]);
  });

  async #catchUp(): Promise<void> {
    while (this.newestPosition < this.#wanted) {
      const page = await this.#log.read(this.env, { position: this.newestPosition, parts: 0 });
      if (page.trimmed) return this.#restart(this.#wanted, 'gone');
      if (page.rows.length === 0) break;
      this.append(page.rows);
    }
    await this.readCounts();
  }

  /** Every session has to start anew. */
  async #restart(position: number, reason: ResetReason): Promise<void> {
    this.#log.clearCache();
    this.start(position);
    this.counts.clear();
    for (const session of this.sessions) session.reset(reason);
    this.newMessages.wakeAll();
    await this.readCounts();
  }
}
