/** Conflicts of changes of one item: somebody else changed the same member, and the person decides whose holds. Used by change.ts. */
import type { Session } from '../shell/session.ts';
import { readNewestEntries } from '../wire/queries.ts';
import type { Entry, Item } from '../wire/types.ts';
import { changeTexts } from './changeTexts.ts';

const { conflict: texts } = changeTexts;

/** What a conflict knows of a change. */
interface Contested {
  readonly done: string;
  readonly shows: Partial<Item>;
  readonly told: (item: Item) => string;
  readonly touches: readonly (keyof Item)[];
}

interface Conflict {
  /** The item as somebody else left it. */
  readonly item: Item;
  readonly change: Contested;
  /** Makes the change of the item as it is now. */
  readonly again: (item: Item) => void;
}

/** The entries of the timeline that tell who changed a member. */
const entryTypes: Readonly<Record<string, string>> = { state: 'state', assignee: 'assigned', snoozedUntil: 'snoozed' };

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

export const titleOf = ({ title }: Item): string => (title.length > 60 ? `${title.slice(0, 59)}…` : title);

/** Returns whether an item has other values now in what a change touches. */
export const differs = ({ touches }: Pick<Contested, 'touches'>, now: Item, before: Item): boolean =>
  touches.some((name) => !same(now[name], before[name]));

/** Returns who changed what the change touches; null: the timeline does not tell. */
const changerOf = async ({ http }: Session, { item, change: { touches } }: Conflict): Promise<string | null> => {
  const types = touches.map((name) => entryTypes[name]);
  try {
    const entries: readonly Entry[] = await readNewestEntries(http, item.id);
    return entries.find(({ type }) => types.includes(type))?.actor.name ?? null;
  } catch {
    return null;
  }
};

/** Shows theirs and mine until the person has decided, theirs holding meanwhile; says so when both are the same. */
export const showConflict = async (session: Session, conflict: Conflict): Promise<void> => {
  const { items, notices } = session;
  const { item, change, again } = conflict;
  const who = await changerOf(session, conflict);
  const now = items.get(item.id) ?? item;
  if (!differs(change, now, { ...now, ...change.shows })) {
    notices.show({ tone: 'done', text: texts.same(change.done, titleOf(now), who) });
    return;
  }
  const insist = (): void => {
    const newest = items.get(item.id) ?? now;
    // Meanwhile it may have become something that the person has not seen.
    if (differs(change, newest, now)) void showConflict(session, { ...conflict, item: newest });
    else again(newest);
  };
  notices.show({
    tone: 'failed',
    text: texts.other(titleOf(now), who),
    facts: [
      [texts.theirs, change.told(now)],
      [texts.mine, change.done],
    ],
    actions: [
      { label: texts.doMine, key: 'y', run: insist },
      { label: texts.leaveTheirs, key: 'h', run: () => undefined },
    ],
  });
};
