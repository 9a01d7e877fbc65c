/** Which counts one session was told of, and what it has to be told where it wasn't in step. */
import type { Chain } from './chain.ts';
import type { Channel } from './channel.ts';
import type { InboxCounts } from './counts.ts';
import { visiblePart, type Viewer } from './visible.ts';

export class ToldCounts {
  readonly #channel: Channel;
  readonly #chain: Chain;
  /** The version of the counts that it knows; -1: it may have missed some. */
  #version = -1;

  constructor(channel: Channel, chain: Chain) {
    this.#channel = channel;
    this.#chain = chain;
  }

  /** All that the viewer sees, for a hello. */
  all(viewer: Viewer): Readonly<Record<string, InboxCounts>> {
    const { counts, env } = this.#channel;
    this.#version = counts.version;
    const part = visiblePart({ type: 'counts', inboxes: counts.all(env.definition) }, viewer, null);
    return part?.type === 'counts' ? part.inboxes : {};
  }

  /** It isn't told of changes for a while, or sees others now. */
  missed(): void {
    this.#version = -1;
  }

  /** It is in step: tells all that it sees, if it may have missed some. */
  make(viewer: Viewer): void {
    if (this.#version === this.#channel.counts.version) return;
    const inboxes = this.all(viewer);
    if (viewer.types?.has('counts') !== false && Object.keys(inboxes).length > 0) this.#chain.pass('counts', this.#channel.counts.at, { inboxes });
  }
}
