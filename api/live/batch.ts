/**
 * Rows of the stream as entries, one per message, and how a batch of them looks to a group of equal viewers: decided,
 * presented and serialised once per group, whatever the number of its sessions.
 */
import type { Environment } from '../../shared/environments/definition.ts';
import { frames, messageText, offsetLength, offsetPlace, prevPlace, restOf, type Head } from './frames.ts';
import { partIndex } from './offsets.ts';
import { authorOf, visiblePart, type Part, type Viewer } from './visible.ts';

export interface StreamRow {
  readonly position: number;
  readonly at: number;
  readonly parts: readonly Part[];
}

export interface Entry {
  /** null: a passing message, which isn't in the log and doesn't advance the chain. */
  readonly position: number | null;
  /** Its place in its row, as offsets have it. */
  readonly index: number;
  readonly at: number;
  readonly part: Part;
  /** Its JSON for everybody who sees it whole. */
  rest?: string;
  offset?: string;
}

export const entriesOf = ({ position, at, parts }: StreamRow): Entry[] => parts.map((part, i) => ({ position, index: partIndex(i, parts.length), at, part }));

export const offsetOfEntry = (env: Environment, entry: Entry, position: number): string =>
  (entry.offset ??= env.seal.offset({ epoch: env.epoch, position, part: entry.index }));

const restOfPart = (part: Part): string => {
  const { type: _, ...members } = part;
  return restOf(members);
};

/** The members of an entry's message as one viewer sees it, or null. A part that isn't what it should be is seen by nobody. */
export const restFor = (entry: Entry, viewer: Viewer, principal: string | null): string | null => {
  try {
    const shown = visiblePart(entry.part, viewer, principal);
    if (shown === null) return null;
    return shown === entry.part ? (entry.rest ??= restOfPart(shown)) : restOfPart(shown);
  } catch {
    return null;
  }
};

/** Finished frames of one batch for one group. */
export interface Rendering {
  readonly bytes: Buffer;
  /** The offset that the frames name as the last one before them … */
  readonly from: string;
  /** … and where in `bytes` it stands, for sessions whose last one was another. */
  readonly places: readonly number[];
  /** The last offset in it, or null when it holds passing messages only. */
  readonly to: string | null;
}

/** What the sessions of one environment get in one go. */
export class Batch {
  readonly entries: readonly Entry[];
  /** Principals who hear something in it that others of their role may not. */
  readonly authors: ReadonlySet<string>;
  readonly #env: Environment;
  readonly #renderings = new Map<Viewer, Map<string | null, Rendering>>();

  constructor(env: Environment, entries: readonly Entry[]) {
    this.#env = env;
    this.entries = entries;
    this.authors = new Set(entries.map(({ part }) => authorOf(part)).filter((id) => id !== null));
  }

  /** The frames for `viewer`, made at its first call; `from` is the last offset of the session that asks. */
  render(viewer: Viewer, principal: string | null, from: string): Rendering {
    const known = this.#renderings.get(viewer) ?? new Map<string | null, Rendering>();
    this.#renderings.set(viewer, known);
    const author = principal !== null && this.authors.has(principal) ? principal : null;
    const rendering = known.get(author) ?? this.#compose(viewer, author, from);
    known.set(author, rendering);
    return rendering;
  }

  #compose(viewer: Viewer, author: string | null, from: string): Rendering {
    const heads: Head[] = [];
    const texts: string[] = [];
    let prev = from;
    for (const entry of this.entries) {
      const rest = restFor(entry, viewer, author);
      if (rest === null) continue;
      const offset = entry.position === null ? prev : offsetOfEntry(this.#env, entry, entry.position);
      const head = { type: entry.part.type, offset, prev, at: entry.at };
      heads.push(head);
      texts.push(messageText(head, rest));
      prev = offset;
    }
    const { bytes, starts } = frames(texts);
    const places: number[] = [];
    for (const [i, { type, offset }] of heads.entries()) {
      const start = starts[i] ?? 0;
      if (offset === from) places.push(start + offsetPlace(type));
      places.push(start + prevPlace(type));
      if (offset !== from) break;
    }
    return { bytes, from, places, to: prev === from ? null : prev };
  }
}

/** The first bytes of a rendering with another offset as the one before it; the rest of it can be shared. */
export const headFrom = ({ bytes, places }: Rendering, last: string): Buffer => {
  const head = Buffer.from(bytes.subarray(0, (places.at(-1) ?? 0) + offsetLength));
  for (const place of places) head.write(last, place, 'latin1');
  return head;
};
