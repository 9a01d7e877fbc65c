/** What an app is told of answers that can't be sent and handlers that failed: which call it was, and why. */
import { expect } from 'chai';
import { defineApp, type LinkProblem } from '../../shared/sdk/index.ts';
import { until } from '../support/until.ts';
import { connected, service } from './connected.ts';
import { runCall } from './fakeService.ts';

const megabytes = (count: number): string => 'x'.repeat(count * 1024 * 1024);
const actor = { type: 'person', id: 'per_1', name: 'Ana' };
const fail = (): never => {
  throw new Error('A bug.');
};

describe('sdk: problems of answers', () => {
  it('name the call, the size and the limit of an answer to a read that is too large', async () => {
    const fake = await service();
    const page = () => ({ records: [{ id: 'o1', title: 'Order', fields: { note: megabytes(5) } }], cursor: null });
    const app = defineApp({
      resources: {
        order: {
          source: 'app',
          relations: [{ name: 'notes' }],
          search: () => page().records,
          list: page,
          get: () => page().records,
          related: page,
          detail: () => ({ blocks: [{ type: 'text', text: megabytes(5) }] }),
          available: ({ ids }) =>
            Object.fromEntries(ids.map((id) => [id, { defaults: { a: { text: megabytes(5) } } }])),
        },
      },
      inboxes: { mail: { detail: () => ({ blocks: [{ type: 'text', text: megabytes(5) }] }) } },
      actions: { a: { run: () => 'A.' } },
    });
    const { problems } = connected(fake, app);
    await fake.registered();
    const ref = { resource: 'order', id: 'o1' };
    const calls = [
      ['records.search', { resource: 'order', q: 'x', limit: 1 }, 'resource order'],
      ['records.list', { resource: 'order', limit: 1 }, 'resource order'],
      ['records.get', { resource: 'order', ids: ['o1'] }, 'resource order'],
      ['records.related', { ...ref, relation: 'notes' }, 'resource order, record o1, relation notes'],
      ['record.blocks', ref, 'resource order, record o1'],
      ['item.blocks', { item: { id: 'itm_1', inbox: 'mail' } }, 'inbox mail, item itm_1'],
      ['action.available', { refs: [ref, { ...ref, id: 'o2' }] }, 'resource order'],
    ] as const;
    for (const [method, params, about] of calls) {
      expect((await fake.call(method, params)).error, method).to.deep.equal({
        code: -32603,
        message: 'The app’s answer is no JSON or larger than 4 MiB.',
      });
      const { kind, message } = problems.at(-1) ?? {};
      expect(kind, method).to.equal('answer');
      expect(message).to.match(
        new RegExp(
          `^The answer to ${method} \\(${about}\\) was not sent\\.\n  result: has \\d{7,8} bytes, and at most 4194304 can be sent$`,
        ),
      );
    }
    expect(problems).to.have.length(calls.length);
  });

  it('name the place of what is no JSON', async () => {
    const fake = await service();
    const app = defineApp({
      resources: {
        order: {
          source: 'app',
          search: () => [{ id: 'o1', title: 'Order', fields: { lines: [{ sum: 1n }] } }],
          list: () => ({ records: [] }),
          get: () => [],
        },
      },
      actions: {
        pay: { run: () => ({ message: 'Paid.', blocks: [{ type: 'stat', title: 'Sum', value: 1n as never }] }) },
      },
    });
    const { client, problems } = connected(fake, app);
    await fake.registered();
    await fake.call('records.search', { resource: 'order', q: 'x', limit: 1 });
    const { result } = await fake.call('action.run', runCall('run_1', 'pay'));
    expect(result).to.deep.include({ message: 'Paid.' });
    const reported = await client
      .report({ inbox: 'errors', title: 'x', data: { order: { sum: 1n } } })
      .catch((error: unknown) => error as LinkProblem);
    expect([...problems.map(({ message }) => message), (reported as LinkProblem).message]).to.deep.equal([
      'The answer to records.search (resource order) was not sent.\n  records.0.fields.lines.0.sum: is a bigint, which JSON does not have',
      'The action pay succeeded in run run_1; its blocks were left out, as blocks.0.value is a bigint, which JSON does not have.',
      'The report or batch is no JSON.\n  data.order.sum: is a bigint, which JSON does not have',
    ]);
  });

  it('tell a message that was cut from blocks that were left out', async () => {
    const fake = await service();
    const app = defineApp({ actions: { pay: { run: () => megabytes(6) } } });
    const { problems } = connected(fake, app);
    await fake.registered();
    const { result } = await fake.call('action.run', runCall('run_1', 'pay'));
    expect(result).to.deep.equal({ message: 'x'.repeat(10_000) });
    expect(problems.map(({ message }) => message)).to.deep.equal([
      'The action pay succeeded in run run_1; its message has more than 10000 characters and was cut.',
    ]);
  });

  it('name what a handler that failed was called for', async () => {
    const fake = await service();
    const app = defineApp({
      resources: { order: { source: 'app', search: fail, list: fail, get: fail, detail: fail } },
      inboxes: { mail: { detail: fail, reply: { via: 'app', send: fail } } },
      triage: { mail: { answer: fail } },
      pages: {
        sales: {
          blocks: [
            { type: 'text', text: '' },
            { type: 'text', load: fail },
          ],
        },
      },
    });
    const { problems } = connected(fake, app);
    await fake.registered();
    const item = { id: 'itm_1', inbox: 'mail' };
    for (const [method, params] of [
      ['page.block', { page: 'sales', block: 1, title: null, params: {}, actor }],
      ['records.get', { resource: 'order', ids: ['o1'] }],
      ['record.blocks', { resource: 'order', id: 'o1' }],
      ['item.blocks', { item, latestOccurrence: null }],
      ['triage.answer', { item }],
      ['reply.send', { item, subject: 's', text: 't', actor, delivery: 'ent_1' }],
    ] as const)
      await fake.call(method, params);
    await until('all are told', () => problems.length === 6);
    expect(problems.map(({ message }) => message)).to.deep.equal([
      'The handler of page.block (page sales, block 1) failed.',
      'The handler of records.get (resource order) failed.',
      'The handler of record.blocks (resource order, record o1) failed.',
      'The handler of item.blocks (inbox mail, item itm_1) failed.',
      'The handler of triage.answer (inbox mail, item itm_1) failed.',
      'The handler of reply.send (inbox mail, item itm_1) failed.',
    ]);
  });
});
