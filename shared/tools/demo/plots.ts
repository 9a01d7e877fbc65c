// Makes the history of an item by the usual work of its inbox, a chain of waits and chances up to `now`; used by generate.ts.

import type { Draft, DraftVerdict } from './drafts/draft.ts';
import { crews, leads, WORKING_AGENT } from './people.ts';
import { MS, type Random } from './random.ts';
import { APP, SYSTEM, type Story } from './story.ts';
import type { DemoActor, InboxName } from './types.ts';
import { abuseTags } from './words/cases.ts';
import { errorTags } from './words/errors.ts';
import { topics } from './words/support.ts';
import { bounces, followUps, moods, notes, replies, supportTags } from './words/talk.ts';

const AGENT: DemoActor = { type: 'agent', index: WORKING_AGENT };
const person = (index: number): DemoActor => ({ type: 'person', index });

/** Returns who acts on this item: mostly its assignee, sometimes the agent. */
function worker(story: Story, random: Random): DemoActor {
  if (random.chance(0.08)) return AGENT;
  return person(story.item.assignee ?? random.pickSkewed(crews[story.item.inbox]));
}

function takeUp(story: Story, random: Random, chance: number, mean: number): void {
  if (!random.chance(chance) || !story.wait(random.around(mean))) return;
  const to = random.pickSkewed(crews[story.item.inbox]);
  story.assign(random.chance(0.65) ? person(to) : person(random.pick(leads)), to);
}

function jot(story: Story, random: Random, chance: number): void {
  if (random.chance(chance) && story.wait(random.around(50 * MS.minute)))
    story.note(worker(story, random), random.pick(notes[story.item.inbox]));
}

function answer(story: Story, random: Random, texts: readonly string[], mean: number): void {
  if (!story.wait(random.around(mean))) return;
  story.reply(worker(story, random), random.pick(texts), random.chance(0.02) ? random.pick(bounces) : null);
}

function move(story: Story, random: Random, to: string, mean: number): boolean {
  if (!story.wait(random.around(mean))) return false;
  story.setState(worker(story, random), to);
  return true;
}

const supportReplies = new Map<unknown, readonly string[]>(topics.map(({ name, replies: texts }) => [name, texts]));

function support(story: Story, random: Random): void {
  const texts = supportReplies.get(story.item.fields['topic']) ?? [];
  if (random.chance(0.05) && story.wait(random.int(2, 9) * MS.second))
    story.triage(APP, onlyAnswers({ mood: random.pick(moods) }));
  takeUp(story, random, 0.27, 35 * MS.minute);
  if (random.chance(0.06) && story.wait(random.around(10 * MS.minute)))
    story.tag(worker(story, random), [random.pick(supportTags)]);
  jot(story, random, 0.06);
  if (random.chance(0.03)) return; // forgotten: these items become overdue
  if (random.chance(0.34)) answer(story, random, texts, 70 * MS.minute);
  if (random.chance(story.item.dueAt === null ? 0.4 : 0.04)) move(story, random, 'waiting', 3 * MS.minute);
  if (random.chance(0.1) && story.wait(random.around(12 * MS.hour), 2)) {
    story.occur(1, 0, random.pick(followUps));
    if (random.chance(0.75)) answer(story, random, texts, 90 * MS.minute);
  }
  if (random.chance(story.item.dueAt === null ? 0.82 : 0.96)) move(story, random, 'closed', 13 * MS.hour);
}

/** Returns how often an error occurs: mostly seldom, in a few cases for every user. */
function burst(random: Random): number {
  return Math.min(6_000, Math.max(1, Math.floor(0.6 / (1 - random.next()) ** 1.15)));
}

function happensAgain(story: Story, random: Random, mean: number): boolean {
  if (!story.wait(random.around(mean), 2)) return false;
  const times = burst(random);
  story.occur(times, Math.floor(times * random.next() * 0.8));
  return true;
}

function errors(story: Story, random: Random): void {
  for (
    let times = random.pick([0, 0, 0, 0, 1, 1, 2]);
    times > 0 && happensAgain(story, random, 9 * MS.hour);
    times -= 1
  );
  if (random.chance(0.1) && story.wait(random.around(30 * MS.minute)))
    story.tag(worker(story, random), [random.pick(errorTags)]);
  takeUp(story, random, 0.22, 4 * MS.hour);
  if (random.chance(0.16)) move(story, random, 'investigating', MS.hour);
  jot(story, random, 0.1);
  if (random.chance(0.1)) move(story, random, 'awaiting_release', 5 * MS.hour);
  if (!random.chance(0.8) || !move(story, random, random.chance(0.85) ? 'resolved' : 'ignored', 2 * MS.day)) return;
  // It occurs again: the occurrence opens the item again, and someone works on it.
  if (random.chance(0.06) && happensAgain(story, random, 6 * MS.day) && story.wait(20 * MS.minute))
    story.tag(worker(story, random), ['regression']);
}

