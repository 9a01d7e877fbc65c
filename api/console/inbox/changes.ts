/** The changes that people make of an item, each with its inverse. Used by the commands of the inbox. */
import { whenTime } from '../ui/time.ts';
import { daysLaterAt, weekday } from '../ui/timeZone.ts';
import type { Item } from '../wire/types.ts';
import type { Change } from './change.ts';

export const stateChange = (item: Item, state: string): Change => {
  const { dueAt, snoozedUntil } = item;
  const back = { state: item.state, dueAt, snoozedUntil };
  const told = (now: Item): string => `Set to ${now.state}`;
  return {
    done: `Set to ${state}`,
    told,
    patch: { state },
    shows: { state },
    touches: ['state'],
    undo: { done: `Set back to ${item.state}`, told, shows: back, touches: ['state'] },
  };
};

export const assignChange = (item: Item, assignee: string | null, nameOf: (id: string | null) => string): Change => {
  const said = (id: string | null): string => (id === null ? 'Unassigned' : `Assigned to ${nameOf(id)}`);
  const told = (now: Item): string => said(now.assignee);
  return {
    done: said(assignee),
    told,
    patch: { assignee },
    shows: { assignee },
    touches: ['assignee'],
    undo: { done: said(item.assignee), told, shows: { assignee: item.assignee }, touches: ['assignee'] },
  };
};

export const tagChange = (item: Item, tag: string): Change => {
  const has = item.tags.includes(tag);
  const without = item.tags.filter((each) => each !== tag);
  const [gone, there] = [{ tags: without }, { tags: [...without, tag].sort() }];
  const touches = [] as const;
  const told = (now: Item): string => `Tags ${now.tags.join(', ') || 'none'}`;
  return has
    ? {
        done: `Tag ${tag} removed`,
        told,
        patch: { tags: { remove: [tag] } },
        shows: gone,
        touches,
        undo: { done: `Tag ${tag} added again`, told, shows: there, touches },
      }
    : {
        done: `Tag ${tag} added`,
        told,
        patch: { tags: { add: [tag] } },
        shows: there,
        touches,
        undo: { done: `Tag ${tag} removed again`, told, shows: gone, touches },
      };
};

export const snoozeChange = (item: Item, until: number | null): Change => {
  const said = (at: number | null): string => (at === null ? 'Woken' : `Snoozed until ${whenTime(at)}`);
  const { snoozedUntil } = item;
  const told = (now: Item): string => said(now.snoozedUntil);
  return {
    done: said(until),
    told,
    patch: { snooze: until },
    shows: { snoozedUntil: until },
    touches: ['snoozedUntil'],
    undo: { done: said(snoozedUntil), told, shows: { snoozedUntil }, touches: ['snoozedUntil'] },
  };
};

/** Returns the change with its reason, which its undoing names too. */
export const withReason = (change: Change, reason: string): Change => ({
  ...change,
  patch: { ...change.patch, reason },
  undo: change.undo === null ? null : { ...change.undo, reason: `Undone: ${reason}`.slice(0, 2_000) },
});

/** Returns the usual times to be reminded at, in the person's own zone. */
export const snoozePresets = (now: number): readonly { readonly label: string; readonly at: number }[] => {
  const toMonday = (8 - weekday(now)) % 7 || 7;
  const presets = [
    { label: 'In an hour', at: now + 3_600_000 },
    { label: 'In four hours', at: now + 4 * 3_600_000 },
    { label: 'Tomorrow morning', at: daysLaterAt(now, 1, 9) },
    { label: 'Next Monday', at: daysLaterAt(now, toMonday, 9) },
    { label: 'In two weeks', at: daysLaterAt(now, 14, 9) },
  ];
  // On a Sunday, tomorrow is next Monday.
  return presets.filter(({ at }, place) => presets.findIndex((each) => each.at === at) === place);
};
