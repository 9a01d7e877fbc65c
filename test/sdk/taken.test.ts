/** What the service takes of an app that gives it too much, or texts with signs that can't be stored, and what it is given back. */
import { expect } from 'chai';
import { connect, defineApp, type App, type Client, type LinkProblem } from '../../shared/sdk/index.ts';
import { testApp } from '../../shared/sdk/testing/index.ts';
import { deferred } from '../support/deferred.ts';
import type { Client as Caller } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const host = { id: 'h1', title: 'Ana', fields: { city: 'Lisbon', verified: false } };
const guest = { id: 'g1', title: 'Kim' };

const makeApp = (client: () => Pick<Client, 'putRecords'>, begun = deferred()) =>
  defineApp({
    resources: {
      host: { source: 'stored', fields: [{ name: 'city' }, { name: 'verified', type: 'boolean' }] },
      guest: { source: 'stored' },
    },
    inboxes: { errors: {} },
    actions: {
      verify: {
        resource: 'host',
        run: async ({ record }) => {
          await client().putRecords('host', [{ ...record, fields: { ...record.fields, verified: true } }]);
        },
      },
      misplace: { resource: 'guest', run: async ({ record }) => void (await client().putRecords('host', [record])) },
      invent: {
        resource: 'host',
        run: async ({ record }) => void (await client().putRecords('host', [{ ...record, email: 'x' } as never])),
      },
      pay: {
        run: () => ({
          message: 'Paid\u0000 \ud800 \\u0000.',
          blocks: [{ type: 'text', text: 'To\u0000 Kim \udc00 😀' }],
        }),
      },
      show: { run: () => ({ message: 'Shown.', blocks: [{ type: 'text', text: 'x'.repeat(6 * 1024 * 1024) }] }) },
      export: {
        background: true,
        run: ({ signal }) => {
          begun.resolve();
          return new Promise<never>((_, reject) => {
            signal.addEventListener('abort', () => {
              reject(signal.reason as Error);
            });
          });
        },
      },
    },
  });

const refused = (work: Promise<unknown>): Promise<LinkProblem> =>
  work.then(
    () => {
      throw new Error('It was taken.');
    },
    (problem: unknown) => problem as LinkProblem,
  );

