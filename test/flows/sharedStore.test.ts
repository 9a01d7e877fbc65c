/** Replicas of an app that share their store of answers, as real processes that are killed: what one has done counts from any other. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { newRandom } from '../support/random.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

interface ShownRun {
  readonly id: string;
  readonly status: string;
  readonly message: string | null;
  readonly error: string | null;
  readonly attempts: number;
}

describe('replicas that share a store', function () {
  this.timeout(120_000);
  let world: World;
  let key: Client;
  let admin: Client;
  let replicas: ChildProcess[];
  let count = 0;

  beforeEach(async () => {
    world = await newWorld({ manifest: {} });
    [key, admin] = [await world.appKey(), await world.agent('admin')];
    replicas = [];
    await world.sql('create table shop_effects (run text, attempt int)');
    await world.sql('create table shop_answers (run text primary key, attempt int, answer jsonb)');
  });
  afterEach(async () => {
    for (const replica of replicas) replica.kill('SIGKILL');
    await Promise.all(replicas.map(gone));
    await world.close();
  });

  const gone = async (replica: ChildProcess): Promise<void> => {
    if (replica.exitCode === null && replica.signalCode === null) await once(replica, 'exit');
  };
  /** Starts a replica under a new name; resolves when it is online. */
  const start = async (name: string, shared = true): Promise<ChildProcess> => {
    const file = fileURLToPath(new URL('replica.ts', import.meta.url));
    const replica = spawn(process.execPath, ['--import', 'tsx', file, name], {
      env: {
        ...process.env,
        URL_OF_ENVIRONMENT: world.base,
        APP_KEY: key.token,
        SHOP_DATABASE: world.config.migrateDatabaseUrl,
        SHARED: shared ? '1' : '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    replicas.push(replica);
    await once(replica.stdout ?? replica, 'data');
    return replica;
  };
  const begin = async (action: string, ends: readonly string[], more: object = {}): Promise<string> => {
    const { status, text, body } = await admin.post('/actions', { action, input: { ends }, ...more });
    expect(status, text).to.be.oneOf([200, 202]);
    return body.run as string;
  };
  const runOf = async (run: string): Promise<ShownRun> => (await admin.get(`/runs/${run}`)).body.run;
  const ended = (run: string, status: string): Promise<ShownRun> =>
    until(
      `the run ${run} is ${status}`,
      async () => {
        const shown = await runOf(run);
        return shown.status === status && shown;
      },
      30_000,
    );
  const effects = async (run: string): Promise<number> =>
    (await world.sql('select from shop_effects where run = $1', [run])).length;
  const answersKept = async (): Promise<number> => (await world.sql('select from shop_answers')).length;
  /** Lets the minute pass that the service waits for the answers of an instance that is gone. */
  const passMinute = async (runs: readonly string[]): Promise<void> => {
    await until('the answers are missing', async () => {
      const lost = await world.sql('select from runs where id = any ($1) and lost_at is not null', [runs]);
      return lost.length === runs.length;
    });
    world.clock.advance(61_000);
  };

  it('end the run of one that was killed with its answer stored, whatever the next one is called', async () => {
    for (const action of ['pay', 'payLater']) {
      const first = await start('one');
      const run = await begin(action, ['after']);
      await gone(first);
      const next = await start('two');
      expect(await ended(run, 'succeeded'), action).to.include({ message: 'Paid by one.', attempts: 1 });
      expect(await effects(run), action).to.equal(1);
      await until('the store is empty', async () => (await answersKept()) === 0);
      next.kill('SIGKILL');
      await gone(next);
    }
  });

  it('end it from one that was there already', async () => {
    const both = [await start('one'), await start('two')];
    const run = await begin('payLater', ['after']);
    await Promise.race(both.map(gone));
    expect(await ended(run, 'succeeded')).to.include({ attempts: 1 });
    expect(await effects(run)).to.equal(1);
    expect(both.filter(({ signalCode }) => signalCode === null)).to.have.length(1);
  });

  it('say that it failed, when that was stored', async () => {
    const first = await start('one');
    const run = await begin('payLater', ['refused']);
    await gone(first);
    await start('two');
    expect(await ended(run, 'failed')).to.include({ error: 'Refused, with its replica.', attempts: 1 });
    expect((await admin.post(`/runs/${run}/retry`)).status).to.equal(202);
    expect(await ended(run, 'succeeded')).to.include({ message: 'Paid by two.', attempts: 2 });
    expect(await effects(run)).to.equal(1);
  });

  it('end the runs of a bulk, which counts them as changed', async () => {
    const first = await start('one');
    await world.records(
      'order',
      ['o1', 'o2', 'o3'].map((id) => ({ id, title: id })),
    );
    const refs = ['o1', 'o2', 'o3'].map((id) => ({ resource: 'order', id }));
    const operation = { type: 'action', action: 'payOrder', input: { ends: ['after three'] } };
    const { body } = await admin.post('/bulk', { refs, operation });
    await gone(first);
    await start('two');
    const finished = await until('the bulk has ended', async () => {
      const { bulk } = (await admin.get(`/bulk/${String(body.bulk.id)}`)).body;
      return bulk.finishedAt !== null && bulk;
    });
    expect(finished).to.include({ changed: 3, failed: 0 });
    expect(await world.sql('select from shop_effects')).to.have.length(3);
  });

  it('correct an unknown end hours later, and do once what was queued meanwhile', async () => {
    const first = await start('one');
    const run = await begin('payLater', ['after']);
    await gone(first);
    const queued = await begin('payLater', []);
    await passMinute([run]);
    await ended(run, 'unknown');
    await start('two');
    expect(await ended(run, 'succeeded')).to.include({ message: 'Paid by one.' });
    expect(await ended(queued, 'succeeded')).to.include({ message: 'Paid by two.' });
    expect([await effects(run), await effects(queued)]).to.deep.equal([1, 1]);
  });

  it('leave a run unknown of which the store has no answer, until somebody retries it', async () => {
    const first = await start('one');
    const run = await begin('payLater', ['before']);
    await gone(first);
    await start('two');
    await passMinute([run]);
    await ended(run, 'unknown');
    expect(await effects(run)).to.equal(0);
    await admin.post(`/runs/${run}/retry`);
    expect(await ended(run, 'succeeded')).to.include({ message: 'Paid by two.', attempts: 2 });
    expect(await effects(run)).to.equal(1);
  });

  it('leave it unknown too when the store is not said to be shared; a retry is answered from the store', async () => {
    const first = await start('one', false);
    const run = await begin('payLater', ['after']);
    await gone(first);
    await start('two', false);
    await passMinute([run]);
    await ended(run, 'unknown');
    expect(await answersKept()).to.equal(1);
    await admin.post(`/runs/${run}/retry`);
    expect(await ended(run, 'succeeded')).to.include({ message: 'Paid by one.' });
    expect(await effects(run)).to.equal(1);
  });

  it('never send a reply again that one had sent, whose end is unknown', async () => {
    const first = await start('one');
    const { body } = await admin.post('/items', { inbox: 'mail', title: 'Help' });
    const path = `/items/${String(body.item.id)}`;
    const reply = await admin.post(`${path}/reply`, { subject: 'Help', text: 'It is on its way.' });
    await gone(first);
    await start('two');
    const entry = await until(
      'the reply has an end',
      async () => {
        const { entries } = (await admin.get(`${path}/timeline`)).body;
        return (entries as { id: string; data: { status: string } }[]).find(
          ({ id, data }) => id === reply.body.entry.id && data.status !== 'sending' && data.status !== 'queued',
        );
      },
      30_000,
    );
    expect(entry.data.status).to.equal('unknown');
    expect(await effects(reply.body.entry.id)).to.equal(1);
  });

  it('agree with a model: whatever kills them, a run is done exactly when it says so, and never twice', async () => {
    const random = newRandom(38);
    const runs: string[] = [];
    const alive = (): ChildProcess[] =>
      replicas.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const staff = async (): Promise<void> => {
      while (alive().length < 2) await start(`replica ${String(count++)}`);
    };
    await staff();
    for (let n = 0; n < 12; n++) {
      const ends = [0, 1].map(() => random.pick(['', '', 'before', 'after', 'refused']));
      runs.push(await begin('payLater', ends));
      if (random.next() < 0.3) random.pick(alive()).kill('SIGKILL');
      await staff();
    }
    const open = async (): Promise<ShownRun[]> =>
      (await Promise.all(runs.map(runOf))).filter(({ status }) => status !== 'succeeded');
    for (let round = 0; (await open()).length > 0; round++) {
      expect(round, JSON.stringify(await open())).to.be.below(8);
      await until(
        'all are ended, lost or given to nobody',
        async () => {
          await staff();
          const busy = await world.sql("select from runs where status in ('running', 'queued') and lost_at is null");
          return busy.length === 0 && (await answersKept()) === 0;
        },
        60_000,
      );
      world.clock.advance(61_000);
      await until(
        'none is lost',
        async () => (await world.sql("select from runs where status = 'running'")).length === 0,
      );
      for (const { id, status } of await Promise.all(runs.map(runOf)))
        expect([id, status, await effects(id)]).to.deep.equal([id, status, status === 'succeeded' ? 1 : 0]);
      for (const { id } of await open()) expect((await admin.post(`/runs/${id}/retry`)).status).to.equal(202);
    }
    for (const run of runs) expect(await effects(run), run).to.equal(1);
  });
});