function refunds(story: Story, random: Random): void {
  takeUp(story, random, 0.18, 2 * MS.hour);
  jot(story, random, 0.08);
  if (random.chance(0.03)) return;
  if (random.chance(0.24)) answer(story, random, replies.refunds, 5 * MS.hour);
  if (random.chance(0.22)) {
    if (move(story, random, 'declined', 14 * MS.hour) && random.chance(0.05))
      move(story, random, 'requested', 2 * MS.day);
    return;
  }
  if (move(story, random, 'approved', 12 * MS.hour) && random.chance(0.92)) move(story, random, 'paid', 2 * MS.day);
}

function signups(story: Story, random: Random): void {
  if (random.chance(0.2) && story.wait(random.int(2, 9) * MS.second))
    story.triage(APP, onlyAnswers({ business: random.chance(0.7) ? 'yes' : 'unclear' }));
  takeUp(story, random, 0.25, 3 * MS.hour);
  jot(story, random, 0.08);
  if (random.chance(0.2)) {
    answer(story, random, replies.signups, 5 * MS.hour);
    move(story, random, 'contacted', 2 * MS.minute);
    if (random.chance(0.4) && story.wait(random.around(20 * MS.hour), 3)) story.occur(1, 0);
  }
  const { riskScore } = story.item.fields;
  const risky = typeof riskScore === 'number' && riskScore >= 70;
  if (random.chance(0.88))
    move(story, random, random.chance(risky ? 0.75 : 0.1) ? 'rejected' : 'accepted', 20 * MS.hour);
}

function abuse(story: Story, random: Random): void {
  if (random.chance(0.25) && story.wait(random.around(4 * MS.hour), 2)) {
    const reports = random.int(1, 12);
    story.occur(reports, Math.min(reports, random.int(1, 3)));
  }
  takeUp(story, random, 0.24, MS.hour);
  if (random.chance(0.1) && story.wait(random.around(20 * MS.minute)))
    story.tag(worker(story, random), [random.pick(abuseTags)]);
  if (random.chance(0.03)) return;
  if (random.chance(0.3)) move(story, random, 'investigating', 90 * MS.minute);
  jot(story, random, 0.08);
  if (random.chance(0.1)) move(story, random, 'escalated', 5 * MS.hour);
  if (random.chance(0.25)) answer(story, random, replies.abuse, 4 * MS.hour);
  if (random.chance(0.94)) move(story, random, random.chance(0.6) ? 'actioned' : 'dismissed', 18 * MS.hour);
}

const plots: Readonly<Record<InboxName, (story: Story, random: Random) => void>> = {
  support,
  errors,
  refunds,
  signups,
  abuse,
};

function onlyAnswers(answers: Record<string, string>): DraftVerdict {
  return { answers, state: null, tags: [], reason: null };
}

/** Adds to the story what happens to an item between its creation and now. */
export function play(story: Story, draft: Draft, random: Random): void {
  const { verdict, tags, inbox } = draft;
  if (tags.length > 0 && random.chance(0.55) && story.wait(random.int(0, 2) * MS.second)) story.tag(APP, tags);
  if (verdict !== null && story.wait(random.int(1, 6) * MS.second, 3)) {
    story.triage(SYSTEM, verdict);
    if (inbox === 'errors' && random.chance(0.4)) happensAgain(story, random, 2 * MS.day);
    return;
  }
  if (random.chance(0.03) && story.wait(random.around(2 * MS.hour)))
    story.snooze(worker(story, random), random.int(4, 72) * MS.hour);
  plots[inbox](story, random);
  cleanUp(story, random);
  putOff(story, random);
}

const LAST_STEP: Readonly<Record<string, string>> = {
  open: 'closed',
  waiting: 'closed',
  requested: 'declined',
  approved: 'paid',
};

/** Closes most overdue items after some days, so that few of them are months old. */
function cleanUp(story: Story, random: Random): void {
  const { dueAt, state } = story.item;
  if (story.closed || dueAt === null || !random.chance(0.93)) return;
  move(story, random, LAST_STEP[state] ?? 'dismissed', 4 * MS.day);
}

/** Snoozes some of the open items until a day in the future. */
function putOff(story: Story, random: Random): void {
  if (story.closed || story.item.snoozedUntil !== null || !random.chance(0.22)) return;
  const passed = Math.floor(random.next() * story.quietFor);
  if (!story.waitAnyway(passed)) return;
  story.snooze(worker(story, random), story.quietFor + random.int(1, 14 * 24) * MS.hour);
}
