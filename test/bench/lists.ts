/**
 * What each kind of list costs in PostgreSQL: every filter and sort, words from frequent to unknown, first pages and
 * deep ones, on items made by load.ts. Called by suites/lists.ts; alone, two tables of different sizes show what grows.
 */
import { readFile } from 'node:fs/promises';
import type { ItemSort } from '../../shared/app/items/members.ts';
import { defaultPriorities } from '../../shared/catalogue/states.ts';
import { countItems } from '../../shared/items/list/count.ts';
import { listItems } from '../../shared/items/list/page.ts';
import {
  unfiltered,
  type CursorKeys,
  type ItemListRequest,
  type VisibleInbox,
} from '../../shared/items/list/request.ts';
import { isStatementTimeout } from '../../shared/platform/db/errors.ts';
import type { Db } from '../../shared/platform/db/knex.ts';
import { queryRow, statement } from '../../shared/platform/db/sql.ts';
import { benchPeople } from './load.ts';

export interface ListCost {
  readonly query: string;
  /** Items on the page, or what was counted. */
  readonly answered: number;
  /** Milliseconds, in this process. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds of processor time in the server, if it runs on this machine: other load does not show in it. */
  readonly cpu: number | null;
}

export interface ListOptions {
  readonly env: number;
  /** When the items were made. */
  readonly now: number;
  /** Runs of each query. */
  readonly runs?: number;
  /** Only queries whose name holds it. */
  readonly only?: string;
}

/** Three of the five inboxes, with four of five items. */
const priorities = [...defaultPriorities.map((name) => [name]), []];
export const visible: readonly VisibleInbox[] = [
  { name: 'support', states: ['open', 'waiting', 'closed'], priorities },
  { name: 'errors', states: ['open', 'investigating', 'awaiting_release', 'resolved', 'ignored'], priorities },
  { name: 'refunds', states: ['requested', 'approved', 'declined', 'paid'], priorities },
];
export const rarelySeen: readonly VisibleInbox[] = [
  { name: 'abuse', states: ['reported', 'warned', 'dismissed', 'actioned'], priorities },
];
export const unsettled = ['open', 'investigating', 'requested', 'waiting', 'awaiting_release', 'approved'];
export const person = benchPeople[5] ?? '';
const day = 86_400_000;

const content = (...words: string[]) => ({ words, fields: [] });

type Case = readonly [name: string, request: Partial<ItemListRequest>];

const cases = (now: number): readonly Case[] => [
  ['all', {}],
  ['all, oldest activity first', { descending: false }],
  ['one state', { states: ['open'] }],
  ['six states', { states: unsettled }],
  ['unassigned', { assignees: ['none'] }],
  ['one person', { assignees: [person] }],
  ['one person, six states', { assignees: [person], states: unsettled }],
  ['unassigned, six states', { assignees: ['none'], states: unsettled }],
  ['triaged', { triaged: true }],
  ['not triaged', { triaged: false }],
  ['snoozed', { snoozed: true }],
  ['six states, not snoozed', { states: unsettled, snoozed: false }],
  ['overdue', { overdue: true }],
  ['overdue, 300 of them', { overdue: true, now: now - 719 * day }],
  ['not overdue', { overdue: false }],
  ['tag of 5 %', { tags: ['vip'] }],
  ['tag of 0.2 %', { tags: ['seldom'] }],
  ['tag of 0.001 %', { tags: ['once-in-a-while'] }],
  ['tag that no item has', { tags: ['nowhere'] }],
  ['two tags, six states', { tags: ['vip', 'billing'], states: unsettled }],
  ['tag, six states, person', { tags: ['vip'], states: unsettled, assignees: [person] }],
  ['word, frequent (p)', { words: ['p'] }],
  ['word, frequent (pay)', { words: ['pay'] }],
  ['word, middle (invoice)', { words: ['invoice'] }],
  ['word, middle (charged)', { words: ['charged'] }],
  ['number of few titles', { words: ['#98602'] }],
  ['word that no title has', { words: ['nowhere'] }],
  ['two words', { words: ['invoice', 'charged'] }],
  ['q: in 20 % (pay)', { contents: content('pay') }],
  ['q: in 8 % (invoice)', { contents: content('invoice') }],
  ['q: number of one item', { contents: content('#98602') }],
  ['q: in no item', { contents: content('nowhere') }],
  ['q: two words', { contents: content('invoice', 'charged') }],
  ['q: three words', { contents: content('pay', 'invoice', 'charged') }],
  ['q: frequent, person', { contents: content('pay'), assignees: [person] }],
  ['q: 7 %, tag of 5 %', { contents: content('charged'), tags: ['vip'] }],
  ['q: frequent, tag of 0.2 %', { contents: content('pay'), tags: ['seldom'] }],
  ['q: frequent, overdue', { contents: content('pay'), overdue: true }],
  [
    'q: frequent, made in one day',
    { contents: content('pay'), created: { from: now - 300 * day, to: now - 299 * day } },
  ],
  ['q: frequent, by title', { contents: content('pay'), sort: 'title', descending: false }],
  ['q: number, by title', { contents: content('#98602'), sort: 'title', descending: false }],
  ['field of one value', { contents: { words: [], fields: [['plan', 'team']] } }],
  ['field and word', { contents: { words: ['charged'], fields: [['plan', 'team']] } }],
  ['q: in an inbox that has none', { contents: content('invoice'), inboxes: rarelySeen }],
  ['word in an inbox that has none', { words: ['invoice'], inboxes: rarelySeen }],
  ['frequent word, tag that no item has', { words: ['p'], tags: ['nowhere'] }],
  ['number, closed', { words: ['98602'], states: ['closed', 'resolved', 'paid'] }],
  ['two words, person', { words: ['pay', 'invoice'], assignees: [person] }],
  ['word, overdue', { words: ['invoice'], overdue: true }],
  ['word, triaged', { words: ['invoice'], triaged: true }],
  ['by first activity', { sort: 'firstSeen' }],
  ['by first activity up, six states', { sort: 'firstSeen', descending: false, states: unsettled }],
  ['by occurrences', { sort: 'occurrences' }],
  ['by users', { sort: 'users' }],
  ['by title', { sort: 'title', descending: false }],
  ['by deadline', { sort: 'due', descending: false }],
  ['by deadline down', { sort: 'due' }],
  ['by deadline, six states', { sort: 'due', descending: false, states: unsettled }],
  ['by deadline, overdue', { sort: 'due', descending: false, overdue: true }],
  ['by deadline, not overdue', { sort: 'due', descending: false, overdue: false }],
  ['by title, tag of 5 %', { sort: 'title', descending: false, tags: ['vip'] }],
  ['by title, tag of 0.2 %', { sort: 'title', descending: false, tags: ['seldom'] }],
  ['by title, overdue', { sort: 'title', descending: false, overdue: true }],
  ['by title, word', { sort: 'title', descending: false, words: ['invoice'] }],
  ['by occurrences, number', { sort: 'occurrences', words: ['98602'] }],
  ['by occurrences, word', { sort: 'occurrences', words: ['charged'] }],
  ['by first activity up, person', { sort: 'firstSeen', descending: false, assignees: [person] }],
  ['by deadline, word', { sort: 'due', descending: false, words: ['invoice'] }],
  ['by priority, unsettled', { sort: 'priority', descending: false, states: unsettled }],
  ['by priority, word', { sort: 'priority', descending: false, words: ['invoice'] }],
  ['urgent and high', { priority: ['urgent', 'high'] }],
  ['by title, urgent', { sort: 'title', descending: false, priority: ['urgent'] }],
];

