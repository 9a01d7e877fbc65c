/** The cache of exact counts per inbox that streams emit: one per environment, read from the table `counts` at first and after a gap. */
import type { Definition } from '../../shared/app/manifest/definition.ts';
import { readCounts, toInboxCounts, type InboxCounts, type InboxMeasures } from '../../shared/items/counts.ts';
import type { Db } from '../../shared/platform/db/knex.ts';

export type { InboxCounts };

const same = (a: InboxMeasures, b: InboxMeasures): boolean =>
  [...Object.keys(a), ...Object.keys(b)].every((measure) => (a[measure] ?? 0) === (b[measure] ?? 0));

/** The counts of one environment, and which of them have changed since they were last emitted. */
export class ChannelCounts {
  /** The time at which the counts were true, in epoch milliseconds. */
  at = 0;
  /** Rises with each change. */
  version = 0;
  readonly #envId: number;
  #position = -1;
  #inboxes = new Map<string, InboxMeasures>();
  #changed = new Set<string>();

  constructor(envId: number) {
    this.#envId = envId;
  }

  /** Applies the counts that the publisher sent with the rows up to `position`; ignores older ones. */
  apply(changed: Readonly<Record<string, InboxMeasures>>, position: number, at: number): void {
    if (position < this.#position) return;
    this.#position = position;
    this.at = Math.max(this.at, at);
    for (const [inbox, measures] of Object.entries(changed))
      this.#set(inbox, { ...this.#inboxes.get(inbox), ...measures });
  }

  /** Reads all counts from the database. `now` is a time at or before the read. */
  async read(db: Db, now: number): Promise<void> {
    const { version } = this;
    const { position, inboxes } = await readCounts(db, this.#envId);
    // Counts that were applied meanwhile may be missing in this snapshot: the next poll reads again.
    if (position < this.#position || (version !== this.version && position === this.#position)) return;
    this.#position = position;
    this.at = Math.max(this.at, now);
    for (const [inbox, measures] of inboxes) this.#set(inbox, measures);
  }

  /** Confirms that the counts were still true at `at`, when the stream was at `position`. */
  confirm(position: number, at: number): void {
    if (position === this.#position) this.at = Math.max(this.at, at);
  }

  /** Clears the cache, after the database was restored from a backup. */
  clear(): void {
    this.#position = -1;
    this.#inboxes.clear();
  }

  #set(inbox: string, measures: InboxMeasures): void {
    if (same(measures, this.#inboxes.get(inbox) ?? {})) return;
    this.#inboxes.set(inbox, measures);
    this.#changed.add(inbox);
    this.version += 1;
  }

  /** Marks all counts as emitted: a session that joins gets all of them in its hello. */
  markSent(): void {
    this.#changed.clear();
  }

  get hasChanged(): boolean {
    return this.#changed.size > 0;
  }

  /** Returns the counts of every inbox, zero where nothing was ever counted. */
  all(definition: Definition): Record<string, InboxCounts> {
    return this.#shaped(definition, new Set([...definition.inboxes.keys(), ...this.#inboxes.keys()]));
  }

  /** Returns the counts that have changed since the last call. */
  takeChanged(definition: Definition): Record<string, InboxCounts> {
    const changed = this.#changed;
    this.#changed = new Set();
    return this.#shaped(definition, changed);
  }

  #shaped(definition: Definition, names: ReadonlySet<string>): Record<string, InboxCounts> {
    return Object.fromEntries(
      [...names].map((name) => [name, toInboxCounts(definition.inboxes.get(name), this.#inboxes.get(name) ?? {})]),
    );
  }
}
