/** What types don't tell an app in plain JavaScript: handlers that are missing, sections and results that are none. */
import { expect } from 'chai';
import { defineApp, type App } from '../../shared/sdk/index.ts';
import { testApp } from '../../shared/sdk/testing/index.ts';
import { until } from '../support/until.ts';
import { connected, service } from './connected.ts';
import { runCall } from './fakeService.ts';

/** Returns the app of declarations that the compiler would refuse. */
const plainApp = (declaration: object): App => defineApp(declaration as never);

const incomplete = plainApp({
  resources: {
    order: { source: 'app', list: () => ({ records: [] }), detial: () => ({}), relations: [{ name: 'notes' }] },
  },
  inboxes: { support: { reply: { via: 'app' } } },
  actions: { refund: {}, ping: { run: () => 'Pong.' } },
  pages: {
    sales: {
      blocks: [
        { type: 'text', text: 'x' },
        { type: 'stat', source: 'app' },
      ],
    },
  },
  triage: { suport: { answer: () => null }, support: { answer: 'yes' } },
});
const places = [
  'resources.0.detial',
  'resources.0.search',
  'resources.0.get',
  'resources.0.related',
  'inboxes.0.reply.send',
  'actions.0.run',
  'pages.0.blocks.1.load',
  'triage.suport',
  'triage.support.answer',
];

describe('sdk: handlers', () => {
  it('does not connect an app that lacks handlers, and names every one', async () => {
    const fake = await service();
    const { client, problems } = connected(fake, incomplete);
    const problem = await until('the problem', () => problems[0]);
    expect(problem.kind).to.equal('refused');
    expect(problem.details.map(({ path }) => path)).to.deep.equal(places);
    expect(problem.message).to.include('resources.0.detial: is a function, and no handler; did you mean detail?');
    expect(problem.message).to.include('triage.suport: is of an inbox that is not declared; did you mean support?');
    expect([client.online, fake.tried.length]).to.deep.equal([false, 0]);
    expect(() => testApp(incomplete)).to.throw('actions.0.run: must be a function');
  });

  it('hands a misspelt section on, for the service to refuse', () => {
    const app = plainApp({ view: { urgent: {} }, actions: { ping: { run: () => 'Pong.' } } });
    expect(app.manifest).to.have.property('view', null);
    expect(() => testApp(app)).to.throw('view: is not known here; known: views, ');
    const { manifest } = plainApp({ actions: { ping: { run: 'Pong.' } } });
    expect(manifest['actions'], 'a handler that is none').to.deep.equal([{ name: 'ping' }]);
    expect(() => testApp(plainApp({ inboxes: { a: {} }, triage: { a: { rulse: [] } } }))).to.throw(
      'inboxes.0.triage.rulse: is not known here; known: rules',
    );
  });

  it('tells of a result that is none, of a run that has succeeded all the same', async () => {
    const fake = await service();
    const app = plainApp({
      actions: {
        number: { run: () => 42 },
        list: { run: () => ['Done.'] },
        text: { run: () => ({ text: 'Done.' }) },
        odd: { run: () => ({ message: 7, blocks: {} }) },
        good: { run: () => ({ message: 'Done.', blocks: undefined }) },
        nothing: { run: () => undefined },
      },
    });
    const { problems } = connected(fake, app);
    await fake.registered();
    const results = [];
    for (const action of ['number', 'list', 'text', 'odd', 'good', 'nothing'])
      results.push((await fake.call('action.run', runCall(`run_${action}`, action))).result);
    expect(results).to.deep.equal([null, null, { message: null }, { message: null }, { message: 'Done.' }, null]);
    expect(problems.map(({ kind, details }) => [kind, ...details.map(({ path }) => path)])).to.deep.equal([
      ['answer', 'result'],
      ['answer', 'result'],
      ['answer', 'text'],
      ['answer', 'message', 'blocks'],
    ]);
    const test = testApp(app);
    const thrown: unknown = await test.run('text' as never).catch((error: unknown) => String(error));
    expect(thrown).to.include('text: is not known here; known: blocks, message');
    expect((await test.run('good' as never)).message).to.equal('Done.');
  });
});
