/** The SDK's once: the same run is done one time, however often and over whichever connections it is dispatched. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ActionFailed, defineApp, fileStore, type AnswerStore, type App } from '../../shared/sdk/index.ts';
import { deferred, type Deferred } from '../support/deferred.ts';
import { until } from '../support/until.ts';
import { connected, service } from './connected.ts';
import { runCall } from './fakeService.ts';

const counting = (): { app: App; did: string[]; held: Deferred<void> } => {
  const did: string[] = [];
  const held = deferred();
  const app = defineApp({
    actions: {
      pay: {
        run: ({ run, attempt }) => {
          did.push(`${run}.${String(attempt)}`);
          return 'Paid.';
        },
      },
      wait: {
        run: async ({ run }) => {
          did.push(run);
          await held.promise;
          return 'Waited.';
        },
      },
      fail: {
        run: ({ run, attempt }) => {
          did.push(`${run}.${String(attempt)}`);
          throw new ActionFailed('No.');
        },
      },
    },
    inboxes: {
      mail: {
        reply: {
          via: 'app',
          send: ({ delivery }) => {
            did.push(delivery);
            if (did.length === 1) throw new ActionFailed('Not now.');
          },
        },
      },
    },
  });
  return { app, did, held };
};

describe('sdk: once', () => {
  it('answers a run that was done before without doing it again, settled or not', async () => {
    const fake = await service();
    const { app, did } = counting();
    connected(fake, app);
    await fake.registered();
    for (const attempt of [1, 1, 2])
      expect((await fake.call('action.run', runCall('run_1', 'pay', { attempt }))).result).to.deep.equal({
        message: 'Paid.',
      });
    fake.notify('run.settled', { run: 'run_1' });
    expect((await fake.call('action.run', runCall('run_1', 'pay', { attempt: 3 }))).result).to.deep.equal({
      message: 'Paid.',
    });
    expect(did).to.deep.equal(['run_1.1']);
  });

  it('holds an answer again that was settled and is asked for once more, until it is settled again', async () => {
    const fake = await service();
    const { app, did } = counting();
    connected(fake, app);
    const first = await fake.registered();
    await fake.call('action.run', runCall('run_1', 'pay'));
    fake.notify('run.settled', { run: 'run_1' });
    await fake.call('action.run', runCall('run_1', 'pay', { attempt: 2 }));
    first.terminate();
    expect((await until('the answers', () => fake.of('run.answers')[0])).params.answers).to.deep.equal([
      { run: 'run_1', result: { message: 'Paid.' } },
    ]);
    expect(did).to.deep.equal(['run_1.1']);
  });

  it('joins a run that is under way', async () => {
    const fake = await service();
    const { app, did, held } = counting();
    connected(fake, app);
    await fake.registered();
    const both = [
      fake.call('action.run', runCall('run_1', 'wait')),
      fake.call('action.run', runCall('run_1', 'wait', { attempt: 2 })),
    ];
    await until('it runs', () => did.length > 0);
    held.resolve();
    for (const answer of await Promise.all(both)) expect(answer.result).to.deep.equal({ message: 'Waited.' });
    expect(did).to.deep.equal(['run_1']);
  });

  it('does a run that failed again only for a higher attempt', async () => {
    const fake = await service();
    const { app, did } = counting();
    connected(fake, app);
    await fake.registered();
    for (const attempt of [1, 1, 2])
      expect((await fake.call('action.run', runCall('run_1', 'fail', { attempt }))).error?.message).to.equal('No.');
    expect(did).to.deep.equal(['run_1.1', 'run_1.2']);
  });

  it('hands in what it answered while the connection was gone, right after it registers, until it is settled', async () => {
    const fake = await service();
    const { app, did, held } = counting();
    const { client } = connected(fake, app);
    const first = await fake.registered();
    void fake.call('action.run', runCall('run_1', 'wait'));
    await until('it runs', () => did.length > 0);
    fake.refusal = { status: 503 };
    first.terminate();
    await until('offline', () => !client.online);
    held.resolve();
    fake.answers = { 'run.answers': () => ({ result: { settled: [] } }) };
    fake.refusal = null;
    const second = await fake.registered(2);
    const sent = await until('the answers', () => fake.of('run.answers')[0]);
    expect(sent.params).to.deep.equal({ answers: [{ run: 'run_1', result: { message: 'Waited.' } }] });
    fake.answers = {};
    second.terminate();
    const third = await fake.registered(3);
    await until('the answers again', () => fake.of('run.answers').length === 2);
    // A round trip behind the answer: it has arrived.
    await fake.call('no.such', {});
    third.terminate();
    await fake.registered(4);
    await fake.call('no.such', {});
    expect(fake.of('run.answers'), 'settled now').to.have.length(2);
  });

  it('hands in again soon what the service could not take', async () => {
    const fake = await service();
    const { app } = counting();
    connected(fake, app);
    const first = await fake.registered();
    await fake.call('action.run', runCall('run_1', 'pay'));
    fake.answers = {
      'run.answers': () => ({ error: { code: -32000, message: 'Not now.', data: { code: 'unavailable' } } }),
    };
    first.terminate();
    await until('the answers', () => fake.of('run.answers').length === 1);
    fake.answers = {};
    await until('the answers again', () => fake.of('run.answers').length === 2);
    expect(fake.of('run.answers')[1]?.params).to.deep.equal({
      answers: [{ run: 'run_1', result: { message: 'Paid.' } }],
    });
  });

  it('hands in an answer that is ready only after the reconnect', async () => {
    const fake = await service();
    const { app, did, held } = counting();
    const { client } = connected(fake, app);
    const first = await fake.registered();
    void fake.call('action.run', runCall('run_1', 'wait'));
    await until('it runs', () => did.length > 0);
    first.terminate();
    await fake.registered(2);
    await until('online', () => client.online);
    held.resolve();
    expect((await until('the answer', () => fake.of('run.answers')[0])).params.answers).to.deep.equal([
      { run: 'run_1', result: { message: 'Waited.' } },
    ]);
    expect(did).to.deep.equal(['run_1']);
  });

  it('hands an answer in again whose settling it never heard of', async () => {
    const fake = await service();
    const { app } = counting();
    connected(fake, app, { timing: { resendMs: 20 } });
    await fake.registered();
    await fake.call('action.run', runCall('run_1', 'pay'));
    expect((await until('the answers', () => fake.of('run.answers')[0])).params.answers).to.deep.equal([
      { run: 'run_1', result: { message: 'Paid.' } },
    ]);
  });

  it('goes on handing in what a later attempt gave when the failure before it is confirmed', async () => {
    const fake = await service();
    const app = defineApp({
      actions: {
        pay: {
          run: ({ attempt }) => {
            if (attempt === 1) throw new ActionFailed('Not now.');
            return 'Paid.';
          },
        },
      },
    });
    fake.answers = { 'run.answers': () => 'nothing' };
    connected(fake, app, { timing: { resendMs: 20 } });
    const socket = await fake.registered();
    const asked = deferred<number>();
    socket.on('message', (data) => {
      const { id, method } = JSON.parse((data as Buffer).toString()) as { id: number; method?: string };
      if (method === 'run.answers') asked.resolve(id);
    });
    await fake.call('action.run', runCall('run_1', 'pay'));
    const id = await asked.promise;
    await fake.call('action.run', runCall('run_1', 'pay', { attempt: 2 }));
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: { settled: ['run_1'] } }));
    // A round trip behind the confirmation.
    await fake.call('no.such', {});
    fake.heard.length = 0;
    const sent = await until('the second answer is handed in', () => fake.of('run.answers')[0]);
    expect(sent.params.answers).to.deep.equal([{ run: 'run_1', result: { message: 'Paid.' } }]);
  });

  it('sends a reply once, and tries one again that failed', async () => {
    const fake = await service();
    const { app, did } = counting();
    connected(fake, app);
    await fake.registered();
    const send = () =>
      fake.call('reply.send', {
        item: { inbox: 'mail' },
        subject: 's',
        text: 't',
        actor: { type: 'person', id: 'per_1', name: 'Ana' },
        delivery: 'ent_1',
      });
    expect((await send()).error).to.deep.include({ code: -32001, message: 'Not now.' });
    expect((await send()).result).to.equal(null);
    expect((await send()).result).to.equal(null);
    expect(did).to.have.length(2);
  });

  describe('with answers in files', () => {
    let folder = '';
    const files = (): string[] => readdirSync(folder).filter((file) => file !== 'instance');
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'console-sdk-'));
    });
    afterEach(() => {
      rmSync(folder, { recursive: true, force: true });
    });

    it('a new process knows what the one before had done, hands it in, and forgets it when it is settled', async () => {
      const fake = await service();
      const { app, did } = counting();
      const before = connected(fake, app, { store: fileStore(folder) });
      await fake.registered();
      await fake.call('action.run', runCall('run_1', 'pay'));
      fake.answers = { 'run.answers': () => ({ result: { settled: [] } }) };
      await before.client.close();
      fake.answers = {};
      fake.heard.length = 0;
      expect(files()).to.deep.equal(['run_1.json']);

      const after = connected(fake, app, { store: fileStore(folder) });
      await until('online', () => after.client.online);
      expect((await until('the answers', () => fake.of('run.answers')[0])).params.answers).to.deep.equal([
        { run: 'run_1', result: { message: 'Paid.' } },
      ]);
      await until('the file is gone', () => files().length === 0);
      expect(after.client.instance, 'the service takes answers from whom it asked').to.equal(before.client.instance);
      expect((await fake.call('action.run', runCall('run_1', 'pay', { attempt: 2 }))).result).to.deep.equal({
        message: 'Paid.',
      });
      expect(did).to.deep.equal(['run_1.1']);
      expect(after.problems).to.deep.equal([]);
    });

    it('names that are no file names stay in the folder', async () => {
      const store = fileStore(folder);
      for (const run of ['../up', 'a/b', '..', '.', 'ü']) {
        await store.set(run, { attempt: 1, answer: { result: run } });
        expect((await store.get(run))?.answer.result).to.equal(run);
      }
      expect(await store.keys?.()).to.have.members(['../up', 'a/b', '..', '.', 'ü']);
      expect(files()).to.have.length(5);
    });

    it('a half-written file of a killed process is no answer', async () => {
      writeFileSync(join(folder, 'run_1.json.new'), '{"attem');
      expect(await fileStore(folder).keys?.()).to.deep.equal([]);
      expect(await fileStore(folder).get('run_1')).to.equal(null);
    });
  });

  it('does nothing while its store can’t be read, and answers on when it can’t be written', async () => {
    const fake = await service();
    const { app, did } = counting();
    let readable = false;
    const broken: AnswerStore = {
      get: () => (readable ? Promise.resolve(null) : Promise.reject(new Error('disk'))),
      set: () => Promise.reject(new Error('disk')),
      delete: () => {
        throw new Error('disk');
      },
    };
    const { problems } = connected(fake, app, { store: broken });
    await fake.registered();
    expect((await fake.call('action.run', runCall('run_1', 'pay'))).error).to.deep.include({
      code: -32001,
      data: { retryable: true },
    });
    expect(did).to.deep.equal([]);
    readable = true;
    expect((await fake.call('action.run', runCall('run_1', 'pay', { attempt: 2 }))).result).to.deep.equal({
      message: 'Paid.',
    });
    fake.notify('run.settled', { run: 'run_1' });
    await until('three complaints', () => problems.filter(({ kind }) => kind === 'store').length === 3);
    const about = 'The store of answers failed for the run run_1: ';
    expect(problems.map(({ message }) => message)).to.deep.equal([
      `${about}it is refused for now, as it may have been done, and the service hands it over again.`,
      `${about}its answer is kept in memory alone.`,
      `${about}its answer stays in the store.`,
    ]);
  });
});
