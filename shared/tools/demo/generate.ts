/** Makes the demo environment's items, the same for a seed and time on every machine; used by the loader and by benchmarks. */
import type { Environment } from '../../app/manifest/definition.ts';
import { draftAbuse, draftError, draftRefund, draftSignup, draftSupport } from './drafts.ts';
import { play } from './plots.ts';
import { MS, Random } from './random.ts';
import { Shop } from './shop.ts';
import { Story, type Cast } from './story.ts';

const span = 120 * MS.day;
/** Above 1, so that there is more of the last days than of the first: the company grows. */
const growth = 1.25;
const batchSize = 1_000;

/** The first are the most frequent. */
const kinds = [draftSupport, draftError, draftRefund, draftSignup, draftAbuse];

export interface ItemsOptions {
  readonly seed: number;
  /** Epoch milliseconds; nothing happens after it. */
  readonly now: number;
  readonly items: number;
  readonly env: Environment;
  readonly cast: Cast;
}

/** Returns the story of item `n`, which depends on nothing but the arguments. */
const tell = (shop: Shop, { seed, now, items, env, cast }: ItemsOptions, n: number): Story => {
  const random = new Random(seed, n);
  // Each item has its own slice of time, which keeps them in order without sorting.
  const at = now - Math.ceil(span * (1 - (n + random.next()) / items) ** growth);
  // Multiplying by an odd number never maps two of 2^32 to one, so handles differ.
  const handle = (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
  const draft = random.pick(kinds, 1.7)({ random, shop, at, handle });
  const inbox = env.definition.inboxes.get(draft.input.inbox);
  if (inbox === undefined)
    throw new Error(`The environment declares no inbox ${draft.input.inbox}, which the demo needs.`);
  const story = new Story({ draft, env, inbox, cast, random, n, now }, at);
  play(story);
  return story;
};

/** Yields the items in batches of 1,000, oldest first, and keeps none of them. */
export function* demoItems(options: ItemsOptions): Generator<Story[], void, undefined> {
  const shop = new Shop(options.seed, options.now);
  for (let first = 0; first < options.items; first += batchSize) {
    const length = Math.min(batchSize, options.items - first);
    yield Array.from({ length }, (_, n) => tell(shop, options, first + n));
  }
}
