/** `@console-api/sdk/testing`: handlers are called as the service calls them, without a server. */
import { expect } from 'chai';
import {
  ActionFailed,
  decodeCursor,
  defineApp,
  encodeCursor,
  queryRecords,
  type Client,
  type Report,
} from '../../shared/sdk/index.ts';
import { testApp } from '../../shared/sdk/testing/index.ts';

const payments = [
  { id: 'p1', title: 'Visa 1', fields: { amount: 30, status: 'failed', note: 'Löffel' } },
  { id: 'p2', title: 'Visa 2', fields: { amount: 10, status: 'paid' } },
  { id: 'p3', title: 'Cash', fields: { amount: 20, status: 'paid' } },
  { id: 'p4', title: 'Cash', fields: { status: 'paid' } },
];

const createApp = (client: () => Client) =>
  defineApp({
    resources: {
      order: { source: 'stored', fields: [{ name: 'total', type: 'money' }, { name: 'status' }] },
      payment: {
        source: 'app',
        search: (call) => queryRecords(payments, call).records,
        list: (call) => queryRecords(payments, call),
        get: ({ ids }) => payments.filter(({ id }) => ids.includes(id)),
      },
    },
    inboxes: {
      support: {
        fields: { type: 'object', required: ['email'], properties: { email: { type: 'string', minLength: 3 } } },
        reply: {
          via: 'app',
          send: ({ item }) => {
            if (item.fields.email === 'gone@example.com') throw new ActionFailed('The mailbox is gone.');
          },
        },
      },
    },
    flags: { fees: { kind: 'boolean', default: false } },
    triage: {
      support: {
        rules: [{ when: { field: 'item.title', op: 'contains', value: 'spam' }, close: true }],
        answer: ({ item }) => (item.fields.email.endsWith('.org') ? { tags: ['charity'] } : null),
      },
    },
    actions: {
      refund: {
        resource: 'order',
        when: { if: { field: 'record.fields.status', op: 'eq', value: 'paid' }, otherwise: 'Only paid orders.' },
        input: {
          type: 'object',
          additionalProperties: false,
          required: ['amount'],
          properties: {
            amount: { type: 'number', minimum: 1 },
            notify: { type: 'boolean', default: true },
            code: { type: 'string', pattern: '^[A-Z]+$' },
          },
        },
        run: async ({ record, input, progress }) => {
          progress(0.5, 'Half way');
          if (input.amount > (record.fields.total ?? 0)) throw new ActionFailed('Too much.', { retryable: true });
          await client().putRecords('order', [{ ...record, fields: { ...record.fields, status: 'refunded' } }]);
          await client().report({ inbox: 'support', title: record.title, key: record.id, data: { email: 'kim@x.io' } });
          const fee = client().flags.boolean('fees', false) ? 1 : 0;
          const text = { type: 'text', text: 'Done.' } as const;
          return {
            message: `Refunded ${String(input.amount - fee)}${input.notify ? ', told' : ''}.`,
            blocks: [text, { type: 'link', url: 'javascript:0' }],
          };
        },
      },
      ping: {
        run: () => {
          throw new RangeError('A bug.');
        },
      },
      retry: { resource: 'payment', run: ({ record }) => record.title },
    },
  });

const open = () => {
  const opened: { client?: Client } = {};
  const client = (): Client => {
    if (opened.client === undefined) throw new Error('There is no client yet.');
    return opened.client;
  };
  const test = testApp(createApp(client));
  opened.client = test.client;
  return test;
};
const order = { id: 'o1', title: 'Order 1', fields: { total: 100, status: 'paid' } };

