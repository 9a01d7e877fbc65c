/** The changes that people choose for an item, each with its inverse. Used by ItemPicker. */
import { whenTime } from '../ui/time.ts';
import { daysLaterAt, weekday } from '../ui/timeZone.ts';
import type { Item } from '../wire/types.ts';
import type { Change } from './change.ts';
import { pickTexts } from './pickTexts.ts';

export const assignChange = (item: Item, assignee: string | null, nameOf: (id: string | null) => string): Change => {
  const said = (id: string | null): string => (id === null ? pickTexts.unassigned : pickTexts.assigned(nameOf(id)));
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
  const told = (now: Item): string => pickTexts.tagsAre(now.tags);
  return has
    ? {
        done: pickTexts.tagRemoved(tag),
        told,
        patch: { tags: { remove: [tag] } },
        shows: gone,
        touches,
        undo: { done: pickTexts.tagAddedAgain(tag), told, shows: there, touches },
      }
    : {
        done: pickTexts.tagAdded(tag),
        told,
        patch: { tags: { add: [tag] } },
        shows: there,
        touches,
        undo: { done: pickTexts.tagRemovedAgain(tag), told, shows: gone, touches },
      };
};

export const snoozeChange = (item: Item, until: number | null): Change => {
  const said = (at: number | null): string => (at === null ? pickTexts.woken : pickTexts.snoozed(whenTime(at)));
  const { snoozedUntil } = item;
  const told = (now: Item): string => said(now.snoozedUntil);
  return {
    done: said(until),
    told,
    patch: { snooze: until },
    shows: { snoozedUntil: until },
    touches: ['snoozedUntil'],
    undo: {
      done: snoozedUntil === null ? pickTexts.snoozeUndone : pickTexts.snoozedAgain(whenTime(snoozedUntil)),
      told,
      shows: { snoozedUntil },
      touches: ['snoozedUntil'],
    },
  };
};

/** Returns the usual times to be reminded at, in the person's own zone. */
export const snoozePresets = (now: number): readonly { readonly label: string; readonly at: number }[] => {
  const { snoozes } = pickTexts;
  const toMonday = (8 - weekday(now)) % 7 || 7;
  const presets = [
    { label: snoozes.hour, at: now + 3_600_000 },
    { label: snoozes.fourHours, at: now + 4 * 3_600_000 },
    { label: snoozes.tomorrow, at: daysLaterAt(now, 1, 9) },
    { label: snoozes.monday, at: daysLaterAt(now, toMonday, 9) },
    { label: snoozes.twoWeeks, at: daysLaterAt(now, 14, 9) },
  ];
  // On a Sunday, tomorrow is next Monday.
  return presets.filter(({ at }, place) => presets.findIndex((each) => each.at === at) === place);
};
