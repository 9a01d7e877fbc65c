/** Runs, approvals, bulks and replies under random events: requests, answers of the app, decisions, cancellations and time. */
import fc from 'fast-check';
import { expireResults } from '../../shared/bulk/expireResults.ts';
import { approvals } from '../../shared/catalogue/states/approvals.ts';
import { bulkChunks, bulks } from '../../shared/catalogue/states/bulks.ts';
import { replies } from '../../shared/catalogue/states/replies.ts';
import { runs } from '../../shared/catalogue/states/runs.ts';
import type { Deps } from '../../shared/deps.ts';
import {
  acquireJobLease,
  completeJob,
  failJob,
  parkJob,
  rescheduleJob,
} from '../../shared/platform/leases/jobLease.ts';
import type { HandlerTable, JobOutcome } from '../../workers/handler.ts';
import { expireApprovals } from '../../workers/sweeps/expireApprovals.ts';
import { orphanedBulks, parkedJobs } from '../../workers/sweeps/index.ts';
import { unfinishedRuns } from '../../workers/sweeps/unfinishedRuns.ts';
import { connectApp, never, rpcError, type FakeApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { handlers } from '../support/jobHandlers.ts';
import { installStateTrace } from '../support/stateTrace.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { drive, seed } from './support.ts';

const ship = {
  label: 'Ship',
  resource: 'order',
  background: true,
  timeout: 10_000,
  input: { type: 'object', properties: { mode: { type: 'string' } } },
  when: { field: 'record.fields.status', op: 'eq', value: 'paid' },
} as const;
const manifest = {
  resources: [{ name: 'order', source: 'stored', fields: [{ name: 'status', filter: true }] }],
  inboxes: [{ name: 'mail', reply: { via: 'app' } }],
  actions: [
    { name: 'ship', ...ship },
    { name: 'shipAgain', ...ship, repeatable: true, attempts: 3 },
  ],
} as const;

const minute = 60_000;
const day = 1_440 * minute;

/** What the app does with a run or a reply. */
type Mode = 'ok' | 'refuse' | 'retry' | 'garbled' | 'silent';
type PlainEvent =
  | 'work'
  | 'workChunk'
  | 'online'
  | 'offline'
  | 'pay'
  | 'unpay'
  | 'minutes'
  | 'days'
  | 'months'
  | 'bulks'
  | 'question';
type Event =
  | {
      readonly do: 'ask';
      readonly supervised: boolean;
      readonly record: 0 | 1;
      readonly mode: Mode;
      readonly action?: 'ship' | 'shipAgain';
    }
  | { readonly do: 'decide'; readonly how: 'approve' | 'reject' | 'cancel'; readonly target: number }
  | { readonly do: 'cancelRun' | 'cancelBulk'; readonly target: number }
  | { readonly do: 'retry'; readonly supervised: boolean; readonly target: number }
  | {
      readonly do: 'bulk';
      readonly of: 'state' | 'action' | 'many' | 'none';
      readonly supervised: boolean;
      readonly mode: Mode;
    }
  | { readonly do: 'reply' | 'answer'; readonly mode: Mode }
  | { readonly do: PlainEvent };

const plain = (what: PlainEvent): Event => ({ do: what });
const ask = (mode: Mode = 'ok', supervised = false): Extract<Event, { do: 'ask' }> => ({
  do: 'ask',
  supervised,
  record: 0,
  mode,
});
const bulk = (of: 'state' | 'action' | 'many' | 'none', supervised = false): Event => ({
  do: 'bulk',
  of,
  supervised,
  mode: 'ok',
});
const decide = (how: 'approve' | 'reject' | 'cancel'): Event => ({ do: 'decide', how, target: 0 });
const retry: Event = { do: 'retry', supervised: false, target: 0 };
const cancelRun: Event = { do: 'cancelRun', target: 0 };
const cancelBulk: Event = { do: 'cancelBulk', target: 0 };
const [work, workChunk, online, offline] = [plain('work'), plain('workChunk'), plain('online'), plain('offline')];
const [unpay, minutes, days] = [plain('unpay'), plain('minutes'), plain('days')];

const scripts: readonly (readonly Event[])[] = [
  // First, as results of bulks behind an unfinished one stay.
  [bulk('state'), work, bulk('many'), cancelBulk, plain('months')],
  [online, ask('ok', true), decide('reject'), ask('ok', true), decide('approve'), work],
  [offline, ask('ok', true), decide('approve'), online, work],
  [online, ask('ok', true), days, retry, work],
  [offline, ask(), days, retry, cancelRun],
  [online, ask('ok', true), cancelRun, ask('ok', true), decide('cancel')],
  [online, ask('ok', true), unpay, decide('approve')],
  [offline, ask(), unpay, online, work],
  [online, ask(), offline, work, online, work],
  [online, ask('refuse'), work, retry, work, offline, retry],
  [online, ask('garbled'), work, retry, work, { do: 'answer', mode: 'ok' }],
  [online, ask('garbled'), work, { do: 'answer', mode: 'refuse' }],
  [online, ask('garbled'), work, offline, retry, online, { do: 'answer', mode: 'ok' }],
  [online, ask('silent'), work, minutes],
  [online, { ...ask('silent'), action: 'shipAgain' }, work, minutes, offline, work, days],
  [online, { ...ask('silent'), action: 'shipAgain' }, work, minutes, work, minutes, work, minutes],
  [online, bulk('action'), workChunk, cancelBulk, workChunk],
  [offline, bulk('action'), workChunk, cancelBulk, workChunk],
  [online, bulk('action'), work, work],
  [bulk('state', true), decide('approve'), work, bulk('state', true), decide('reject')],
  [plain('question')],
  [bulk('none'), bulk('many'), cancelBulk, bulk('many'), workChunk, cancelBulk],
  [online, { do: 'reply', mode: 'ok' }, { do: 'reply', mode: 'refuse' }, { do: 'reply', mode: 'garbled' }, work],
];

describe(`states: runs, approvals, bulks and replies (STATES_SEED=${String(seed)})`, () => {
  let world: World;
  let app: FakeApp | null = null;
  before(async () => {
    world = await newWorld({ manifest, workers: false });
    // It keeps results of bulks longer, so that those of the other are deleted and not dropped with their month.
    await world.environment('longer');
    await world.sql(
      "insert into retentions (env, kind, days) select id, 'bulkResults', 0 from environments where name = 'longer'",
    );
  });
  after(async () => {
    await app?.close();
    await world.close();
  });

  const answer = (mode: string | undefined): unknown => {
    if (mode === 'refuse') throw rpcError(-32001, 'No.');
    if (mode === 'retry') throw rpcError(-32001, 'Not now.', { retryable: true });
    if (mode === 'silent') return never();
    return mode === 'garbled' ? 'what?' : { message: 'Done.' };
  };

  it('in any order', async () => {
    const { deps } = world;
    const { db } = deps;
    const query = async (text: string) => ({ rows: await world.sql(text) });
    await installStateTrace(query, true);
    const [agent, supervised, person, key] = [
      await world.agent('admin'),
      await world.agent('admin', { mode: 'supervised' }),
      await world.person('admin'),
      await world.appKey(),
    ];
    const later = (ms: number): Deps => ({ ...deps, clock: { now: () => deps.clock.now() + ms } });
    const isOnline = (): Promise<boolean> =>
      deps.link.online(deps.directory.environment('demo')?.id ?? 0, { kind: 'action', name: 'ship' });
    const setOnline = async (wanted: boolean): Promise<void> => {
      if (wanted && app === null)
        app = await connectApp(key, {
          manifest,
          instance: 'one',
          handlers: {
            'action.run': ({ input }) => answer(input.mode as string),
            'reply.send': ({ text }) => {
              if (text === 'garbled' || text === 'silent') throw rpcError(-32603, 'It broke.');
              return answer(text as string);
            },
          },
        });
      if (!wanted) {
        await app?.close();
        app = null;
      }
      await until('the link knows', async () => (await isOnline()) === wanted);
    };
    /** No run is in the hands of an app that is going to answer. */
    const quiet = (): Promise<unknown> =>
      until('the app has answered', async () => {
        const text = `select 1 from runs where status = 'running' and handed_at is not null and lost_at is null and input ->> 'mode' <> 'silent'`;
        return (await world.sql(text)).length === 0;
      });
    /** The job that dispatches the run goes with it. */
    const dispatched = (job: string): Promise<unknown> =>
      until('the run is dispatched', async () => {
        return (await world.sql('select 1 from staged_jobs where id = $1', [job])).length === 0;
      });
    const pick = async (text: string, target: number): Promise<string> => {
      const found = await world.sql<{ id: string }>(`select id from ${text} order by id desc limit 4`);
      return found[target % Math.max(1, found.length)]?.id ?? 'none';
    };
    const endJob = (lease: { id: string; fence: number }, outcome: JobOutcome): Promise<boolean> => {
      switch (outcome.kind) {
        case 'done':
          return completeJob(db, lease);
        case 'again':
        case 'passedOn':
          return rescheduleJob(db, lease, outcome.at);
        case 'wait':
          return parkJob(db, lease);
        case 'giveUp':
          return failJob(db, lease, { error: outcome.reason, retryAt: null, now: deps.clock.now() });
      }
    };
    /** Performs the jobs that are due within 20 s, as a worker does. */
    const workOff = async (names: readonly string[], max: number): Promise<void> => {
      await parkedJobs.run(deps);
      await unfinishedRuns.run(deps);
      const soon = deps.clock.now() + 20_000;
      const due = await world.sql<{ id: string }>(
        'select id from staged_jobs where due_at <= $1 and name = any ($2) order by due_at, id limit $3',
        [soon, names, max],
      );
      for (const { id } of due) {
        const lease = await acquireJobLease(db, id, soon);
        if (lease === null) continue;
        const { signal } = new AbortController();
        const job = { ...lease, startCount: lease.tries, signal, inTurn: () => Promise.resolve() } as never;
        const outcome = await ((handlers as HandlerTable)[lease.name] ?? fail)(job, deps);
        await endJob(lease, outcome);
        if (outcome.kind === 'passedOn') await dispatched(id);
      }
      await quiet();
    };
    const clientOf = (isSupervised: boolean): Client => (isSupervised ? supervised : agent);
    let sequences = 0;

    const begin = async (): Promise<(event: Event) => Promise<unknown>> => {
      sequences += 1;
      const records = [0, 1].map((n) => `o${String(sequences)}_${String(n)}`);
      await world.records(
        'order',
        records.map((id) => ({ id, title: id, fields: { status: 'paid' } })),
      );
      const items: string[] = [];
      for (const id of records) {
        const made = await agent.post('/items', { inbox: 'mail', title: id, record: { resource: 'order', id } });
        items.push(made.body.item.id as string);
      }
      const pay = (status: string): Promise<unknown> =>
        world.sql(`update records set fields = jsonb_build_object('status', $1::text) where id = any ($2)`, [
          status,
          records,
        ]);
      const askBulk = ({ of, supervised: by, mode }: Extract<Event, { do: 'bulk' }>): Promise<unknown> => {
        const many = Array.from({ length: 501 }, (_, i) => `itm_x${String(i)}`);
        const operation =
          of === 'action' ? { type: 'action', action: 'ship', input: { mode } } : { type: 'state', state: 'closed' };
        const which = of === 'none' ? { query: { tags: ['nobody’s'] } } : { ids: of === 'many' ? many : items };
        return clientOf(by).post('/bulk', { ...which, operation });
      };
      const lateAnswers = async (mode: Mode): Promise<unknown> => {
        const found = await world.sql<{ id: string }>(
          `select id from runs where status = 'unknown' or (status = 'queued' and instance is not null) limit 3`,
        );
        const given =
          mode === 'refuse' ? { error: { code: -32001, message: 'No.' } } : { result: { message: 'Done.' } };
        return app?.request('run.answers', { answers: found.map(({ id }) => ({ run: id, ...given })) });
      };
      return async (event) => {
        switch (event.do) {
          case 'ask':
            return clientOf(event.supervised).post('/actions', {
              action: event.action ?? 'ship',
              record: records[event.record],
              input: { mode: event.mode },
            });
          case 'decide': {
            const id = await pick(`approvals where status = 'pending'`, event.target);
            return (event.how === 'cancel' ? supervised : person).post(`/approvals/${id}/${event.how}`);
          }
          case 'cancelRun':
            return agent.post(`/runs/${await pick(`runs where status in ('pending', 'queued')`, event.target)}/cancel`);
          case 'cancelBulk': {
            const id = await pick('bulks where finished_at is null', event.target);
            await agent.post(`/bulk/${id}/cancel`);
            return supervised.post(`/bulk/${id}/cancel`);
          }
          case 'retry': {
            const id = await pick(`runs where status in ('failed', 'unknown', 'expired')`, event.target);
            return clientOf(event.supervised).post(`/runs/${id}/retry`);
          }
          case 'bulk':
            return askBulk(event);
          case 'reply':
            return agent.post(`/items/${items[0] ?? ''}/reply`, { subject: 'Hello', text: event.mode });
          case 'answer':
            return lateAnswers(event.mode);
          case 'question': {
            const asked = await supervised.post('/questions', { text: 'Ship it?', options: ['Yes', 'No'] });
            return person.post(`/approvals/${String(asked.body.approval)}/answer`, { answer: 'Yes' });
          }
          case 'work':
            return workOff(['bulkChunk', 'actionRun', 'replySend'], 30);
          case 'workChunk':
            return workOff(['bulkChunk'], 1);
          case 'online':
            return setOnline(true);
          case 'offline':
            return setOnline(false);
          case 'pay':
            return pay('paid');
          case 'unpay':
            return pay('open');
          case 'minutes':
            await unfinishedRuns.run(later(10 * minute));
            await unfinishedRuns.run(later(20 * minute));
            return world.sql(`update staged_jobs set due_at = $1 where name = 'actionRun' and due_at > $1`, [
              deps.clock.now(),
            ]);
          case 'days':
            await unfinishedRuns.run(later(90 * day));
            return expireApprovals.run(later(90 * day));
          case 'months':
            return expireResults(deps.db, deps.config.bulkResultsDays, later(100 * day).clock.now());
          case 'bulks':
            return orphanedBulks.run(later(minute));
        }
      };
    };
    const mode = fc.constantFrom<Mode>('ok', 'refuse', 'retry', 'garbled', 'silent');
    const target = fc.nat(3);
    const event: fc.Arbitrary<Event> = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('ask' as const),
          supervised: fc.boolean(),
          record: fc.constantFrom(0, 1),
          mode,
          action: fc.constantFrom('ship', 'shipAgain'),
        }),
      },
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('decide' as const),
          how: fc.constantFrom('approve', 'reject', 'cancel'),
          target,
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cancelRun', 'cancelBulk'), target }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('retry' as const), supervised: fc.boolean(), target }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('bulk' as const),
          of: fc.constantFrom('state', 'action'),
          supervised: fc.boolean(),
          mode,
        }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('reply', 'answer'), mode }) },
      {
        weight: 9,
        arbitrary: fc
          .constantFrom(
            'work',
            'work',
            'work',
            'workChunk',
            'online',
            'offline',
            'pay',
            'unpay',
            'minutes',
            'days',
            'months',
            'bulks',
            'question',
          )
          .map(plain),
      },
    );
    await drive({
      query,
      machines: [runs, bulks, bulkChunks, approvals, replies],
      event,
      scripts,
      runs: 6,
      length: 30,
      begin,
    });
  });
});

const fail = (): never => {
  throw new Error('There is no such handler.');
};