describe('sdk: testApp', () => {
  it('runs an action with the defaults of its input, and records what the handler reports and stores', async () => {
    const test = open();
    const ran = await test.run('refund', { record: order, input: { amount: 30 } });
    expect([ran.status, ran.message]).to.deep.equal(['succeeded', 'Refunded 30, told.']);
    expect(ran.input).to.deep.equal({ amount: 30, notify: true });
    expect(ran.progress).to.deep.equal([{ fraction: 0.5, message: 'Half way' }]);
    expect(test.records.get('order')?.get('o1')?.fields?.['status']).to.equal('refunded');
    expect(test.reports.map(({ key }: Report) => key)).to.deep.equal(['o1']);
    test.setFlag('fees', true);
    expect((await test.run('refund', { record: order, input: { amount: 30, notify: false } })).message).to.equal(
      'Refunded 29.',
    );
  });

  it('shows a block that the service would refuse as the error that people would see', async () => {
    const { blocks } = await open().run('refund', { record: order, input: { amount: 30 } });
    expect(blocks.map(({ type }) => type)).to.deep.equal(['text', 'error']);
  });

  it('refuses what the service refuses, before the handler is called', async () => {
    const test = open();
    // @ts-expect-error: the input has no such member
    const invalid = await test.run('refund', { record: order, input: { amount: 0, colour: 'red' } });
    expect([invalid.status, invalid.code]).to.deep.equal(['refused', 'invalid']);
    expect(invalid.details.map(({ path }) => path)).to.have.members(['input.amount', 'input.colour']);
    expect((await test.run('refund', { record: order, input: { amount: 1, code: 'a' } })).code).to.equal('invalid');
    const paid = { ...order, fields: { ...order.fields, status: 'refunded' } };
    const late = await test.run('refund', { record: paid, input: { amount: 1 } });
    expect([late.code, late.message]).to.deep.equal(['conflict', 'Only paid orders.']);
    expect((await test.run('refund', { input: { amount: 1 } })).details[0]?.path).to.equal('record');
    expect((await test.run('ping', { record: order })).details[0]?.path).to.equal('record');
    expect((await test.run('retry', { record: 'p9' })).code).to.equal('not_found');
    // @ts-expect-error: there is no such action
    expect((await test.run('nothing')).code).to.equal('not_found');
    expect(test.reports).to.deep.equal([]);
  });

  it('calls handlers that read, and shows or refuses what they answer as the service does', async () => {
    const test = open();
    expect(
      (await test.read('records.search', { resource: 'payment', q: 'visa' })).records.map(({ id }) => id),
    ).to.deep.equal(['p1', 'p2']);
    const page = await test.read('records.list', { resource: 'payment', sort: 'amount', limit: 2 });
    expect([page.records.map(({ id }) => id), typeof page.cursor]).to.deep.equal([['p2', 'p3'], 'string']);
    expect((await test.read('records.get', { resource: 'payment', ids: ['p9'] })).records).to.deep.equal([]);
    const ref = { resource: 'payment', id: 'p1' };
    expect(await test.read('action.available', { refs: [ref] })).to.deep.equal({ available: [] });
    expect(await test.read('record.blocks', ref)).to.deep.equal({ blocks: [] });

    const wrong = testApp(
      defineApp({
        resources: {
          payment: {
            source: 'app',
            search: () => [{ id: 'list', title: '' }],
            list: () => ({ records: payments, cursor: null }),
            get: () => 'none' as never,
          },
        },
        inboxes: {
          support: {
            detail: ({ item, latestOccurrence }) => ({
              blocks: [
                { type: 'text', text: `${item.title} ${JSON.stringify(latestOccurrence)}` },
                { type: 'link', url: 'javascript:0' },
              ],
              suggestedActions: [],
            }),
          },
        },
        pages: {
          home: {
            blocks: [
              { type: 'stat', load: ({ params, actor }) => ({ value: Number(params['n']), title: actor.name }) },
            ],
          },
        },
      }),
    );
    const failure = async (reading: Promise<unknown>): Promise<string> =>
      String(await reading.catch((error: unknown) => error));
    expect(await failure(wrong.read('records.search', { resource: 'payment', q: 'x' }))).to.match(
      /records\.0\.id.*must not be list[^]*records\.0\.title/,
    );
    expect(await failure(wrong.read('records.list', { resource: 'payment', limit: 3 }))).to.include(
      'must have at most 3 records',
    );
    expect(await failure(wrong.read('records.get', { resource: 'payment', ids: ['p1'] }))).to.include(
      'must return an object',
    );
    expect(await failure(wrong.read('records.search', { resource: 'order', q: 'x' }))).to.include('order');
    const { blocks } = await wrong.read('item.blocks', { item: { inbox: 'support', title: 'Help' } });
    expect(blocks?.map(({ type, text }) => [type, text])).to.deep.equal([
      ['text', 'Help null'],
      ['error', undefined],
    ]);
    const { block } = await wrong.read('page.block', { page: 'home', block: 0, params: { n: '7' } });
    expect(block).to.include({ type: 'stat', value: 7, title: 'Test' });
    const counts = testApp(
      defineApp({ pages: { home: { blocks: [{ type: 'stat', source: 'counts', query: { count: 'total' } }] } } }),
    );
    expect(await failure(counts.read('page.block', { page: 'home', block: 0 }))).to.equal(
      'Error: The app has no handler for block 0 of the page home, as the service fills it (source: counts).',
    );
  });

  it('finds a record by its id: one that the app serves, or has stored', async () => {
    const test = open();
    expect((await test.run('retry', { record: 'p1' })).message).to.equal('Visa 1');
    await test.client.putRecords('order', [order]);
    expect((await test.run('refund', { record: 'o1', input: { amount: 5 } })).status).to.equal('succeeded');
  });

  it('tells a refusal by the handler from a bug in it', async () => {
    const test = open();
    const failed = await test.run('refund', { record: order, input: { amount: 101 } });
    expect([failed.status, failed.message, failed.retryable]).to.deep.equal(['failed', 'Too much.', true]);
    const bug: unknown = await test.run('ping').catch((error: unknown) => error);
    expect(bug).to.be.instanceOf(RangeError);
  });

  it('sends replies and triages new items', async () => {
    const test = open();
    const sent = await test.reply('support', { fields: { email: 'kim@example.com' } }, { text: 'At eight.' });
    expect([sent.status, sent.subject]).to.deep.equal(['sent', 'Re: A test']);
    const again = await test.reply(
      'support',
      { title: 'AW: Order\n1', fields: { email: 'kim@example.com' } },
      { text: 'x' },
    );
    expect(again.subject, 'one prefix, one line, as the service writes it').to.equal('AW: Order 1');
    const failed = await test.reply('support', { fields: { email: 'gone@example.com' } }, { text: 'At eight.' });
    expect([failed.status, failed.error]).to.deep.equal(['failed', 'The mailbox is gone.']);
    expect(test.replies).to.have.length(3);
    const item = { fields: { email: 'kim@example.org' } };
    expect(await test.triage('support', item)).to.deep.equal({ tags: ['charity'] });
    expect(await test.triage('support', { ...item, title: 'spam' })).to.deep.equal({ close: true });
    // @ts-expect-error: the schema requires an address
    const wrong: unknown = await test.triage('support', { fields: {} }).catch((error: unknown) => String(error));
    expect(wrong).to.include('fields.email');
  });

  it('refuses reports and records that the service refuses', async () => {
    const client: Client = open().client;
    const problem = async (work: Promise<unknown>): Promise<unknown> =>
      work.catch((error: unknown) => (error as { details: { path: string }[] }).details.map(({ path }) => path));
    expect(await problem(client.report({ inbox: 'nowhere', title: 'x' }))).to.deep.equal(['inbox']);
    expect(await problem(client.report({ inbox: 'support', title: ' ', data: {} }))).to.deep.equal([
      'title',
      'data.email',
    ]);
    expect(await problem(client.putRecords('payment', payments))).to.deep.equal(['resource']);
    const odd = [order, { title: 'Order 2' }, { id: 'list', title: '' }] as never;
    expect(await problem(client.putRecords('order', odd))).to.deep.equal([
      'records.1.id',
      'records.2.id',
      'records.2.title',
    ]);
    expect(await problem(client.putRecords('order', order as never))).to.deep.equal(['records']);
    expect(await problem(client.deleteRecords('order', ['o1', '']))).to.deep.equal(['ids.1']);
    expect(() => {
      open().setFlag('fees', 'on');
    }).to.throw('The flag fees takes a boolean.');
  });

  it('aborts the signal after the timeout of the action, and takes a later answer', async () => {
    const test = testApp(
      defineApp({
        actions: {
          wait: {
            timeout: 10,
            run: async ({ signal }) => {
              await new Promise((resolve) => {
                signal.addEventListener('abort', resolve);
              });
              return 'Late.';
            },
          },
        },
      }),
    );
    expect((await test.run('wait')).message).to.equal('Late.');
  });

  it('names every problem of an app that the service would refuse', () => {
    const app = defineApp({ inboxes: { a: { fields: { type: 'object', properties: { b: { type: 'colour' } } } } } });
    expect(() => testApp(app)).to.throw('inboxes.0.fields');
  });
});

