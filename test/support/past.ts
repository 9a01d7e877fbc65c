/** Worlds with a past: an item of four months ago that was changed in each month since, for the tests of archives. */
import { expect } from 'chai';
import { auditChain, indexTexts, months } from '../../workers/sweeps/index.ts';
import type { Client } from './http.ts';
import { beginMonthsAgo, turnMonth } from './months.ts';
import { newWorld, type World } from './world.ts';

export const dayMs = 86_400_000;
/** Between two months' parts, whatever day it is. */
export const monthMs = 30.5 * dayMs;

interface PastWorld {
  readonly world: World;
  readonly admin: Client;
  /** The id of the item, which was tagged in its first month. */
  readonly old: string;
}

/** Returns the day that was so many days ago, as `--before` takes it. */
export const dateBefore = (days: number): string => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

/** Returns the first day of the month that was so many months ago: what is before it is the same on every day of a month. */
export const monthBefore = (count: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count)).toISOString().slice(0, 10);
};

/** Chains and indexes what was written, which archives wait for. */
export const sweepPast = async ({ deps }: World): Promise<void> => {
  await auditChain.run(deps);
  await indexTexts.run(deps);
};

/** Makes a world whose first month has two items and a tag. Nothing has turned to the months after it. */
export const newWorldMonthsAgo = async (count: number): Promise<PastWorld> => {
  const world = await newWorld({ workers: false });
  const admin = await world.agent('admin');
  await beginMonthsAgo(world, count);
  world.clock.advance(-count * monthMs);
  const made = await admin.post('/items', { inbox: 'mail', title: 'Old', data: { plan: 'möbius' } });
  expect(made.status, made.text).to.equal(201);
  const old = made.body.item.id as string;
  await admin.post(`/items/${old}/tags`, { add: ['first'] });
  // What comes after it is a second range of the month.
  await sweepPast(world);
  await admin.post('/items', { inbox: 'mail', title: 'Another' });
  return { world, admin, old };
};

export const newPastWorld = async (): Promise<PastWorld> => {
  const past = await newWorldMonthsAgo(4);
  const { world, admin, old } = past;
  for (let month = 3; month >= 0; month--) {
    await sweepPast(world);
    world.clock.advance(monthMs);
    if (month > 0) await turnMonth(world, month);
    else await months.run(world.deps);
    await admin.post(`/items/${old}/notes`, { text: `Note of ${String(month)} months ago` });
  }
  await sweepPast(world);
  return past;
};
