/** Which counts one session has been sent, and which it still has to be sent after it was behind. Used by session.ts. */
import type { EnvironmentChannel } from './channel.ts';
import type { InboxCounts } from './counts.ts';
import type { MessageChain } from './messageChain.ts';
import { presentPart, type Viewer } from './visibility.ts';

export class SentCounts {
  readonly #channel: EnvironmentChannel;
  readonly #chain: MessageChain;
  /** The version of the counts that the session has; -1 when it may have missed changes. */
  #version = -1;

  constructor(channel: EnvironmentChannel, chain: MessageChain) {
    this.#channel = channel;
    this.#chain = chain;
  }

  /** Returns all counts that the viewer sees, for a hello. */
  all(viewer: Viewer): Readonly<Record<string, InboxCounts>> {
    const { counts, env } = this.#channel;
    this.#version = counts.version;
    const part = presentPart({ type: 'counts', inboxes: counts.all(env.definition) }, viewer, null);
    return part?.type === 'counts' ? part.inboxes : {};
  }

  /** Called when the session stops receiving changes, or sees other inboxes. */
  invalidate(): void {
    this.#version = -1;
  }

  /** Sends all counts that the session sees if it may have missed changes. Called when it is live. */
  sendIfOutdated(viewer: Viewer): void {
    if (this.#version === this.#channel.counts.version) return;
    const inboxes = this.all(viewer);
    if (viewer.types?.has('counts') !== false && Object.keys(inboxes).length > 0)
      this.#chain.sendEphemeral('counts', this.#channel.counts.at, { inboxes });
  }
}
