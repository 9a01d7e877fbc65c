/** What an app reports to the service: kept until it is there, sent once however often it is repeated, refused with its reasons. */
import { expect } from 'chai';
import { defineApp, type LinkProblem } from '../../shared/sdk/index.ts';
import { until } from '../support/until.ts';
import { connected, service } from './connected.ts';
import { runCall } from './fakeService.ts';

const app = defineApp({});
const problemOf = (promise: Promise<unknown>): Promise<LinkProblem> =>
  promise.then(
    () => {
      throw new Error('It was taken.');
    },
    (problem: unknown) => problem as LinkProblem,
  );

describe('sdk: reports and records', () => {
  it('keeps reports while offline, says when they happened, and sends each when it is back', async () => {
    const fake = await service();
    fake.refusal = { status: 503 };
    const { client } = connected(fake, app);
    const before = Date.now();
    const sent = [
      client.report({ inbox: 'errors', title: 'A' }),
      client.report({ inbox: 'errors', title: 'B', delivery: 'mine' }),
    ];
    fake.refusal = null;
    const results = await Promise.all(sent);
    expect(results[1]).to.deep.equal({ item: 'item of mine', created: true });
    const reports = fake.of('items.report').map(({ params }) => params);
    expect(reports.map(({ title }) => title)).to.deep.equal(['A', 'B']);
    expect(reports[0].at).to.be.within(before, Date.now());
    expect(reports[0].delivery).to.match(/^[0-9a-f-]{36}$/);
  });

  it('leaves the time out when the service calls it the future', async () => {
    const fake = await service();
    fake.refusal = { status: 503 };
    fake.answers = {
      'items.report': (params: { at?: number }) =>
        params.at === undefined
          ? { result: { item: 'itm_1', created: true } }
          : {
              error: {
                code: -32602,
                message: 'The report is not valid.',
                data: { code: 'invalid', details: [{ path: 'at', message: 'must not be in the future' }] },
              },
            },
    };
    const { client, problems } = connected(fake, app);
    const sent = client.report({ inbox: 'errors', title: 'A' });
    fake.refusal = null;
    expect(await sent).to.deep.equal({ item: 'itm_1', created: true });
    expect(problems.filter(({ kind }) => kind === 'request')).to.deep.equal([]);
  });

  it('repeats a report whose answer was lost, under the same delivery', async () => {
    const fake = await service();
    fake.answers = {
      'items.report': (_params, connection) =>
        connection === 0 ? 'nothing' : { result: { item: 'itm_1', created: false } },
    };
    const { client } = connected(fake, app);
    const first = await fake.registered();
    await until('online', () => client.online);
    const sent = client.report({ inbox: 'errors', title: 'A' });
    await until('it is there', () => fake.of('items.report').length === 1);
    first.terminate();
    expect(await sent).to.deep.equal({ item: 'itm_1', created: false });
    const deliveries = fake.of('items.report').map(({ params }) => params.delivery);
    expect(deliveries).to.have.length(2);
    expect(new Set(deliveries).size).to.equal(1);
  });

  it('repeats reports that a break lost in the order of the calls, with the times at which they were made', async () => {
    const fake = await service();
    fake.answers = { 'items.report': (_params, connection) => (connection === 0 ? 'nothing' : { result: {} }) };
    const { client } = connected(fake, app);
    const first = await fake.registered();
    await until('online', () => client.online);
    const titles = ['0', '1', '2', '3', '4'];
    const sent = titles.map((title) => client.report({ inbox: 'errors', title, key: 'one' }));
    const madeUntil = Date.now();
    await until('they are there', () => fake.of('items.report').length === titles.length);
    await until('time has passed', () => Date.now() > madeUntil);
    first.terminate();
    await Promise.all([...sent, client.report({ inbox: 'errors', title: '5', key: 'one' })]);
    const again = fake.of('items.report').filter(({ connection }) => connection === 1);
    expect(again.map(({ params }) => params.title)).to.deep.equal([...titles, '5']);
    const times = again.slice(0, titles.length).map(({ params }) => params.at as number);
    expect(times.filter((at) => at <= madeUntil)).to.have.length(titles.length);
  });

  it('sends reports and records in the order of the calls, and a report once the records before it are stored', async () => {
    const fake = await service();
    const { client } = connected(fake, app);
    await until('online', () => client.online);
    fake.answers = { 'records.put': () => 'nothing' };
    const first = await fake.registered();
    const calls = [
      client.report({ inbox: 'errors', title: 'A' }),
      client.putRecords('customer', [{ id: 'c1', title: 'Kim' }]),
      client.report({ inbox: 'errors', title: 'B', record: { resource: 'customer', id: 'c1' } }),
      client.putRecords('order', [{ id: 'o1', title: 'Order 1' }]),
      client.report({ inbox: 'errors', title: 'C', record: { resource: 'order', id: 'o1' } }),
    ];
    const heard = (): string[] =>
      fake.heard
        .filter(({ method }) => method === 'items.report' || method === 'records.put')
        .map(({ params }) => String(params.title ?? params.resource));
    await until('the batch is there', () => heard().includes('customer'));
    expect(heard()).to.deep.equal(['A', 'customer']);
    fake.answers = {};
    first.terminate();
    await Promise.all(calls);
    expect(heard()).to.deep.equal(['A', 'customer', 'customer', 'B', 'order', 'C']);
  });

  it('waits when the service says not now, and gives up when it says no', async () => {
    const fake = await service();
    let asked = 0;
    fake.answers = {
      'items.report': () => {
        asked += 1;
        if (asked === 1) return { error: { code: -32603, message: 'Not now.', data: { code: 'unavailable' } } };
        return {
          error: {
            code: -32602,
            message: 'The report is not valid.',
            data: { code: 'invalid', details: [{ path: 'inbox', message: 'is unknown' }] },
          },
        };
      },
    };
    const { client, problems } = connected(fake, app);
    const problem = await problemOf(client.report({ inbox: 'nowhere', title: 'A' }));
    expect(problem).to.deep.include({ kind: 'request', message: 'The report is not valid.\n  inbox: is unknown' });
    expect(asked).to.equal(2);
    expect(problems, 'it was handled').to.deep.equal([]);
    void client.report({ inbox: 'nowhere', title: 'A' });
    await until('nobody handles this one', () => problems.length > 0);
    expect(problems.map(({ kind }) => kind)).to.deep.equal(['request']);
  });

  it('names what the service does not know, and what it knows', async () => {
    const fake = await service();
    const details = [{ path: 'inbox', message: 'is not known here; known: support' }];
    fake.answers = {
      'items.report': () => ({
        error: {
          code: -32000,
          message: 'There is nothing here that you can see.',
          data: { code: 'not_found', details },
        },
      }),
    };
    const { client } = connected(fake, app);
    expect((await problemOf(client.report({ inbox: 'suport', title: 'A' }))).message).to.equal(
      'The service does not know what the request names.\n  inbox: is not known here; known: support',
    );
  });

  it('refuses what is too much, too large, or comes after the end, without a stray rejection', async () => {
    const fake = await service();
    fake.refusal = { status: 503 };
    const strays: unknown[] = [];
    const stray = (error: unknown): void => void strays.push(error);
    process.on('unhandledRejection', stray);
    const { client } = connected(fake, app, { queueLimit: 3 });
    for (let n = 0; n < 5; n += 1) void client.report({ inbox: 'errors', title: String(n) });
    expect((await problemOf(client.report({ inbox: 'errors', title: 'x' }))).kind).to.equal('full');
    await client.close();
    expect((await problemOf(client.report({ inbox: 'errors', title: 'x' }))).kind).to.equal('closed');
    const other = connected(fake, app).client;
    expect(
      (await problemOf(other.report({ inbox: 'errors', title: 'x', data: { text: 'x'.repeat(5 * 1024 * 1024) } })))
        .kind,
    ).to.equal('request');
    // Node reports them within two turns of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', stray);
    expect(strays).to.deep.equal([]);
  });

  it('pushes records by the thousand and in order, and deletes after it has put', async () => {
    const fake = await service();
    const { client } = connected(fake, app);
    const records = Array.from({ length: 2_500 }, (_, n) => ({ id: `c${String(n)}`, title: `Customer ${String(n)}` }));
    const [put, gone] = await Promise.all([
      client.putRecords('customer', records),
      client.deleteRecords('customer', ['c1', 'c2']),
    ]);
    expect(put).to.deep.equal({ stored: 2_500 });
    expect(gone).to.deep.equal({ deleted: 2 });
    const calls = fake.heard.filter(({ method }) => method.startsWith('records.'));
    expect(
      calls.map(({ method, params }) => `${method} ${String((params.records ?? params.ids).length)}`),
    ).to.deep.equal(['records.put 1000', 'records.put 1000', 'records.put 500', 'records.delete 2']);
    expect(await client.putRecords('customer', [])).to.deep.equal({ stored: 0 });
  });

  it('stops at the first batch that is refused, and names the record by its place among all', async () => {
    const fake = await service();
    fake.answers = {
      'records.put': ({ records }: { records: { id: string; title: unknown }[] }) => {
        const wrong = records.findIndex(({ title }) => typeof title !== 'string');
        const details = [{ path: `records.${String(wrong)}.title`, message: 'must be a string' }];
        return wrong === -1
          ? { result: { stored: records.length } }
          : { error: { code: -32602, message: 'The request is not valid.', data: { code: 'invalid', details } } };
      },
    };
    const { client } = connected(fake, app);
    const records = Array.from({ length: 2_500 }, (_, n) => ({ id: `c${String(n)}`, title: `Customer ${String(n)}` }));
    records[1_200] = { id: 'c1200', title: 7 as never };
    const [problem, next] = await Promise.all([
      problemOf(client.putRecords('customer', records)),
      client.putRecords('customer', records.slice(0, 3)),
    ]);
    expect(problem.details).to.deep.equal([{ path: 'records.1200.title', message: 'must be a string ("c1200")' }]);
    expect(problem.message).to.equal(
      'The records 1000 to 1999 are refused, and none of them is taken; those before them are; those after them were not sent.\n  records.1200.title: must be a string ("c1200")',
    );
    expect(next).to.deep.equal({ stored: 3 });
    expect(fake.of('records.put').map(({ params }) => params.records.length)).to.deep.equal([1_000, 1_000, 3]);
  });

  it('says what it takes when it gets no list', async () => {
    const fake = await service();
    const { client } = connected(fake, app);
    const problem = await problemOf(client.putRecords('customer', { id: 'c1', title: 'Kim' } as never));
    expect(problem.message).to.equal('putRecords takes a list of records: putRecords(resource, [record]).');
  });

  it('cuts large records into frames that fit', async () => {
    const fake = await service();
    const { client } = connected(fake, app);
    const text = 'é'.repeat(500_000);
    await client.putRecords(
      'customer',
      Array.from({ length: 9 }, (_, n) => ({ id: String(n), title: 'T', fields: { text } })),
    );
    expect(fake.of('records.put').map(({ params }) => params.records.length)).to.deep.equal([4, 4, 1]);
  });

  it('cuts records of many members into frames that the service reads', async () => {
    const fake = await service();
    const { client } = connected(fake, app);
    const fields = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`f${String(n)}`, 'a, "b", \\']));
    const records = Array.from({ length: 1_000 }, (_, n) => ({ id: `c${String(n)}`, title: 'T', fields }));
    expect(await client.putRecords('customer', records)).to.deep.equal({ stored: 1_000 });
    expect(fake.of('records.put').map(({ params }) => params.records.length)).to.deep.equal([494, 494, 12]);
  });

  it('sends progress between 0 and 1, at most ten a second, and none after the end', async () => {
    const fake = await service();
    const busy = defineApp({
      actions: {
        work: {
          background: true,
          run: async ({ progress }) => {
            for (let n = 0; n <= 1_000; n += 1) progress(n / 1_000, `step ${String(n)}`);
            progress(7);
            await until('the last one', () => fake.of('run.progress').some(({ params }) => params.progress === 1));
            progress(Number.NaN, 'odd');
            return 'Done.';
          },
        },
      },
    });
    connected(fake, busy);
    await fake.registered();
    await fake.call('action.run', runCall('run_1', 'work', { background: true }));
    const sent = fake.of('run.progress').map(({ params }) => params);
    expect(sent.length).to.be.within(2, 4);
    expect(sent[0]).to.deep.equal({ run: 'run_1', progress: 0, message: 'step 0' });
    expect(sent[1]).to.deep.equal({ run: 'run_1', progress: 1, message: 'step 1000' });
  });

  it('sends the progress of a run that is called right behind the registration', async () => {
    const fake = await service();
    const quickly = defineApp({
      actions: {
        work: {
          background: true,
          run: ({ progress }) => {
            progress(0.5);
            return 'Done.';
          },
        },
      },
    });
    const called = new Promise<unknown>((resolve) => {
      fake.answers['app.register'] = () => {
        // Both frames leave at once, and the app reads them at once.
        queueMicrotask(() => {
          resolve(fake.call('action.run', runCall('run_1', 'work', { background: true })));
        });
        return { result: { environment: 'demo', connection: 'c0', warnings: [] } };
      };
    });
    connected(fake, quickly);
    await called;
    expect(fake.of('run.progress').map(({ params }) => params)).to.deep.equal([{ run: 'run_1', progress: 0.5 }]);
  });
});
