/** An app that is closing: it goes on with what it has begun and serves reads, and refuses what acts as not done. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { defineApp } from '../../shared/sdk/index.ts';
import { deferred } from '../support/deferred.ts';
import { until } from '../support/until.ts';
import { connected, service } from './connected.ts';
import { runCall } from './fakeService.ts';

const actor = { type: 'person', id: 'per_1', name: 'Ana' };
const reply = { item: { inbox: 'mail' }, subject: 's', text: 't', actor };

const newApp = () => {
  const acted: string[] = [];
  const held = deferred();
  const read = deferred();
  const app = defineApp({
    resources: {
      order: {
        source: 'app',
        search: () => [],
        list: async () => {
          await read.promise;
          return { records: [] };
        },
        get: ({ ids }) => ids.map((id) => ({ id, title: 'Order' })),
        detail: () => ({ blocks: [{ type: 'text', text: 'An order.' }] }),
        available: () => ({}),
      },
    },
    inboxes: {
      mail: {
        detail: () => ({ blocks: [], suggestedActions: [] }),
        reply: {
          via: 'app',
          send: async ({ delivery }) => {
            acted.push(delivery);
            await held.promise;
          },
        },
      },
    },
    actions: {
      work: {
        run: async ({ run }) => {
          acted.push(run);
          await held.promise;
          return 'Done.';
        },
      },
    },
    pages: { sales: { blocks: [{ type: 'text', load: () => ({ text: 'Sales.' }) }] } },
    triage: {
      mail: {
        answer: () => {
          acted.push('triage');
          return null;
        },
      },
    },
  });
  return { app, acted, held, read };
};

describe('sdk: stopping', () => {
  it('serves reads and refuses runs, replies and triage as not done, until what it has begun is done', async () => {
    const fake = await service();
    const { app, acted, held } = newApp();
    const { client } = connected(fake, app);
    await fake.registered();
    const running = fake.call('action.run', runCall('run_1', 'work'));
    const sending = fake.call('reply.send', { ...reply, delivery: 'ent_1' });
    await until('both are under way', () => acted.length === 2);
    const closed = client.close({ drainMs: 60_000 });

    const refused = {
      code: -32001,
      message: 'The app is stopping.',
      data: { retryable: true, stopping: true },
    };
    expect((await fake.call('action.run', runCall('run_2', 'work'))).error).to.deep.equal(refused);
    expect((await fake.call('reply.send', { ...reply, delivery: 'ent_2' })).error).to.deep.equal(refused);
    expect((await fake.call('triage.answer', { item: { inbox: 'mail' } })).error).to.deep.equal(refused);

    const page = { page: 'sales', block: 0, title: null, params: {}, actor };
    const ref = { resource: 'order', id: 'o1' };
    for (const [method, params] of [
      ['records.get', { resource: 'order', ids: ['o1'] }],
      ['record.blocks', ref],
      ['item.blocks', { item: { inbox: 'mail' }, latestOccurrence: null }],
      ['page.block', page],
      ['action.available', { refs: [ref] }],
    ] as const)
      expect(await fake.call(method, params), method).to.have.property('result');

    const joined = [
      fake.call('action.run', runCall('run_1', 'work', { attempt: 2 })),
      fake.call('reply.send', { ...reply, delivery: 'ent_1' }),
    ];
    // A round trip behind them: they have arrived.
    await fake.call('no.such', {});
    held.resolve();
    for (const answer of [running, ...joined.slice(0, 1)])
      expect((await answer).result).to.deep.equal({ message: 'Done.' });
    for (const answer of [sending, ...joined.slice(1)]) expect((await answer).result).to.equal(null);
    await closed;
    expect(acted).to.deep.equal(['run_1', 'ent_1']);
  });

  it('does not wait for reads that began after it was told to stop', async () => {
    const fake = await service();
    const { app, acted, held, read } = newApp();
    const { client } = connected(fake, app);
    await fake.registered();
    void fake.call('action.run', runCall('run_1', 'work'));
    await until('it runs', () => acted.length === 1);
    const closed = client.close({ drainMs: 60_000 });
    void fake.call('records.list', { resource: 'order', q: null, filters: {}, sort: null, cursor: null, limit: 1 });
    // A round trip behind the read: it is under way.
    await fake.call('no.such', {});
    held.resolve();
    await closed;
    read.resolve();
  });

  it('says of a run that heeds its signal that it was stopped, without a stack', async () => {
    const fake = await service();
    const reasons: unknown[] = [];
    const untilAborted = (signal: AbortSignal): Promise<unknown> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          resolve(signal.reason);
        });
      });
    const app = defineApp({
      actions: {
        reason: {
          run: async ({ signal }) => {
            throw await untilAborted(signal);
          },
        },
        sleep: { run: ({ signal }) => sleep(3_600_000, undefined, { signal }) },
        other: {
          run: async ({ signal }) => {
            await untilAborted(signal);
            throw new TypeError('A bug.');
          },
        },
      },
    });
    const { client, problems } = connected(fake, app);
    await fake.registered();
    const calls = ['reason', 'sleep', 'other'].map((name) => fake.call('action.run', runCall(`run_${name}`, name)));
    // A round trip behind them: they have begun.
    await fake.call('no.such', {});
    await client.close({ drainMs: 1 });
    const stopped = {
      code: -32001,
      message: 'The app was stopped before it was done.',
      data: { retryable: false },
    };
    expect((await Promise.all(calls)).map(({ error }) => error)).to.deep.equal([
      stopped,
      stopped,
      { code: -32603, message: 'The app failed; its log says more.' },
    ]);
    expect(reasons.map(String)).to.deep.equal(Array(2).fill('AbortError: The client closes.'));
    expect(
      problems
        .map(({ message, cause }) => [message, cause === undefined])
        .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    ).to.deep.equal([
      ['The action other failed in run run_other.', false],
      ['The action reason was stopped in run run_reason, as the client closes.', true],
      ['The action sleep was stopped in run run_sleep, as the client closes.', true],
    ]);
  });
});