describe('sdk: queryRecords', () => {
  const ids = (query: Partial<Parameters<typeof queryRecords>[1]>): string[] =>
    queryRecords(payments, { limit: 10, ...query }).records.map(({ id }) => id);

  it('filters as the service does', () => {
    expect(ids({ filters: { status: 'paid' } })).to.deep.equal(['p2', 'p3', 'p4']);
    expect(ids({ filters: { status: ['failed', 'open'] } })).to.deep.equal(['p1']);
    expect(ids({ filters: { amount: { gte: 10, lt: 30 } } })).to.deep.equal(['p2', 'p3']);
    expect(ids({ filters: { amount: { exists: false } } })).to.deep.equal(['p4']);
    expect(ids({ filters: { colour: { eq: null } } })).to.have.length(4);
    expect(ids({ filters: { title: { startsWith: 'Visa' } } })).to.deep.equal(['p1', 'p2']);
    expect(ids({ filters: { status: { unknown: 1 } } })).to.deep.equal([]);
  });

  it('finds words by their beginnings', () => {
    expect(ids({ q: 'vis' })).to.deep.equal(['p1', 'p2']);
    expect(ids({ q: 'VISA löf' })).to.deep.equal(['p1']);
    expect(ids({ q: '' })).to.have.length(4);
  });

  it('sorts, what has no value last', () => {
    expect(ids({ sort: 'amount' })).to.deep.equal(['p2', 'p3', 'p1', 'p4']);
    expect(ids({ sort: '-amount' })).to.deep.equal(['p1', 'p3', 'p2', 'p4']);
    expect(ids({ sort: '-title' })).to.deep.equal(['p2', 'p1', 'p4', 'p3']);
  });

  it('neither repeats nor skips a row when others come and go between pages', () => {
    for (const sort of ['amount', '-amount', 'title', '-id', null]) {
      const seen: string[] = [];
      let rows = payments;
      let cursor: string | null = null;
      do {
        const page: ReturnType<typeof queryRecords> = queryRecords(rows, { sort, cursor, limit: 1 });
        seen.push(...page.records.map(({ id }) => id));
        cursor = page.cursor;
        rows = payments.filter(({ id }) => id !== seen[0]).toReversed();
      } while (cursor !== null);
      expect(seen, String(sort)).to.deep.equal(ids({ sort }));
    }
  });

  it('refuses a cursor that is none', () => {
    expect(decodeCursor(encodeCursor({ a: 1 }))).to.deep.equal({ a: 1 });
    expect(decodeCursor(null)).to.equal(null);
    for (const cursor of ['%', encodeCursor(7), encodeCursor({ id: 1 })])
      expect(() => ids({ cursor }), cursor).to.throw(ActionFailed);
  });
});
