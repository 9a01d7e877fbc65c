/**
 * One subscriber. A session is live and gets each batch of messages, or is behind and catches up from the log (after
 * `after`, or because its socket was full); both keep the order of the stream. Made by hub.ts.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { Access } from '../../shared/accounts/access/access.ts';
import { accessIn } from '../../shared/accounts/access/principal.ts';
import type { AuthSession } from '../../shared/accounts/sessionCache.ts';
import { mayDecide } from '../../shared/approvals/rights.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { CatchUp } from './catchUp.ts';
import type { EnvironmentChannel } from './channel.ts';
import type { LiveContext } from './context.ts';
import type { SessionGroup } from './group.ts';
import type { LiveMessageBatch, RenderedFrames } from './messageBatch.ts';
import { MessageChain } from './messageChain.ts';
import { endOffset, type ResetReason, type StreamPosition } from './offsets.ts';
import { SentCounts } from './sentCounts.ts';
import { SocketHealth } from './socketHealth.ts';
import type { Narrowing } from './visibility.ts';

/** Where a session starts: at the newest position, with a reason when the client wanted another one, or after an offset. */
export type StreamStart =
  | { readonly reset: ResetReason | null }
  | { readonly after: string; readonly place: StreamPosition };

export interface LiveSubscriber {
  readonly channel: EnvironmentChannel;
  readonly ws: WebSocket;
  readonly socket: Socket;
  readonly who: AuthSession;
  readonly narrowing: Narrowing;
}

/** Returns what decides, beside the narrowing, which messages a principal gets. */
const viewerOf = (
  { env }: EnvironmentChannel,
  { principal }: AuthSession,
): { readonly access: Access; readonly decides: boolean } => {
  const access = accessIn(env, principal);
  return { access, decides: mayDecide({ type: principal.type, access }) };
};

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
    this.#group = channel.groups.join(viewerOf(channel, who), narrowing);
    this.#chain = new MessageChain(ws, socket);
    this.#catchUp = new CatchUp(context, this);
    this.#counts = new SentCounts(channel, this.#chain);
    this.upkeep = new SocketHealth(this, context.times);
    channel.sessions.add(this);
  }

  begin(start: StreamStart): void {
    this.channel.flush();
    const { env, deliveredPosition: head, counts, appOnline } = this.channel;
    const resumed = 'after' in start;
    // A reset's offset has to differ from the one of the hello before it, though both are the newest position's.
    const offset = resumed
      ? start.after
      : endOffset(env, head, start.reset === null ? undefined : endOffset(env, head));
    const { type, id, name, mode } = this.who.principal;
    const visible = this.#counts.all({ ...this.#group, types: null });
    const approvals = this.#counts.approvals(this.#group, this.who.principal);
    const hello = {
      resumed,
      principal: { type, id, name, mode },
      counts: visible,
      approvals,
      app: { online: appOnline },
    };
    this.#chain.begin(offset, 'hello', counts.at, hello);
    if (resumed) this.#catchUp.from(start.place);
    else if (start.reset === null) this.onCaughtUp();
    else this.reset(start.reset);
  }

  /** Sends a batch of live messages; `before` is the position before the batch. */
  receiveBatch(batch: LiveMessageBatch, before: number): void {
    const rendering = this.#render(batch);
    const waiting = this.socket.writableLength;
    if (waiting === 0 || waiting + rendering.bytes.length <= limits.liveBacklogBytes) this.#chain.append(rendering);
    else this.fallBehind(before);
  }

  /** Leaves the live messages: from `position` on the session reads the log as its socket drains. */
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
    this.#counts.sendIfOutdated(this.#group, this.who.principal);
  }

  /** Sends the counts of approvals if they have changed; a session that is behind gets them when it is live. */
  sendApprovals(): void {
    if (this.mode === 'live') this.#counts.sendApprovals(this.#group, this.who.principal);
  }

  /** Sends a `reset`, after which the client has to reload everything; the stream continues at the newest position. */
  reset(reason: ResetReason): void {
    if (this.mode === 'ended') return;
    this.channel.flush();
    const { env, deliveredPosition: head } = this.channel;
    this.#chain.advance(endOffset(env, head, this.#chain.last), 'reset', this.#now(), { reason });
    this.#recount();
    if (this.mode === 'behind') this.#catchUp.from({ position: head, parts: 0 });
  }

  /** Continues with the access that the principal has in the environment now. */
  updatePrincipal(who: AuthSession): void {
    if (this.mode === 'ended') return;
    this.who = who;
    if (accessIn(this.channel.env, who.principal).key === this.#group.access.key) return;
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

  /** Sends a message that doesn't advance the chain. */
  sendEphemeral(type: string, members: object): void {
    this.#chain.sendEphemeral(type, this.#now(), members);
  }

  /** Closes the stream; the connection ends when the client answers the close frame, at the latest after `graceMs`. */
  end(code: number, reason: string): void {
    if (this.mode === 'ended') return;
    this.leave();
    this.ws.close(code, reason);
    this.upkeep.startCloseTimer();
  }

  /** Leaves group and channel; nothing is sent afterwards. */
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

  /** Moves to the group of the present access and narrowing, after pending messages were delivered to the old one. */
  #regroup(): void {
    this.channel.flush();
    this.#group.live.delete(this);
    this.channel.groups.leave(this.#group);
    this.#group = this.channel.groups.join(viewerOf(this.channel, this.who), this.narrowing);
    if (this.mode === 'live') this.#group.live.add(this);
  }

  /** Sends all counts that the session sees, now or as soon as it is live. */
  #recount(): void {
    this.#counts.invalidate();
    if (this.mode === 'live') this.#counts.sendIfOutdated(this.#group, this.who.principal);
  }
}
