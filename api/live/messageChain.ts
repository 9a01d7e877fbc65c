/**
 * Writes messages to one socket as a chain: each names the offset of the one before it. Frames are written to the socket
 * itself, never through `ws.send`, and never once a close frame was sent.
 */
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { encodeFrames, encodeMessage, membersJson, offsetLength } from './frames.ts';
import { rewriteHead, type RenderedFrames } from './messageBatch.ts';

export class MessageChain {
  readonly #ws: WebSocket;
  readonly #socket: Socket;
  #last = '';

  constructor(ws: WebSocket, socket: Socket) {
    this.#ws = ws;
    this.#socket = socket;
  }

  /** The offset of the last message that wasn't a passing one. */
  get last(): string {
    return this.#last;
  }

  /** Sends the first message, which has none before it. */
  begin(offset: string, type: string, at: number, members: object): void {
    // Finished frames have one offset written over another.
    if (offset.length !== offsetLength) throw new Error('An offset has another length than the frames are made for.');
    this.#last = offset;
    this.#write(encodeMessage({ type, offset, prev: null, at }, membersJson(members)));
  }

  advance(offset: string, type: string, at: number, members: object): void {
    const prev = this.#last;
    this.#last = offset;
    this.#write(encodeMessage({ type, offset, prev, at }, membersJson(members)));
  }

  /** Sends a message that doesn't advance the chain. */
  sendEphemeral(type: string, at: number, members: object): void {
    this.#write(encodeMessage({ type, offset: this.#last, prev: this.#last, at }, membersJson(members)));
  }

  /** Frames that were made for a whole group: as they are when this socket is in step with it, else with its own offset put in. */
  append(rendering: RenderedFrames): void {
    const { bytes, fromOffset: from, toOffset: to } = rendering;
    if (bytes.length === 0 || this.#ws.readyState !== this.#ws.OPEN) return;
    if (from === this.#last) this.#socket.write(bytes);
    else {
      const head = rewriteHead(rendering, this.#last);
      this.#socket.cork();
      this.#socket.write(head);
      this.#socket.write(bytes.subarray(head.length));
      this.#socket.uncork();
    }
    if (to !== null) this.#last = to;
  }

  #write(text: string): void {
    if (this.#ws.readyState === this.#ws.OPEN) this.#socket.write(encodeFrames([text]).bytes);
  }
}
