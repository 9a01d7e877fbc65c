/** Lists by random combinations of all parameters, which a seed draws: filters, sorts, first pages and places at depth. Used by suites/combinations.ts. */
import { itemSorts } from '../../shared/app/items/members.ts';
import { unfiltered, type ItemListRequest } from '../../shared/items/list/request.ts';
import type { Random } from '../support/random.ts';
import { deep, person, rarelySeen, unsettled, visible } from './lists.ts';
import { benchPeople } from './load.ts';

const day = 86_400_000;
const tags = ['vip', 'billing', 'seldom', 'once-in-a-while', 'nowhere'];
/** From those of a fifth of the titles to those of none, and single letters. */
const words = ['p', 'a', 'pay', 'invoice', 'charged', '#98602', '98602', 'nowhere'];
const inboxes = [visible, visible.slice(0, 1), visible.slice(1, 3), rarelySeen];
const states = [['open'], ['closed', 'resolved', 'paid'], unsettled, ['reported'], ['declined', 'ignored']];
const assignees = [['none'], [person], ['none', person], benchPeople.slice(0, 8)];

interface Drawn {
  /** The parameters that were drawn, for reports. */
  readonly name: string;
  readonly request: ItemListRequest;
}

/** Draws a request for a list; `now` is when the items were made, in epoch ms. */
export const drawCombination = (random: Random, env: number, now: number): Drawn => {
  const { int, pick } = random;
  const some = <T>(share: number, draw: () => T): T | null => (random.next() < share ? draw() : null);
  const several = (list: readonly string[]): string[] =>
    random.shuffled(list).slice(0, pick([1, 1, 1, 2, 2, 3, list.length]));
  const range = (): { from: number; to: number } => {
    const from = now - int(0, 700) * day;
    return { from, to: from + pick([1, 7, 90, 800]) * day };
  };
  const sort = pick([...itemSorts]);
  const drawn = {
    states: some(0.3, () => pick(states)),
    tags: some(0.25, () => several(tags.slice(0, pick([2, 3, 5])))),
    assignees: some(0.25, () => pick(assignees)),
    words: some(0.25, () => several(words)),
    contents: some(0.25, () => ({
      words: pick([true, true, false]) ? several(words) : [],
      fields: pick([true, false]) ? ([['plan', pick(['team', 'none'])]] as const) : [],
    })),
    overdue: some(0.15, () => pick([true, false])),
    triaged: some(0.15, () => pick([true, false])),
    snoozed: some(0.15, () => pick([true, false])),
    created: some(0.15, range),
    seen: some(0.15, range),
    inboxes: pick(inboxes),
    sort,
    descending: pick([true, false]),
    after: some(0.4, () => deep(sort, now, int(0, 1_000))),
    limit: pick([50, 50, 50, 200]),
  };
  const named = Object.entries(drawn).filter(([, value]) => value !== null);
  return {
    name: named
      .map(([member, value]) =>
        member === 'inboxes' ? `${String(drawn.inboxes.length)} inboxes` : `${member} ${JSON.stringify(value)}`,
      )
      .join(' '),
    request: { ...unfiltered, ...drawn, env, now },
  };
};
