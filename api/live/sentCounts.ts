/** Which counts one session has been sent, and which it still has to be sent after it was behind. Used by session.ts. */
import type { Principal } from '../../shared/accounts/access/principal.ts';
import { countApprovals, type ApprovalCounts } from '../../shared/approvals/counts.ts';
import type { EnvironmentChannel } from './channel.ts';
import type { InboxCounts } from './counts.ts';
import type { MessageChain } from './messageChain.ts';
import { presentPart, type Viewer } from './visibility.ts';

export class SentCounts {
  readonly #channel: EnvironmentChannel;
  readonly #chain: MessageChain;
  /** The version of the counts that the session has; -1 when it may have missed changes. */
  #version = -1;
  /** The counts of approvals that the session has, as JSON. */
  #approvals = '';

  constructor(channel: EnvironmentChannel, chain: MessageChain) {
    this.#channel = channel;
    this.#chain = chain;
  }

  /** Returns all counts that the viewer sees, for a hello. */
  all(viewer: Viewer): Readonly<Record<string, InboxCounts>> {
    const { counts, env } = this.#channel;
    this.#version = counts.version;
    const part = presentPart({ type: 'counts', inboxes: counts.all(env.definition), approvals: null }, viewer, null);
    return part?.type === 'counts' ? part.inboxes : {};
  }

  /** Returns the counts of approvals, for a hello. `access`: the viewer's. */
  approvals({ access }: Viewer, { type, id, role }: Pick<Principal, 'type' | 'id' | 'role'>): ApprovalCounts {
    const counts = countApprovals(this.#channel.pendingApprovals, { type, id, role, access });
    this.#approvals = JSON.stringify(counts);
    return counts;
  }

  /** Called when the session stops receiving changes, or sees other inboxes. */
  invalidate(): void {
    this.#version = -1;
  }

  /** Sends all counts that the session sees if it may have missed changes. Called when it is live. */
  sendIfOutdated(viewer: Viewer, principal: Pick<Principal, 'type' | 'id' | 'role'>): void {
    if (this.#version !== this.#channel.counts.version) {
      const inboxes = this.all(viewer);
      if (viewer.types?.has('counts') !== false && Object.keys(inboxes).length > 0)
        this.#chain.sendEphemeral('counts', this.#channel.counts.at, { inboxes, approvals: null });
    }
    this.sendApprovals(viewer, principal);
  }

  /** Sends the counts of approvals if they differ from those that the session has. Called when it is live. */
  sendApprovals(viewer: Viewer, principal: Pick<Principal, 'type' | 'id' | 'role'>): void {
    if (viewer.types?.has('counts') === false) return;
    const had = this.#approvals;
    const approvals = this.approvals(viewer, principal);
    if (this.#approvals !== had)
      this.#chain.sendEphemeral('counts', this.#channel.counts.at, { inboxes: {}, approvals });
  }
}
