/**
 * Rows of the stream as entries, one per message, and how a batch of them looks to a group of equal viewers: decided,
 * presented and serialised once per group, whatever the number of its sessions.
 */
import { orderApproval, orderRun } from '../../shared/app/manifest/declaredOrder.ts';
import type { Definition, Environment } from '../../shared/app/manifest/definition.ts';
import {
  encodeFrames,
  encodeMessage,
  membersJson,
  offsetIndex,
  offsetLength,
  prevIndex,
  type MessageHead,
} from './frames.ts';
import { partIndex } from './offsets.ts';
import { partAuthors, presentPart, type ShownPart, type StreamPart, type Viewer } from './visibility.ts';

export interface StreamRow {
  readonly position: number;
  readonly at: number;
  readonly parts: readonly StreamPart[];
}

export interface StreamEntry {
  /** null: a passing message, which isn't in the log and doesn't advance the chain. */
  readonly position: number | null;
  /** Its place in its row, as offsets have it. */
  readonly index: number;
  readonly at: number;
  readonly part: StreamPart;
  /** Its JSON for everybody who sees it whole. */
  rest?: string;
  offset?: string;
}

export const toStreamEntries = ({ position, at, parts }: StreamRow): StreamEntry[] =>
  parts.map((part, i) => ({ position, index: partIndex(i, parts.length), at, part }));

/** Returns the entry with the members that the app declares in their order. */
const inDeclaredOrder = (definition: Definition, entry: StreamEntry): StreamEntry => {
  const { part } = entry;
  if (part.type === 'run') return { ...entry, part: { ...part, run: orderRun(definition, part.run) } };
  if (part.type !== 'approval') return entry;
  return { ...entry, part: { ...part, approval: orderApproval(definition, part.approval) } };
};

export const entryOffset = (env: Environment, entry: StreamEntry, position: number): string =>
  (entry.offset ??= env.seal.offset({ epoch: env.epoch, position, part: entry.index }));

const partMembersJson = (part: ShownPart): string => {
  const { type: _, ...members } = part;
  return membersJson(members);
};

/** Returns the members of an entry's message as one viewer sees it, or null, also for an invalid part. */
export const presentMembersJson = (entry: StreamEntry, viewer: Viewer, principal: string | null): string | null => {
  try {
    const shown = presentPart(entry.part, viewer, principal);
    if (shown === null) return null;
    return shown === entry.part ? (entry.rest ??= partMembersJson(shown)) : partMembersJson(shown);
  } catch {
    return null;
  }
};

/** Finished frames of one batch for one group. */
export interface RenderedFrames {
  readonly bytes: Buffer;
  /** The offset that the frames name as the last one before them … */
  readonly fromOffset: string;
  /** … and where in `bytes` it stands, for sessions whose last one was another. */
  readonly offsetIndexes: readonly number[];
  /** The last offset in it, or null when it has ephemeral messages only. */
  readonly toOffset: string | null;
}

/** The messages that the sessions of one environment get together. */
export class LiveMessageBatch {
  readonly entries: readonly StreamEntry[];
  /** Principals who get a message in it that others of their role may not get, or get otherwise. */
  readonly authors: ReadonlySet<string>;
  readonly #env: Environment;
  readonly #renderings = new Map<Viewer, Map<string | null, RenderedFrames>>();

  constructor(env: Environment, entries: readonly StreamEntry[]) {
    this.#env = env;
    this.entries = entries.map((entry) => inDeclaredOrder(env.definition, entry));
    this.authors = new Set(entries.flatMap(({ part }) => partAuthors(part)));
  }

  /** Returns the frames for `viewer`, made at its first call; `from` is the last offset of the calling session. */
  render(viewer: Viewer, principal: string | null, from: string): RenderedFrames {
    const known = this.#renderings.get(viewer) ?? new Map<string | null, RenderedFrames>();
    this.#renderings.set(viewer, known);
    const author = principal !== null && this.authors.has(principal) ? principal : null;
    const rendering = known.get(author) ?? this.#compose(viewer, author, from);
    known.set(author, rendering);
    return rendering;
  }

  #compose(viewer: Viewer, author: string | null, from: string): RenderedFrames {
    const heads: MessageHead[] = [];
    const texts: string[] = [];
    let prev = from;
    for (const entry of this.entries) {
      const rest = presentMembersJson(entry, viewer, author);
      if (rest === null) continue;
      const offset = entry.position === null ? prev : entryOffset(this.#env, entry, entry.position);
      const head = { type: entry.part.type, offset, prev, at: entry.at };
      heads.push(head);
      texts.push(encodeMessage(head, rest));
      prev = offset;
    }
    const { bytes, starts } = encodeFrames(texts);
    const places: number[] = [];
    for (const [i, { type, offset }] of heads.entries()) {
      const start = starts[i] ?? 0;
      if (offset === from) places.push(start + offsetIndex(type));
      places.push(start + prevIndex(type));
      if (offset !== from) break;
    }
    return { bytes, fromOffset: from, offsetIndexes: places, toOffset: prev === from ? null : prev };
  }
}

/** Returns the first bytes of a rendering with another offset as the one before it; the rest of it can be shared. */
export const rewriteHead = ({ bytes, offsetIndexes: places }: RenderedFrames, last: string): Buffer => {
  const head = Buffer.from(bytes.subarray(0, (places.at(-1) ?? 0) + offsetLength));
  for (const place of places) head.write(last, place, 'latin1');
  return head;
};
