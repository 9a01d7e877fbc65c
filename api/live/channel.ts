/**
 * The stream of one environment in this process: brings messages of the bus and rows of the log into order, and delivers
 * those of each turn of the event loop to the groups of sessions at once. `newestPosition` is the newest position that it
 * has, `deliveredPosition` the newest that it has delivered. Made by feed.ts.
 */
import type { Environment } from '../../shared/app/manifest/definition.ts';
import { readPendingApprovals, type PendingApprovals } from '../../shared/approvals/counts.ts';
import type { Deps } from '../../shared/deps.ts';
import type { EphemeralMessage, LiveBatch } from '../../shared/platform/redis/bus.ts';
import { ChannelCounts } from './counts.ts';
import { SessionGroups } from './group.ts';
import type { StreamLog } from './log.ts';
import { LiveMessageBatch, toStreamEntries, type StreamEntry, type StreamRow } from './messageBatch.ts';
import { readEpochEnd, type ResetReason, type StreamHead } from './offsets.ts';
import { EventLoopBatch, throttle, WaitQueue } from './throttle.ts';
import type { StreamPart } from './visibility.ts';

/** Milliseconds between two messages with counts: four in a second, and a little more, so that network delay does not make a client receive a fifth. */
const countsEveryMs = 260;

/** A session, as far as its channel uses it. */
interface Subscribed {
  /** Sends a `reset` message. */
  reset(reason: ResetReason): void;
  /** Sends the counts of approvals if they have changed. */
  sendApprovals(): void;
}