describe('sdk: what the service takes', () => {
  let world: World;
  let admin: Caller;
  let client: Client;
  const begun = deferred();
  const problems: LinkProblem[] = [];
  const ended = async (action: string, more: object = {}): Promise<Record<string, unknown>> => {
    const { body } = await admin.post('/actions', { action, ...more });
    return until<Record<string, unknown>>('the run has ended', async () => {
      const { run } = (await admin.get(`/runs/${String(body.run)}`)).body;
      return run.finishedAt !== null && run;
    });
  };

  const causeOfLast = (): string => {
    const cause = problems.at(-1)?.cause;
    return cause instanceof Error ? cause.message : '';
  };

  before(async () => {
    world = await newWorld({ manifest: {} });
    admin = await world.agent('admin');
    const app: App = makeApp(() => client, begun);
    client = connect({
      app,
      url: world.base,
      key: (await world.appKey()).token,
      startedAt: Date.now(),
      onError: (problem) => void problems.push(problem),
    });
    await client.putRecords('host', [host]);
    await client.putRecords('guest', [guest]);
  });
  after(async () => {
    await client.close({ drainMs: 0 });
    await world.close();
  });
  beforeEach(() => {
    problems.length = 0;
  });

  it('is a record as a handler is given it, for its own resource alone', async () => {
    expect(await ended('verify', { record: 'h1' })).to.include({ status: 'succeeded' });
    const { record } = (await admin.get('/resources/host/h1')).body;
    expect(record.fields).to.deep.equal({ city: 'Lisbon', verified: true });

    expect(await ended('misplace', { record: 'g1' })).to.include({ status: 'failed' });
    const test = testApp(makeApp(() => inMemory));
    const inMemory = test.client as Client;
    await test.client.putRecords('host', [host]);
    expect((await test.run('verify', { record: 'h1' })).status).to.equal('succeeded');
    expect(test.records.get('host')?.get('h1')).to.deep.include({
      id: 'h1',
      fields: { city: 'Lisbon', verified: true },
    });
    expect(test.records.get('host')?.get('h1')).not.to.have.property('resource');

    const message =
      'The records are refused, and none of them is taken.\n  records.0.resource: is "guest", and the records are put to "host" ("g1")';
    expect(causeOfLast()).to.equal(message);
    expect((await refused(test.run('misplace', { record: guest }))).message).to.equal(message);
  });

  it('is no record with an unknown member, nor one twice, as testApp says word for word', async () => {
    await ended('invent', { record: 'h1' });
    const test = testApp(makeApp(() => inMemory));
    const inMemory = test.client as Client;
    const said = (await refused(test.run('invent', { record: host }))).message;
    expect(said).to.include('records.0.email: is not known here');
    expect(causeOfLast()).to.equal(said);

    const twice = [host, { ...host }, { id: 'h2', title: 'Li', fields: { big: 'x'.repeat(40_000) } }] as const;
    const known = (await refused(client.putRecords('host', twice))).message;
    expect(known).to.include('records.1.id: is given more than once');
    expect((await refused(inMemory.putRecords('host', twice))).message).to.equal(known);
  });

  it('is a result without the signs that can’t be stored, as testApp shows it', async () => {
    const run = await ended('pay');
    const tested = await testApp(makeApp(() => client)).run('pay');
    for (const { status, message, blocks } of [run, tested]) {
      expect([status, message]).to.deep.equal(['succeeded', 'Paid � \\u0000.']);
      expect((blocks as { text: string }[]).map(({ text }) => text)).to.deep.equal(['To Kim � 😀']);
    }
    expect(problems).to.deep.equal([]);
  });

  it('is a result without blocks that are too large, as testApp shows it', async () => {
    const run = await ended('show');
    const tested = await testApp(makeApp(() => client)).run('show');
    for (const { message, blocks } of [run, tested]) {
      expect(message).to.equal('Shown.');
      expect((blocks as { text: string }[]).map(({ text }) => text)).to.deep.equal([
        'The result was too large to show and was left out.',
      ]);
    }
  });

  it('is a report of any length, equal keys staying equal', async () => {
    const stack = `Error: x\u0000\n${'    at handler (/srv/app/src/index.ts:1:1)\n'.repeat(200)}`;
    const report = {
      inbox: 'errors' as const,
      title: `😀${stack}`,
      key: stack,
      user: stack,
      data: { stack, '\u0000k': '\ud800' },
    };
    const first = await client.report(report);
    const again = await client.report({ ...report, title: 'x'.repeat(501) });
    expect(again).to.deep.equal({ item: first.item, created: false });
    const other = await client.report({ ...report, key: `${stack}.` });
    expect(other.created).to.equal(true);
    const { item } = (await admin.get(`/items/${first.item}`)).body;
    expect(item.title).to.have.length(500);
    expect(item.title).to.match(/^😀Error: x\n/);
    expect(item.fields).to.deep.equal({ stack: stack.replace('\u0000', ''), k: '�' });

    const { client: inMemory, reports } = testApp(makeApp(() => client));
    const inTest = await inMemory.report(report);
    expect(await inMemory.report(report)).to.deep.equal({ ...inTest, created: false });
    expect(reports[0]?.title).to.equal(item.title);
    expect(reports[0]?.key).to.have.length(499);
  });

  it('is a run that was stopped, which says so', async () => {
    const { body } = await admin.post('/actions', { action: 'export' });
    await begun.promise;
    await client.close({ drainMs: 1 });
    const run = await until<Record<string, unknown>>('the run has ended', async () => {
      const { run: shown } = (await admin.get(`/runs/${String(body.run)}`)).body;
      return shown.finishedAt !== null && shown;
    });
    expect(run).to.include({ status: 'failed', error: 'The app was stopped before it was done.' });
  });
});
