/** Sessions of one environment that see the same: one decision and one serialised message for all of them. */
import type { LiveMessageBatch } from './messageBatch.ts';
import type { Narrowing, Viewer } from './visibility.ts';

/** A session, as its group knows it. */
interface Member {
  /** Takes a batch of live messages; `before` is the stream's position before it. */
  receiveBatch(batch: LiveMessageBatch, before: number): void;
}

export interface SessionGroup extends Viewer {
  readonly key: string;
  /** Those in step with the live messages; the others read the log. */
  readonly live: Set<Member>;
  /** All of them. */
  members: number;
}

const sorted = (names: ReadonlySet<string> | null): string[] | null => (names === null ? null : [...names].sort());

export class SessionGroups {
  readonly #groups = new Map<string, SessionGroup>();

  get size(): number {
    return this.#groups.size;
  }

  /** Returns the group of all who see the same, made when there is none; `leave` it once for each `join`. */
  join({ access, decides }: Pick<Viewer, 'access' | 'decides'>, { types, inboxes, agent }: Narrowing): SessionGroup {
    const key = JSON.stringify([access.key, decides, sorted(types), sorted(inboxes), agent]);
    const group = this.#groups.get(key) ?? { key, access, decides, types, inboxes, agent, live: new Set(), members: 0 };
    group.members += 1;
    this.#groups.set(key, group);
    return group;
  }

  leave(group: SessionGroup): void {
    group.members -= 1;
    if (group.members === 0) this.#groups.delete(group.key);
  }

  /** Hands a batch to all who are in step; `before` is where they stand. */
  deliver(batch: LiveMessageBatch, before: number): void {
    for (const group of this.#groups.values()) {
      // A copy: a session may fall behind, be in step again at once and come back to the set, where it would be found once more.
      const members = [...group.live];
      for (const session of members) session.receiveBatch(batch, before);
    }
  }
}
