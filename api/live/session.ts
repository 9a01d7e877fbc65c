/**
 * One subscriber. It is in step with the live messages, or catches up from the log (after `after`, or because its socket
 * was full) until it is; both are in the order of the stream.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { AuthSession } from '../../shared/settings/directory.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import type { LiveMessageBatch, RenderedFrames } from './messageBatch.ts';
import { CatchUp } from './catchUp.ts';
import { MessageChain } from './messageChain.ts';
import type { EnvironmentChannel } from './channel.ts';
import type { LiveContext } from './context.ts';
import type { SessionGroup } from './group.ts';
import { endOffset, type StreamPosition, type ResetReason } from './offsets.ts';
import { SentCounts } from './sentCounts.ts';
import { SocketHealth } from './socketHealth.ts';
import type { Narrowing } from './visibility.ts';

/** Where a stream begins: now (and, with a reason, not where the client wanted), or after an offset. */
export type StreamStart =
  { readonly reset: ResetReason | null } | { readonly after: string; readonly place: StreamPosition };

export interface LiveSubscriber {
  readonly channel: EnvironmentChannel;
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly who: AuthSession;
  readonly narrowing: Narrowing;
}

export class LiveSession {
  readonly upkeep: SocketHealth;
  readonly socket: Socket;
  readonly ws: WebSocket;
  readonly channel: EnvironmentChannel;
  who: AuthSession;
  narrowing: Narrowing;
  mode: 'behind' | 'live' | 'ended' = 'behind';
  #group: SessionGroup;
  readonly #chain: MessageChain;
  readonly #catchUp: CatchUp;
  readonly #counts: SentCounts;
  readonly #context: LiveContext;

  constructor(context: LiveContext, { channel, ws, socket, who, narrowing }: LiveSubscriber) {
    this.#context = context;
    this.channel = channel;
    this.ws = ws;
    this.socket = socket;
    this.who = who;
    this.narrowing = narrowing;
    this.#group = channel.groups.join(who.principal.access, narrowing);
    this.#chain = new MessageChain(ws, socket);
    this.#catchUp = new CatchUp(context, this);
    this.#counts = new SentCounts(channel, this.#chain);
    this.upkeep = new SocketHealth(this, context.times);
    channel.sessions.add(this);
  }

  begin(start: StreamStart): void {
    this.channel.flush();
    const { env, deliveredPosition: head, counts } = this.channel;
    const resumed = 'after' in start;
    // A reset's offset has to differ from the one of the hello before it, though both are the newest position's.
    const offset = resumed
      ? start.after
      : endOffset(env, head, start.reset === null ? undefined : endOffset(env, head));
    const { type, id, name, mode } = this.who.principal;
    const visible = this.#counts.all({ ...this.#group, types: null });
    this.#chain.begin(offset, 'hello', counts.at, { resumed, principal: { type, id, name, mode }, counts: visible });
    if (resumed) this.#catchUp.from(start.place);
    else if (start.reset === null) this.onCaughtUp();
    else this.reset(start.reset);
  }

  /** A batch of live messages, while in step; `before` is the position before it. */
  receiveBatch(batch: LiveMessageBatch, before: number): void {
    const rendering = this.#render(batch);
    const waiting = this.socket.writableLength;
    if (waiting === 0 || waiting + rendering.bytes.length <= limits.liveBacklogBytes) this.#chain.append(rendering);
    else this.fallBehind(before);
  }

  /** Stops queueing: from `position` on it reads the log as its socket drains. */
  fallBehind(position: number): void {
    this.mode = 'behind';
    this.#group.live.delete(this);
    this.#counts.invalidate();
    this.upkeep.watchBacklog();
    this.#catchUp.from({ position, parts: 0 });
  }

  read(batch: LiveMessageBatch): void {
    this.#chain.append(this.#render(batch));
  }

  onTrimmed(): void {
    this.reset('gone');
  }

  onCaughtUp(): void {
    this.mode = 'live';
    this.#group.live.add(this);
    this.#counts.sendIfOutdated(this.#group);
  }

  /** Tells that everything has to be fetched anew; the stream goes on from the newest position. */
  reset(reason: ResetReason): void {
    if (this.mode === 'ended') return;
    this.channel.flush();
    const { env, deliveredPosition: head } = this.channel;
    this.#chain.advance(endOffset(env, head, this.#chain.last), 'reset', this.#now(), { reason });
    this.#recount();
    if (this.mode === 'behind') this.#catchUp.from({ position: head, parts: 0 });
  }

  /** Goes on under what the principal's role allows now. */
  updatePrincipal(who: AuthSession): void {
    if (this.mode === 'ended') return;
    const before = this.who.principal.access.key;
    this.who = who;
    if (who.principal.access.key === before) return;
    this.#regroup();
    this.reset('role');
  }

  narrow(narrowing: Narrowing): void {
    if (this.mode === 'ended') return;
    this.narrowing = narrowing;
    this.#regroup();
    const named = (names: ReadonlySet<string> | null): string[] | null => (names === null ? null : [...names]);
    this.sendEphemeral('narrowed', { types: named(narrowing.types), inboxes: named(narrowing.inboxes) });
    this.#recount();
  }

  /** A message that doesn't advance the chain. */
  sendEphemeral(type: string, members: object): void {
    this.#chain.sendEphemeral(type, this.#now(), members);
  }

  /** Closes the stream; the connection ends when the client answers, or without it after a while. */
  end(code: number, reason: string): void {
    if (this.mode === 'ended') return;
    this.leave();
    this.ws.close(code, reason);
    this.upkeep.startCloseTimer();
  }

  /** Nothing is sent after this. */
  leave(): void {
    if (this.mode === 'ended') return;
    this.mode = 'ended';
    this.#catchUp.stop();
    this.#group.live.delete(this);
    this.channel.groups.leave(this.#group);
    this.channel.sessions.delete(this);
    this.channel.users -= 1;
  }

  #render(batch: LiveMessageBatch): RenderedFrames {
    return batch.render(this.#group, this.who.principal.id, this.#chain.last);
  }

  #now(): number {
    return this.#context.deps.clock.now();
  }

  /** What was heard before the change is told as it was before the change. */
  #regroup(): void {
    this.channel.flush();
    this.#group.live.delete(this);
    this.channel.groups.leave(this.#group);
    this.#group = this.channel.groups.join(this.who.principal.access, this.narrowing);
    if (this.mode === 'live') this.#group.live.add(this);
  }

  /** All counts that it sees, now or as soon as it is in step. */
  #recount(): void {
    this.#counts.invalidate();
    if (this.mode === 'live') this.#counts.sendIfOutdated(this.#group);
  }
}
