/** The usual work of each inbox, of which the history of an item is made; used by content.ts. */
import { tagItem } from '../../items/operations/tag.ts';
import { triageItem } from '../../items/operations/triage.ts';
import { MS } from './random.ts';
import type { Story } from './story.ts';
import { followUps, type talk } from './words.ts';

/** The app's own triage, which closes nothing. */
const answer = (story: Story, chance: number, question: string, answers: readonly string[]): void => {
  const { random, cast } = story.stage;
  if (story.after(chance, 3 * MS.second))
    story.do(cast.app, triageItem, { answers: { [question]: random.pick(answers) } });
};

const plots: Readonly<Record<keyof typeof talk, (story: Story) => void>> = {
  support: (story) => {
    const { random } = story.stage;
    answer(story, 0.05, 'mood', ['calm', 'calm', 'annoyed', 'angry', 'happy']);
    story.take(0.27, 35 * MS.minute);
    story.tag(0.06, 10 * MS.minute);
    story.note(0.06);
    if (random.chance(0.03)) return; // forgotten: these items become overdue
    story.reply(0.34, 70 * MS.minute);
    story.move(story.item.dueAt === null ? 0.4 : 0.04, 3 * MS.minute, 'waiting');
    const body = random.pick(followUps);
    if (story.again(0.1, 12 * MS.hour, { most: 1, body })) story.reply(0.75, 90 * MS.minute);
    story.move(story.item.dueAt === null ? 0.82 : 0.96, 13 * MS.hour, 'closed');
  },
  errors: (story) => {
    if (story.again(0.4, 9 * MS.hour)) story.again(0.35, 9 * MS.hour);
    story.tag(0.1, 30 * MS.minute);
    story.take(0.22, 4 * MS.hour);
    story.move(0.16, MS.hour, 'investigating');
    story.note(0.1);
    story.move(0.1, 5 * MS.hour, 'awaiting_release');
    if (!story.move(0.8, 2 * MS.day, story.stage.random.chance(0.85) ? 'resolved' : 'ignored')) return;
    // It occurs again: the occurrence opens the item again, and someone works on it.
    if (story.again(0.06, 6 * MS.day)) story.tag(1, 20 * MS.minute, ['regression']);
  },
  refunds: (story) => {
    story.take(0.18, 2 * MS.hour);
    story.note(0.08);
    if (story.stage.random.chance(0.03)) return;
    story.reply(0.24, 5 * MS.hour);
    if (story.move(0.22, 14 * MS.hour, 'declined')) story.move(0.05, 2 * MS.day, 'requested');
    else if (story.move(1, 12 * MS.hour, 'approved')) story.move(0.92, 2 * MS.day, 'paid');
  },
  signups: (story) => {
    const { random, draft } = story.stage;
    answer(story, 0.2, 'business', ['yes', 'yes', 'unclear']);
    story.take(0.25, 3 * MS.hour);
    story.note(0.08);
    story.reply(0.2, 5 * MS.hour);
    if (story.move(0.18, 5 * MS.hour, 'contacted')) story.again(0.4, 20 * MS.hour, { most: 1 });
    const end = random.chance(draft.tags.includes('risky') ? 0.75 : 0.1) ? 'rejected' : 'accepted';
    story.move(0.88, 20 * MS.hour, end);
  },
  abuse: (story) => {
    story.again(0.25, 4 * MS.hour, { most: 12 });
    story.take(0.24, MS.hour);
    story.tag(0.1, 20 * MS.minute);
    if (story.stage.random.chance(0.03)) return;
    story.move(0.3, 90 * MS.minute, 'investigating');
    story.note(0.08);
    story.move(0.1, 5 * MS.hour, 'escalated');
    story.reply(0.25, 4 * MS.hour);
    story.move(0.94, 18 * MS.hour, story.stage.random.chance(0.6) ? 'actioned' : 'dismissed');
  },
};

const lastSteps = new Map(
  Object.entries({ open: 'closed', waiting: 'closed', requested: 'declined', approved: 'paid' }),
);

/** Adds to the story what happens to an item between its creation and the present. */
export const play = (story: Story): void => {
  const { draft, cast, random, now } = story.stage;
  const { verdict, tags, input } = draft;
  if (tags.length > 0 && story.after(0.55, MS.second)) story.do(cast.app, tagItem, { add: [...tags] });
  if (verdict !== null && story.after(1, 3 * MS.second, 3)) {
    story.do(cast.system, triageItem, verdict);
    if (input.inbox === 'errors') story.again(0.4, 2 * MS.day);
  } else {
    if (story.after(0.03, 2 * MS.hour)) story.snooze(random.int(4, 72) * MS.hour);
    plots[input.inbox](story);
    // Most overdue items are closed after some days, so that few of them are months old.
    const { closed, dueAt, state } = story.item;
    if (!closed && dueAt !== null) story.move(0.93, 4 * MS.day, lastSteps.get(state) ?? 'dismissed');
    // Some of the open ones are put off to a day in the future.
    const putsOff = !story.item.closed && story.item.snoozedUntil === null && random.chance(0.22);
    if (putsOff && story.pass(Math.floor(random.next() * story.quietFor)))
      story.snooze(story.quietFor + random.int(1, 14 * 24) * MS.hour);
  }
  story.wakeUntil(now);
};
