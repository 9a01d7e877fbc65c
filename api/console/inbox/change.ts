/**
 * Changes of one item: on screen at once, sent in turn for each item, reconciled by the version, and undone whole by the entry
 * that they wrote. Used by the commands of the inbox.
 */
import type { UpdateInput } from '../../../shared/items/operations/update.ts';
import type { Session } from '../shell/session.ts';
import { ApiError } from '../wire/apiError.ts';
import { readTimeline } from '../wire/queries.ts';
import type { Entry, Item } from '../wire/types.ts';
import { editedNames } from './filter.ts';
import { inboxTexts } from './texts.tsx';

const { conflict: texts } = inboxTexts.change;

/** What a conflict knows of a change. */
type Contested = Pick<Change, 'done' | 'told' | 'shows' | 'touches'>;

interface Conflict {
  /** The item as somebody else left it. */
  readonly item: Item;
  readonly change: Contested;
  /** Makes the change of the item as it is now. */
  readonly again: (item: Item) => void;
}

/** The entries of the timeline that tell who changed a member. */
const entryTypes: Readonly<Record<string, string>> = {
  state: 'state',
  assignee: 'assigned',
  snoozedUntil: 'snoozed',
  ...Object.fromEntries(editedNames.map((name) => [name, 'edited'])),
};

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

const titleOf = ({ title }: Item): string => (title.length > 60 ? `${title.slice(0, 59)}…` : title);

/** Returns whether an item has other values now in what a change touches. */
const differs = ({ touches }: Pick<Contested, 'touches'>, now: Item, before: Item): boolean =>
  touches.some((name) => !same(now[name], before[name]));

/** Returns who changed what the change touches; null: the timeline does not tell. */
const changerOf = async ({ http }: Session, { item, change: { touches } }: Conflict): Promise<string | null> => {
  const types = touches.map((name) => entryTypes[name]);
  try {
    const { entries } = await readTimeline(http, item.id);
    return entries.find(({ type }) => types.includes(type))?.actor.name ?? null;
  } catch {
    return null;
  }
};

