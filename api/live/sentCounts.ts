/** Which counts one session was told of, and what it has to be told where it wasn't in step. */
import type { MessageChain } from './messageChain.ts';
import type { EnvironmentChannel } from './channel.ts';
import type { InboxCounts } from './counts.ts';
import { presentPart, type Viewer } from './visibility.ts';

export class SentCounts {
  readonly #channel: EnvironmentChannel;
  readonly #chain: MessageChain;
  /** The version of the counts that it knows; -1: it may have missed some. */
  #version = -1;

  constructor(channel: EnvironmentChannel, chain: MessageChain) {
    this.#channel = channel;
    this.#chain = chain;
  }

  /** All that the viewer sees, for a hello. */
  all(viewer: Viewer): Readonly<Record<string, InboxCounts>> {
    const { counts, env } = this.#channel;
    this.#version = counts.version;
    const part = presentPart({ type: 'counts', inboxes: counts.all(env.definition) }, viewer, null);
    return part?.type === 'counts' ? part.inboxes : {};
  }

  /** It isn't told of changes for a while, or sees others now. */
  invalidate(): void {
    this.#version = -1;
  }

  /** It is in step: tells all that it sees, if it may have missed some. */
  sendIfOutdated(viewer: Viewer): void {
    if (this.#version === this.#channel.counts.version) return;
    const inboxes = this.all(viewer);
    if (viewer.types?.has('counts') !== false && Object.keys(inboxes).length > 0)
      this.#chain.sendEphemeral('counts', this.#channel.counts.at, { inboxes });
  }
}
