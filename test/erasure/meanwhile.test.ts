/** Erasures of what goes on meanwhile: what is decided, runs, is triaged or is told while they are under way, and what was read before. */
import { expect } from 'chai';
import { readRuns } from '../../shared/runs/model.ts';
import { transitionRun } from '../../shared/runs/moveRun.ts';
import { never, rpcError, type FakeApp } from '../support/app.ts';
import { moveHalf } from '../support/endedRows.ts';
import type { Client, Reply } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { tablesWith } from '../support/tables.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

/** In every text that somebody writes about the customer; no id has it. */
const canary = 'Zanzibarova';
const record = { resource: 'customer', id: 'c_77' };
const about = (more: string): string => `${canary} ${more}`;

const manifest = {
  ...testManifest,
  inboxes: [
    ...testManifest.inboxes,
    { name: 'errors', onOccurrence: { keep: 100, update: true } },
    { name: 'talks', triage: { app: true } },
  ],
  actions: [
    ...testManifest.actions,
    { name: 'pay', label: 'Pay', resource: 'customer', input: { type: 'object' } },
    { name: 'hold', label: 'Hold', resource: 'customer', input: { type: 'object' }, background: true },
  ],
};

describe('erasures meanwhile', () => {
  let world: World;
  let boss: Client;
  let agent: Client;
  let bot: Client;
  let app: FakeApp;
  let triage: () => unknown = () => null;

  before(async () => {
    world = await newWorld({ manifest });
    boss = await world.person('admin', 'Boss', { fresh: true });
    agent = await world.agent('admin');
    bot = await world.agent('admin', { mode: 'supervised' });
    app = await world.app(
      {
        'action.run': ({ action }: { action: string }) => {
          if (action === 'hold') return never();
          throw rpcError(-32001, about('has no card'));
        },
        'triage.answer': () => triage(),
      },
      { manifest },
    );
  });
  after(() => world.close());

  const store = (): Promise<void> => world.records('customer', [{ id: record.id, title: about('herself') }]);
  beforeEach(store);

  const accepted = ({ status, text, body }: Reply): Reply['body'] => {
    expect(status, text).to.be.within(200, 202);
    return body;
  };
  const begin = async (): Promise<string> =>
    accepted(await boss.post('/settings/erasures', { record, confirmed: true })).erasure.id as string;
  const read = async (id: string): Promise<Reply['body']> =>
    (await boss.get('/settings/erasures')).body.erasures.find((one: { id: string }) => one.id === id);
  const waits = (id: string, kind: string): Promise<unknown> =>
    until(`it waits for ${kind}`, async () => (await read(id)).waitsFor?.[kind] === 1, 40_000);
  /** Waits for the end of an erasure, and looks for what it has left. */
  const leavesNothing = async (id: string): Promise<void> => {
    await until('all is erased', async () => (await read(id)).status === 'done', 40_000);
    expect(await tablesWith(world, canary)).to.deep.equal([]);
  };
  const newItem = async (inbox = 'mail'): Promise<string> =>
    accepted(await agent.post('/items', { inbox, title: about('asks'), record })).item.id as string;
  const failedRun = async (): Promise<string> => {
    const { status, body } = await agent.post('/actions', { action: 'pay', record: record.id, input: { to: canary } });
    expect(status).to.equal(422);
    return body.run as string;
  };
  /** Resolves when an erasure has to wait for no entry. */
  const chained = (): Promise<unknown> =>
    until(
      'all entries are chained',
      async () =>
        (await world.sql('select from events where verb is not null and id > (select max(last) from audit_chain)'))
          .length === 0,
      40_000,
    );
  /** Lets nobody write to a table while something is done. */
  const whileLocked = (table: string, during: () => Promise<void>): Promise<void> =>
    world.deps.db.transaction(async (tx) => {
      await tx.raw('set local idle_in_transaction_session_timeout = 0');
      await tx.raw(`lock table ${table} in share mode`);
      await during();
    });

  it('take requests to do a run again, and wait for those that nobody has decided', async () => {
    const run = await failedRun();
    const retry = async (): Promise<string> =>
      accepted(await bot.post(`/runs/${run}/retry`, { confirmed: true, reason: about('asks again') }))
        .approval as string;
    accepted(await boss.post(`/approvals/${await retry()}/reject`, { note: about('has no card') }));
    const pending = await retry();
    const id = await begin();
    await waits(id, 'approvals');
    expect((await agent.get(`/runs/${run}`)).body.run.input, 'what is decided on').to.deep.equal({ to: canary });
    accepted(await boss.post(`/approvals/${pending}/reject`, { note: about('is paid') }));
    await leavesNothing(id);
  });

  it('wait for bulks of nothing but what is erased, also of which nothing was done yet', async () => {
    const own = await newItem();
    const operation = { type: 'action', action: 'pay', input: { to: canary } };
    const { approval } = accepted(await bot.post('/bulk', { ids: [own], operation, reason: about('is owed') }));
    const id = await begin();
    await waits(id, 'bulks');
    expect((await read(id)).waitsFor.approvals).to.equal(1);
    accepted(await boss.post(`/approvals/${String(approval)}/approve`));
    await leavesNothing(id);
  });

  it('find what was told of others’ items and of requests, also once these name nobody any more', async () => {
    const report = { inbox: 'errors', key: 'timeout' };
    accepted(await agent.post('/items', { ...report, title: 'Timeout', user: 'c_1' }));
    accepted(await agent.post('/items', { ...report, title: about('waits'), user: record.id }));
    const wanted = { inbox: 'mail', title: about('wants'), user: record.id };
    const { approval } = accepted(await bot.post('/items', wanted));
    accepted(await boss.post(`/approvals/${String(approval)}/reject`, {}));
    await world.settled();
    await chained();
    expect(await tablesWith(world, canary)).to.include('stream_parts');
    // As if releases before 0079 had written half of it.
    await world.sql('update stream s set parts = p.parts from stream_parts p where p.id = s.id and s.position % 2 = 0');
    await world.sql("delete from stream_parts p using stream s where s.id = p.id and s.parts <> ''");
    expect(await tablesWith(world, canary)).to.include.members(['stream', 'stream_parts']);
    let id = '';
    // As while the worker is killed before it comes to the stream.
    await whileLocked('stream', async () => {
      id = await begin();
      await until('it has begun', async () => {
        const { erased } = await read(id);
        return erased.occurrences === 1 && erased.approvals === 1;
      });
    });
    await leavesNothing(id);
  });

  it('take what begins before they have ended', async () => {
    await newItem();
    await world.settled();
    await chained();
    let [id, run] = ['', ''];
    await whileLocked('idempotency_keys', async () => {
      id = await begin();
      await until(
        'it has come to what was sent',
        async () =>
          (await world.sql("select from pg_locks where relation = 'idempotency_keys'::regclass and not granted"))
            .length > 0,
      );
      await store();
      run = accepted(await agent.post('/actions', { action: 'hold', record: record.id, input: { to: canary } })).run;
    });
    await waits(id, 'runs');
    await until('the app has it', () =>
      app.received.some(({ method, params }) => method === 'action.run' && params['run'] === run),
    );
    const answers = [{ run, result: { message: about('holds') } }];
    expect(await app.request('run.answers', { answers })).to.deep.equal({ settled: [run] });
    await leavesNothing(id);
  });

  it('wait for an app that triages an item', async () => {
    let answer: (result: object) => void = () => undefined;
    const asked = new Promise<void>((begun) => {
      triage = () => {
        begun();
        return new Promise((resolve) => (answer = resolve));
      };
    });
    await newItem('talks');
    await asked;
    const id = await begin();
    await waits(id, 'triages');
    answer({ answers: { who: about('asks') } });
    await leavesNothing(id);
  });

  it('take the reason for which a job was tried again', async () => {
    triage = () => {
      throw rpcError(-32001, about('is unknown'));
    };
    const item = await newItem('talks');
    const job = await until(
      'it was given up',
      async () =>
        (await boss.get(`/settings/jobs?about=${item}&state=failed`)).body.jobs[0] as { id: string } | undefined,
    );
    triage = () => null;
    accepted(await boss.post(`/settings/jobs/${job.id}/retry`, { reason: about('asks again') }));
    await world.settled();
    await leavesNothing(await begin());
  });

  it('leave a run to nobody who has read it before', async () => {
    const ids = [await failedRun(), await failedRun()];
    await moveHalf(world);
    const runs = await readRuns(world.deps.db, 1, ids);
    await leavesNothing(await begin());
    for (const run of runs) {
      const again = { ...run, status: 'running', fence: run.fence + 1 } as const;
      const moved = await transitionRun(world.deps.db, run, again, Date.now(), {
        verb: null,
        outcome: 'ok',
        emit: false,
      });
      expect(moved).to.equal(false);
    }
    expect(await tablesWith(world, canary)).to.deep.equal([]);
  });

  it('take saved responses by the thousand, however many are of one moment', async () => {
    const own = await newItem();
    await world.sql(
      `insert into idempotency_keys (principal, key, fingerprint, status, body, created_at)
       select 'agt_1', 'key ' || n, '', 200, json_build_object('item', json_build_object('id', $1::text, 'title', $2::text)),
         $3::bigint + greatest(n - 4500, 0) from generate_series(1, 6000) n`,
      [own, canary, Date.now() - 60_000],
    );
    await leavesNothing(await begin());
  });

  it('go on when their job is lost', async () => {
    const { approval } = accepted(await bot.post('/items', { inbox: 'mail', title: about('wants'), record }));
    const id = await begin();
    await waits(id, 'approvals');
    await world.sql('delete from staged_jobs where subject = $1', [id]);
    accepted(await boss.post(`/approvals/${String(approval)}/reject`, {}));
    await leavesNothing(id);
  });
});