/** Shows theirs and mine until the person has decided, theirs holding meanwhile; says so when both are the same. */
const showConflict = async (session: Session, conflict: Conflict): Promise<void> => {
  const { items, notices } = session;
  const { item, change, again } = conflict;
  const who = await changerOf(session, conflict);
  const now = items.get(item.id) ?? item;
  if (!differs(change, now, { ...now, ...change.shows })) {
    notices.done(texts.same(change.done, titleOf(now), who));
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

/** Runs `work` after the next frame has been drawn. */
export const afterPaint = (work: () => void): void => {
  requestAnimationFrame(() => setTimeout(work));
};

/** The body of PATCH /items/:id. */
type Patch = Readonly<UpdateInput> & { readonly reason?: string };

export interface Change {
  /** The change in words, as the beginning of a sentence. */
  readonly done: string;
  /** Returns in the same words how an item is that somebody else changed. */
  readonly told: (item: Item) => string;
  readonly patch: Patch;
  /** The item as it will be. */
  readonly shows: Partial<Item>;
  /** The members that it changes: a conflict is when somebody else changed these. */
  readonly touches: readonly (keyof Item)[];
  /** What undoing it says and shows; null: it is an undo itself. */
  readonly undo: (Pick<Change, 'done' | 'shows'> & { readonly reason?: string }) | null;
}

/** Returns the change to another state. */
export const stateChange = (item: Item, state: string): Change => {
  const { dueAt, snoozedUntil } = item;
  const back = { state: item.state, dueAt, snoozedUntil };
  return {
    done: inboxTexts.change.state(state),
    told: (now) => inboxTexts.change.state(now.state),
    patch: { state },
    shows: { state },
    touches: ['state'],
    undo: { done: inboxTexts.change.stateBack(item.state), shows: back },
  };
};

/** Returns the change with its reason, which its undoing names too. */
export const withReason = (change: Change, reason: string): Change => ({
  ...change,
  patch: { ...change.patch, reason },
  undo: change.undo === null ? null : { ...change.undo, reason: inboxTexts.change.undone(reason).slice(0, 2_000) },
});

/** By item: its changes follow each other. */
const queues = new WeakMap<Session, Map<string, Promise<void>>>();

const inTurn = (session: Session, id: string, work: () => Promise<void>): void => {
  const tails = queues.get(session) ?? new Map<string, Promise<void>>();
  queues.set(session, tails);
  const tail = (tails.get(id) ?? Promise.resolve()).then(work);
  tails.set(id, tail);
  void tail.then(() => {
    if (tails.get(id) === tail) tails.delete(id);
  });
};

/** So often a change is sent again after somebody changed something else of the item. */
const triesMost = 5;

/** Returns the item after the change with its first entry, or what somebody else made of it. Throws an ApiError. */
const send = async (session: Session, before: Item, change: Pick<Change, 'patch' | 'touches'>) => {
  let base = before;
  for (let tries = 1; ; tries += 1) {
    try {
      const { body } = await session.http.call<{ item: Item; entries: readonly Pick<Entry, 'id'>[] }>(
        'PATCH',
        `/items/${before.id}`,
        { body: change.patch, ifMatch: base.version },
      );
      return { item: body.item, entry: body.entries[0]?.id, isConflict: false };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'version_conflict') throw error;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API's own answer to a conflict of items
      const current = error.body['current'] as Item;
      if (tries === triesMost || differs(change, current, base))
        return { item: current, entry: undefined, isConflict: true };
      base = current;
    }
  }
};

/** Where the item is shown again that does not leave after all. */
export type ShowAgain = (id: string) => void;

/** Returns what a notice says of a change that failed. */
const failureOf = (change: Change, title: string, { code, message }: ApiError): string => {
  if (code === 'unreachable') return inboxTexts.change.failed(change.done, title, inboxTexts.change.unreachable);
  // It may have been done.
  return code === 'no_answer'
    ? inboxTexts.change.unknown(change.done, title, message)
    : inboxTexts.change.failed(change.done, title, message);
};

/** Makes a change; its end is told by a notice. `showAgain` is called when it fails, and when it is undone. */
export const changeItem = (session: Session, before: Item, change: Change, showAgain: ShowAgain): void => {
  const { items, notices } = session;
  const uncover = items.overlay(before.id, change.shows);
  // A change that is undone before its answer is taken back then: the key never undoes an earlier one instead.
  let takeBack: (() => void) | null = null;
  let isUnwanted = false;
  const undoLast = (): void => {
    if (takeBack === null) isUnwanted = true;
    else takeBack();
  };
  const forget = change.undo === null ? null : notices.remember(undoLast);
  inTurn(session, before.id, async () => {
    // An earlier change of this item has ended meanwhile: `before` is what it left, without what lies over it.
    const base = { ...before, version: Math.max(before.version, items.get(before.id)?.version ?? 0) };
    try {
      const { item, entry, isConflict } = await send(session, base, change);
      items.put([item]);
      uncover();
      if (isConflict) {
        forget?.();
        const again = (now: Item): void => changeItem(session, now, change, showAgain);
        showAgain(item.id);
        await showConflict(session, { item, change, again });
        return;
      }
      const { undo } = change;
      if (undo === null || entry === undefined) {
        forget?.();
        notices.done(inboxTexts.change.done(change.done, titleOf(item)));
        return;
      }
      let isUndone = false;
      takeBack = () => {
        if (isUndone) return;
        isUndone = true;
        const { reason, ...back } = undo;
        const patch = { undo: entry, ...(reason === undefined ? {} : { reason }) };
        changeItem(session, items.get(item.id) ?? item, { ...change, ...back, patch, undo: null }, showAgain);
        showAgain(item.id);
      };
      if (isUnwanted) {
        takeBack();
        return;
      }
      notices.done(inboxTexts.change.done(change.done, titleOf(item)), takeBack);
    } catch (error) {
      uncover();
      forget?.();
      showAgain(before.id);
      const failure = error instanceof ApiError ? error : new ApiError(0, 'internal', String(error));
      notices.show({
        tone: 'failed',
        text: failureOf(change, titleOf(before), failure),
        actions:
          failure.status === 0 || failure.status >= 500
            ? [
                {
                  label: inboxTexts.change.retry,
                  key: null,
                  run: () => changeItem(session, items.get(before.id) ?? before, change, showAgain),
                },
              ]
            : [],
      });
    }
  });
};