export class EnvironmentChannel {
  readonly envId: number;
  readonly counts: ChannelCounts;
  /** The pending approvals, from which each session's counts of them are made. */
  pendingApprovals: readonly PendingApprovals[] = [];
  /** Whether the customer's app is connected, as far as messages and the last read tell. */
  appOnline = false;
  readonly groups = new SessionGroups();
  readonly sessions = new Set<Subscribed>();
  /** Waits that end when a message has been delivered. */
  readonly newMessages = new WaitQueue();
  /** The reason of the last restart, a new object each time; null: there was none. */
  restarted: { readonly reason: ResetReason } | null = null;
  /** The number of sessions and of waiting calls, including those that are about to begin. */
  users = 0;
  /** -1 before `start`; until then messages of the bus are ignored. */
  deliveredPosition = -1;
  newestPosition = -1;
  /** Its epoch is that of the positions: after a new one began, the former until `catchUpTo` has compared them. */
  env: Environment;
  readonly #deps: Deps;
  readonly #log: StreamLog;
  readonly #turn = new EventLoopBatch<StreamEntry>(() => {
    this.flush();
  });
  #wanted = 0;
  #approvalsChanged = false;
  /** The number of the newest read of pending approvals; the results of older ones are dropped. */
  #approvalsRead = 0;
  /** Counts the messages about the app; a read that one of them overtook is dropped. */
  #appMessages = 0;
  #catching: Promise<void> | null = null;

  constructor(deps: Deps, log: StreamLog, env: Environment) {
    this.#deps = deps;
    this.#log = log;
    this.env = env;
    this.envId = env.id;
    this.counts = new ChannelCounts(env.id);
  }

  /** Starts or restarts the stream at `position`. */
  start(position: number): void {
    this.#turn.take();
    this.deliveredPosition = position;
    this.newestPosition = position;
    this.#wanted = position;
  }

  /** Takes a message of the bus. Resolves when all rows up to those of the message are appended. */
  async receive(text: string): Promise<void> {
    if (this.newestPosition < 0) return;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only processes of this service publish here
    const message = JSON.parse(text) as LiveBatch | EphemeralMessage;
    if (message.kind === 'passing') {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only processes of this service publish here
      const part = message.part as StreamPart;
      if (part.type === 'app') {
        this.#appMessages += 1;
        this.appOnline = part.online;
      }
      this.#turn.add([{ position: null, index: 0, at: message.at, part }]);
      return;
    }
    if (typeof message.epoch === 'number' && message.epoch !== this.env.epoch) {
      // The directory says where the former epoch ended, which is compared before messages of another one are appended.
      await this.#deps.directory.refresh();
      return;
    }
    const last = message.first + message.rows.length - 1;
    if (message.first > this.newestPosition + 1) {
      await this.readUpTo(last);
      return;
    }
    this.append(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only processes of this service publish here
      message.rows.map(({ at, parts }, i) => ({ position: message.first + i, at, parts: parts as StreamPart[] })),
    );
    this.counts.apply(message.counts, last, message.at);
    if (this.counts.hasChanged || this.#approvalsChanged) this.#emitCounts();
  }

  /** Appends the rows that follow the newest position; ignores all others, and those of another epoch. */
  append(rows: readonly StreamRow[], epoch = this.env.epoch): void {
    if (epoch !== this.env.epoch) return;
    for (const row of rows) {
      if (row.position !== this.newestPosition + 1) continue;
      this.#turn.add(toStreamEntries(row));
      this.newestPosition = row.position;
      this.#approvalsChanged ||= row.parts.some(({ type }) => type === 'approval');
    }
  }

  /** Catches up with the head in the database; `before` is `newestPosition` from before it was read, at the time `at`. */
  async catchUpTo({ epoch, position }: StreamHead, before: number, at: number): Promise<void> {
    if (epoch !== this.env.epoch) {
      await this.#enterEpoch(epoch, position);
      return;
    }
    if (position < before) await this.#restart(position, 'epoch');
    await this.readUpTo(position);
    if (position === before) this.counts.confirm(position, at);
  }

  /** Reads the log until `newestPosition` is at least `position`. */
  async readUpTo(position: number): Promise<void> {
    if (position <= this.newestPosition) return;
    this.#wanted = Math.max(this.#wanted, position);
    this.#catching ??= this.#catchUp();
    await this.#catching;
  }

  /** Reads whether the app is connected. */
  async readApp(): Promise<void> {
    const before = this.#appMessages;
    const online = await this.#deps.link.online(this.envId);
    if (before === this.#appMessages) this.appOnline = online;
  }

  /** Emits whether the app is connected if a message about it was lost. */
  async checkApp(): Promise<void> {
    const before = this.appOnline;
    await this.readApp();
    if (this.appOnline === before) return;
    const part = { type: 'app', online: this.appOnline } as const;
    this.#turn.add([{ position: null, index: 0, at: this.#deps.clock.now(), part }]);
  }

  /** Reads all counts, and emits those that have changed. */
  async readCounts(): Promise<void> {
    await this.counts.read(this.#deps.db, this.#deps.clock.now());
    this.#approvalsChanged = true;
    this.#emitCounts();
  }

  /** Reads the pending approvals. */
  async readApprovals(): Promise<void> {
    const read = ++this.#approvalsRead;
    this.#approvalsChanged = false;
    const pending = await readPendingApprovals(this.#deps.db, this.envId, this.#deps.clock.now());
    if (read === this.#approvalsRead) this.pendingApprovals = pending;
  }

  /** Called when the directory has been reloaded. Returns whether the epoch has changed, so that `catchUpTo` has to compare. */
  reloadEnvironment(): boolean {
    const env = this.#deps.directory.environmentById(this.envId);
    if (env === undefined) return false;
    const { epoch } = this.env;
    this.env = env.epoch === epoch ? env : { ...env, epoch };
    return env.epoch !== epoch;
  }

  /** Delivers all pending messages, so that `deliveredPosition` is `newestPosition`. */
  flush(): void {
    const entries = this.#turn.take();
    const before = this.deliveredPosition;
    this.deliveredPosition = this.newestPosition;
    if (entries.length === 0) return;
    try {
      this.groups.deliver(new LiveMessageBatch(this.env, entries), before);
    } catch (error) {
      // An error here must not end the process, and sessions must not miss messages without knowing.
      this.#deps.log.error(
        { err: error, env: this.envId, position: this.deliveredPosition },
        'live messages could not be made',
      );
      for (const session of this.sessions) session.reset('gone');
    }
    if (this.deliveredPosition > before) this.newMessages.wakeAll();
  }

  /** Emits the counts of inboxes or those of approvals, the others the next time: one message each time. */
  readonly #emitCounts = throttle(countsEveryMs, () => {
    if (this.counts.hasChanged) {
      const inboxes = this.counts.takeChanged(this.env.definition);
      const part = { type: 'counts', inboxes, approvals: null } as const;
      this.#turn.add([{ position: null, index: 0, at: this.counts.at, part }]);
      if (this.#approvalsChanged) setImmediate(this.#emitCounts);
    } else if (this.#approvalsChanged) void this.#emitApprovals();
  });

  async #emitApprovals(): Promise<void> {
    try {
      await this.readApprovals();
      for (const session of this.sessions) session.sendApprovals();
    } catch (error) {
      this.#approvalsChanged = true;
      this.#deps.log.debug(
        { err: error, env: this.envId },
        'the pending approvals could not be read; the next poll does',
      );
    }
  }

  async #catchUp(): Promise<void> {
    try {
      while (this.newestPosition < this.#wanted) {
        const { env } = this;
        const page = await this.#log.read(env, { position: this.newestPosition, parts: 0 });
        if (page.trimmed) return this.#restart(this.#wanted, 'gone');
        if (page.rows.length === 0) break;
        this.append(page.rows, env.epoch);
      }
    } finally {
      // A caller that wants more while the counts are read starts another reading.
      this.#catching = null;
    }
    await this.readCounts();
  }

  /** Goes on in a later epoch: without a break where the former one has lost nothing that is known here, else anew at `position`. */
  async #enterEpoch(epoch: number, position: number): Promise<void> {
    const { epoch: former } = this.env;
    const last = await readEpochEnd(this.#deps.db, this.envId, former);
    const env = this.#deps.directory.environmentById(this.envId);
    if (env?.epoch !== epoch) {
      // The reload compares again.
      await this.#deps.directory.refresh();
      return;
    }
    if (this.env.epoch !== former) return;
    // Pending messages belong to the former epoch.
    this.flush();
    this.env = env;
    if (this.newestPosition > last) await this.#restart(position, 'epoch');
    else await this.readUpTo(position);
  }

  /** Restarts the stream at `position` and sends each session a `reset`. */
  async #restart(position: number, reason: ResetReason): Promise<void> {
    this.#log.clearCache();
    this.start(position);
    this.restarted = { reason };
    this.counts.clear();
    for (const session of this.sessions) session.reset(reason);
    this.newMessages.wakeAll();
    await this.readCounts();
  }
}