/** Returns a place somewhere in the middle of the order, another one for each run. */
export const deep = (sort: ItemSort, now: number, run: number): CursorKeys => {
  const part = 0.3 + 0.4 * ((run * 0.618) % 1);
  const id = `itm_01${'0123456789abcdefghjkmnpqrstvwxyz'.charAt(run % 32)}`;
  switch (sort) {
    case 'lastSeen':
      return [Math.floor(now - part * 600 * day), id];
    case 'firstSeen':
      return [Math.floor(now - part * 600 * day), id];
    case 'occurrences':
      return [2, id];
    case 'users':
      return [1, id];
    case 'title':
      return [String.fromCharCode(97 + Math.floor(part * 26)), id];
    case 'due':
      return [Math.floor(now - part * 100 * day), id];
    case 'priority':
      return [2, id];
  }
};

const backend = statement('bench.backend', 'select pg_backend_pid() as pid');

/** Nanoseconds that the server process of the only connection has run, as milliseconds. */
export const cpuOf = async (db: Db): Promise<() => Promise<number | null>> => {
  const pid = (await queryRow<{ pid: number }>(db, backend))?.pid ?? 0;
  return () =>
    readFile(`/proc/${String(pid)}/schedstat`, 'utf8').then(
      (text) => Number(text.split(' ')[0]) / 1e6,
      () => null,
    );
};

/** The answer of what PostgreSQL has stopped, which is measured once. */
const stopped = -1;

const orStopped = (error: unknown): number => {
  if (!isStatementTimeout(error)) throw error;
  return stopped;
};

const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

/** `db` has one connection; its role needs to read only. Prints and returns a row for each query. */
export const run = async (db: Db, { env, now, runs = 60, only = '' }: ListOptions): Promise<ListCost[]> => {
  const cpu = await cpuOf(db);
  const costs: ListCost[] = [];
  const measure = async (query: string, work: (run: number) => Promise<number>, warm = 8): Promise<void> => {
    if (!query.includes(only)) return;
    let answered = 0;
    // PostgreSQL plans a statement five times before it may reuse the plan.
    for (let n = 0; n < warm && answered !== stopped; n++) answered = await work(n);
    const times: number[] = [];
    const before = await cpu();
    for (let n = 0; n < (answered === stopped ? 1 : runs); n++) {
      const started = performance.now();
      await work(n);
      times.push(performance.now() - started);
    }
    const after = await cpu();
    times.sort((a, b) => a - b);
    const cost = {
      query,
      answered,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      cpu: before === null || after === null ? null : (after - before) / times.length,
    };
    costs.push(cost);
    const shown = [cost.p50, cost.p99, cost.cpu].map((value) => (value === null ? '-' : value.toFixed(2)).padStart(9));
    console.log(query.padEnd(48), String(answered).padStart(6), ...shown);
  };
  console.log(''.padEnd(48), 'answer', '   p50 ms', '   p99 ms', '   cpu ms');
  for (const [name, more] of cases(now)) {
    const request: ItemListRequest = {
      env,
      inboxes: visible,
      ...unfiltered,
      now,
      sort: 'lastSeen',
      descending: true,
      after: null,
      limit: 50,
      ...more,
    };
    await measure(name, async () => (await listItems(db, request)).rows.length);
    await measure(
      `${name}, deep`,
      async (n) => (await listItems(db, { ...request, after: deep(request.sort, now, n) })).rows.length,
    );
    if (request.sort === 'lastSeen' && request.descending)
      await measure(`${name}, count`, () => countItems(db, request).catch(orStopped));
  }
  return costs;
};
