// Makes the demo environment's content, the same for a seed and time on every machine; used by the loader and by benchmarks.

import { DemoDirectory } from './directory.ts';
import { draftAbuse, draftRefund, draftSignup } from './drafts/cases.ts';
import type { Draft, Scene } from './drafts/draft.ts';
import { draftError } from './drafts/errors.ts';
import { draftSupport } from './drafts/support.ts';
import { agents, people, roles } from './people.ts';
import { play } from './plots.ts';
import { mix, MS, Random } from './random.ts';
import { customerRecord, orderRecord, paymentRecord, subscriptionRecord } from './sales.ts';
import { Story } from './story.ts';
import type { DemoItem, DemoWorld } from './types.ts';

const SPAN = 120 * MS.day;
/** Above 1, so that there is more of the last days than of the first: the company grows. */
const GROWTH = 1.25;
const BATCH = 1_000;

const drafts: readonly { weight: number; draft: (scene: Scene) => Draft }[] = [
  { weight: 40, draft: draftSupport },
  { weight: 25, draft: draftError },
  { weight: 15, draft: draftRefund },
  { weight: 10, draft: draftSignup },
  { weight: 10, draft: draftAbuse },
];

/** Returns everything but the items, at most half a megabyte. */
export function demoWorld(seed: number, now: number): DemoWorld {
  const { customers, orders } = new DemoDirectory(seed, now);
  return {
    people: people.map((person) => ({ ...person })),
    roles: roles.map(({ name, grants }) => ({ name, grants: grants.map(({ on, can }) => ({ on, can: [...can] })) })),
    agents: agents.map((agent) => ({ ...agent })),
    records: [...customers.map((customer) => customerRecord(customer, now)), ...orders.map(orderRecord)],
    appRecords: [...orders.map(paymentRecord), ...customers.map((customer) => subscriptionRecord(customer, now))],
  };
}

/**
 * Yields `count` items in batches of 1,000, oldest first, and keeps none of them.
 * `now` is in epoch milliseconds; nothing happens after it.
 */
export function* demoItems(seed: number, now: number, count: number): Generator<DemoItem[], void, undefined> {
  const directory = new DemoDirectory(seed, now);
  for (let first = 0; first < count; first += BATCH) {
    const length = Math.min(BATCH, count - first);
    yield Array.from({ length }, (_, n) => demoItem(directory, { seed, now, count }, first + n));
  }
}

/** Returns item `n`, which depends on nothing but the arguments. */
function demoItem(
  directory: DemoDirectory,
  { seed, now, count }: { seed: number; now: number; count: number },
  n: number,
): DemoItem {
  const random = new Random(mix(seed, n));
  // Each item has its own slice of time, which keeps them in order without sorting.
  const age = SPAN * (1 - (n + random.next()) / count) ** GROWTH;
  const at = now - Math.ceil(age);
  // Multiplying by an odd number never maps two of 2^32 to one, so handles differ.
  const handle = (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
  const draft = random.weighted(drafts).draft({ random, directory, at, handle });
  const story = new Story(draft, at, now);
  play(story, draft, random);
  return story.end();
}
