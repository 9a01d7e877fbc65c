/** Measures how a page's memory grows with the messages of the live stream, apart from what it takes until everything is full that it keeps. Used by the suite `console`. */
import { sleep } from '../../../shared/platform/time/clock.ts';
import { usedHeap } from '../../support/heap.ts';
import type { ApiClient } from '../apiClient.ts';
import type { Bench } from '../bench.ts';
import { median } from '../numbers.ts';
import { atMost, type Figure } from '../report.ts';
import type { Tab } from './visitor.ts';

/** Messages, of the budget. */
const perSecond = 50;
/** A change is the new state of its item and an entry of its timeline. */
const messagesEach = 2;
/** Changes that wait for their answers at a time. */
const underMost = 8;
/** More than the page remembers of items (`recentMost` of the console's item store). */
const distinct = 2_200;
/** Changes after which everything is full, and the engine has compiled what it runs. */
const warmUp = 2 * distinct;

/** The memory in use after a number of messages. */
interface Moment {
  readonly messages: number;
  readonly mb: number;
}

/** Returns MB a message: the median of the slopes between any two moments, which a few outliers don't move (Theil and Sen). */
const slopeOf = (moments: readonly Moment[]): number =>
  median(
    moments.flatMap((a, at) => moments.slice(at + 1).map((b) => (b.mb - a.mb) / Math.max(1, b.messages - a.messages))),
  );

/** Assigns items of a list in turn to somebody and to nobody; each change is a message of its own. */
const createChanges = (api: ApiClient, ids: readonly string[], person: string) => {
  let sent = 0;
  const change = async (): Promise<void> => {
    const turn = sent++;
    const assignee = Math.floor(turn / ids.length) % 2 === 0 ? person : null;
    await api(`/items/${ids[turn % ids.length] ?? ''}/assign`, { assignee });
  };
  return {
    sent: () => sent,
    /** Makes changes at most as often as `rate` says, in 1/s. */
    make: async (count: number, rate: number): Promise<void> => {
      const [since, begun] = [performance.now(), sent];
      const under = new Set<Promise<void>>();
      while (sent - begun < count) {
        const one = change().finally(() => under.delete(one));
        under.add(one);
        if (under.size >= underMost) await Promise.race(under);
        await sleep(Math.max(0, since + ((sent - begun) * 1000) / rate - performance.now()));
      }
      await Promise.all(under);
    },
  };
};

/** Returns the figure of a page's memory after an hour of messages; `tab` shows a list, `person` is whom items are assigned to. */
export const memory = async (bench: Bench, tab: Tab, api: ApiClient, person: string): Promise<Figure> => {
  const items = await bench.database.sql<{ id: string }>(`select id from items order by id limit ${String(distinct)}`);
  const changes = createChanges(
    api,
    items.map(({ id }) => id),
    person,
  );
  const moment = async (): Promise<Moment> => {
    const messages = changes.sent() * messagesEach;
    for (let waited = 0; tab.messages() < messages; waited++) {
      if (waited > 600) throw new Error(`The page received ${String(tab.messages())} of ${String(messages)} messages.`);
      await sleep(50);
    }
    return { messages, mb: (await usedHeap(tab.devtools)) / 1e6 };
  };
  const before = await moment();
  await changes.make(warmUp, Infinity);
  const moments = [await moment()];
  // A shorter time has as many messages: a slope of few is noise.
  const [rounds, each, faster] = bench.options.quick ? [10, 750, 6] : [12, 750, 1];
  for (let round = 0; round < rounds; round++) {
    await changes.make(each, (faster * perSecond) / messagesEach);
    moments.push(await moment());
  }
  const full = (moments[0]?.mb ?? Number.NaN) - before.mb;
  const anHour = Math.max(0, slopeOf(moments)) * 3600 * perSecond;
  const note = `${full.toFixed(1)} MB until all is full, then ${anHour.toFixed(1)} MB/h: the slope of ${String(moments.length)} moments in ${String(rounds * each * messagesEach)} messages, each after garbage collection`;
  return {
    suite: 'console',
    what: `console: heap after an hour at ${String(perSecond)} messages/s`,
    unit: 'MB',
    ...atMost(full + anHour, 10, 'MB'),
    note,
  };
};
