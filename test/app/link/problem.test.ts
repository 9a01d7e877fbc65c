/** A wrong answer of the app is told to the app, at the connection that gave it, beside the 502 or the error block of the caller. */
import { expect } from 'chai';
import { connect as connectSdk, defineApp, type LinkProblem } from '../../../shared/sdk/index.ts';
import { connectApp, rpcError, type FakeApp } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const manifest = {
  inboxes: [{ name: 'mail', triage: { rules: [], app: true } }, { name: 'desk' }],
  resources: [{ name: 'payment', source: 'app', fields: [{ name: 'amount', type: 'money' }] }],
  actions: [{ name: 'ping' }],
  pages: [{ name: 'overview', blocks: [{ type: 'stat', source: 'app' }] }],
};

describe('app link: problems of answers', () => {
  let world: World;
  let key: Client;
  let agent: Client;
  let app: FakeApp;
  let elsewhere: string;

  before(async () => {
    world = await newWorld({ manifest });
    key = await world.appKey();
    agent = await world.agent('admin');
    elsewhere = (await world.api()).base();
    app = await connectApp(key, { manifest, base: elsewhere });
    await until('online', async () => (await agent.get('/resources')).status === 200);
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  const told = (): {
    method: string;
    about: Record<string, unknown>;
    problems: { path: string; message: string }[];
  }[] => app.received.flatMap(({ method, params }) => (method === 'app.problem' ? [params] : []));
  /** Calls while the app answers the method so; returns the status with the paths that the app is told of. */
  const answered = async (
    method: string,
    answer: () => unknown,
    call: () => Promise<{ status: number }>,
  ): Promise<unknown> => {
    app.handle(method, answer);
    const before = told().length;
    const { status } = await call();
    const found = await until('it is told', () => told()[before]);
    expect(found.method).to.equal(method);
    return [status, found.problems.map(({ path }) => path)];
  };
  const lastAbout = (): unknown => told().at(-1)?.about;

  it('names the places of records that it can not take', async () => {
    const manyMembers = Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [`key ${String(n)}`, 1]));
    const list = () => agent.get('/resources/payment/list?limit=1');
    const good = { id: 'p1', title: 'Payment 1' };
    const answers: readonly (readonly [unknown, readonly string[]])[] = [
      [7, ['result']],
      [{ records: 'x' }, ['records']],
      [{ records: [{ id: 'p1' }] }, ['records.0.title']],
      [{ records: [{ ...good, updatedAt: 'now', fields: [] }] }, ['records.0.updatedAt', 'records.0.fields']],
      [{ records: [good], cursor: 5 }, ['cursor']],
      [{ records: [good, good] }, ['records']],
      [{ records: [{ ...good, title: 'a\u0000b' }] }, ['records.0.title']],
      [{ records: [{ ...good, fields: { a: manyMembers } }] }, ['records.0.fields.a']],
      [{ records: [{ ...good, fields: manyMembers }] }, ['records.0.fields']],
      [manyMembers, ['']],
    ];
    for (const [answer, places] of answers)
      expect(await answered('records.list', () => answer, list), JSON.stringify(answer)).to.deep.equal([502, places]);
    expect(lastAbout()).to.deep.equal({ resource: 'payment' });
    const one = () => agent.get('/resources/payment/p7');
    expect(await answered('records.get', () => ({ records: [{ id: 'p7' }] }), one)).to.deep.equal([
      502,
      ['records.0.title'],
    ]);
    expect(lastAbout()).to.deep.equal({ resource: 'payment', record: 'p7' });
  });

  it('names the blocks that people see as errors', async () => {
    const blocks = [{ type: 'text', text: 'Fine.' }, { type: 'picture' }, { type: 'stat', value: [] }];
    const run = () => agent.post('/actions', { action: 'ping' });
    expect(await answered('action.run', () => ({ message: 'Done.', blocks }), run)).to.deep.equal([
      200,
      ['blocks.1', 'blocks.2'],
    ]);
    const [last] = (await agent.get('/runs?action=ping')).body.runs;
    expect(lastAbout()).to.deep.equal({ run: last.id, action: 'ping' });
    expect(await answered('action.run', () => ({ message: 5 }), run)).to.deep.equal([502, ['message']]);
    expect(await answered('action.run', () => ({ text: 'Done.' }), run)).to.deep.equal([200, ['text']]);
    const page = () => agent.get('/pages/overview');
    expect(await answered('page.block', () => ({ block: { type: 'stat', value: {} } }), page)).to.deep.equal([
      200,
      ['block'],
    ]);
    expect(lastAbout()).to.deep.equal({ page: 'overview', block: 0 });
    const { id } = (await agent.post('/items', { inbox: 'desk', title: 'Shown' })).body.item;
    const shown = () => agent.get(`/items/${String(id)}`);
    expect(await answered('item.blocks', () => ({ blocks: 5 }), shown)).to.deep.equal([200, ['blocks']]);
    expect(lastAbout()).to.deep.equal({ inbox: 'desk', item: id });
  });

  it('names what of its triage can not be applied, wherever the worker is', async () => {
    let id: unknown;
    const create = async (): Promise<{ status: number }> => {
      const created = await agent.post('/items', { inbox: 'mail', title: 'New' });
      id = created.body.item.id;
      return created;
    };
    expect(await answered('triage.answer', () => ({ answers: 5 }), create)).to.deep.equal([201, ['answers']]);
    expect(lastAbout()).to.deep.equal({ inbox: 'mail', item: id });
    expect(await answered('triage.answer', () => ({ answers: { q: 'a' }, state: 'zzz' }), create)).to.deep.equal([
      201,
      ['state'],
    ]);
    expect(await answered('triage.answer', () => ({ assignee: 'nobody' }), create)).to.deep.equal([201, ['assignee']]);
  });

  it('says nothing of valid answers, of none, and of errors', async () => {
    const before = told().length;
    app.handle('records.list', () => ({ records: [{ id: 'p1', title: 'Payment 1' }] }));
    expect((await agent.get('/resources/payment/list')).status).to.equal(200);
    app.handle('records.list', () => {
      throw rpcError(-32603, 'It broke.');
    });
    expect((await agent.get('/resources/payment/list')).status).to.equal(502);
    app.handle('action.run', () => null);
    expect((await agent.post('/actions', { action: 'ping' })).status).to.equal(200);
    // Told after those, so that they had their time.
    await answered(
      'records.list',
      () => 7,
      () => agent.get('/resources/payment/list'),
    );
    expect(told()).to.have.length(before + 1);
  });

  it('reaches onError of an app with the SDK', async () => {
    const problems: LinkProblem[] = [];
    const client = connectSdk({
      app: defineApp({
        resources: {
          invoice: {
            source: 'app',
            search: () => [],
            list: () => ({ records: [{ id: 'i1', title: '' }] }),
            get: () => [],
          },
        },
      }),
      url: elsewhere,
      key: key.token,
      startedAt: Date.now(),
      onError: (problem) => void problems.push(problem),
    });
    try {
      await until('online', () => client.online);
      const status = await until('declared', async () => {
        const { status: answer } = await agent.get('/resources/invoice/list');
        return answer !== 404 && answer;
      });
      expect(status).to.equal(502);
      const problem = await until('the problem', () => problems[0]);
      expect([problem.kind, problem.details.map(({ path }) => path)]).to.deep.equal(['answer', ['records.0.title']]);
      expect(problem.message).to.include('records.list (resource invoice)');
    } finally {
      await client.close();
    }
  });
});
