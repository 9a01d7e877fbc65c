/** Bounds of what `POST /available` answers: templates that name a long value often, and many records with a lot to say. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const long = 'x'.repeat(31_000);
const defaultsOf = (times: number) => ({ a: '{{record.fields.x}}'.repeat(times), b: 'plain' });
const input = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
const manifest = {
  resources: ['thing', 'busy'].map((name) => ({ name, source: 'stored' })),
  actions: [
    { name: 'twice', resource: 'thing', input, defaults: defaultsOf(2) },
    { name: 'thrice', resource: 'thing', input, defaults: defaultsOf(3) },
    ...Array.from({ length: 80 }, (_, n) => ({
      name: `busy${String(n).padStart(2, '0')}`,
      resource: 'busy',
      input,
      defaults: defaultsOf(2),
    })),
  ],
};

describe('what applies to records', () => {
  let world: World;
  let agent: Client;
  const ids = Array.from({ length: 100 }, (_, n) => `t${String(n)}`);
  const available = (asked: readonly string[]) =>
    agent.post('/available', { refs: asked.map((id) => ({ resource: 'thing', id })) });

  before(async () => {
    world = await newWorld({ manifest, workers: false });
    await world.records(
      'thing',
      ids.map((id) => ({ id, title: id, fields: { x: long } })),
    );
    await world.records('busy', [{ id: 'b1', title: 'Busy', fields: { x: long } }]);
    agent = await world.agent('admin');
  });
  after(() => world.close());

  it('has no defaults that are longer than a template may be filled', async () => {
    const { status, body, text } = await available(['t1']);
    expect(status, text.slice(0, 300)).to.equal(200);
    const [{ actions }] = body.available as [{ actions: { action: string; defaults: Record<string, string> }[] }];
    expect(actions.map(({ action, defaults }) => [action, defaults['a']?.length, defaults['b']])).to.deep.equal([
      ['twice', 62_000, 'plain'],
      ['thrice', undefined, undefined],
    ]);
  });

  it('is told of one record whatever its size, without the defaults that are too much for one answer', async () => {
    const { status, body, text } = await agent.post('/available', { refs: [{ resource: 'busy', id: 'b1' }] });
    expect(status).to.equal(200);
    const [{ actions }] = body.available as [{ actions: { defaults: object }[] }];
    expect(actions).to.have.length(80);
    expect(actions[0]?.defaults).to.have.property('a');
    expect(actions[79]?.defaults).to.deep.equal({});
    expect(text.length).to.be.below(4.5 * 1024 * 1024);
    const page = await agent.get('/resources/busy/b1');
    expect([page.status, page.body.actions.length]).to.deep.equal([200, 80]);
  });

  it('is told of as many records as fit into one answer, whichever they are', async () => {
    const few = await available(ids.slice(0, 60));
    expect(few.status).to.equal(200);
    expect(few.body.available.map(({ id }: { id: string }) => id)).to.deep.equal(ids.slice(0, 60));
    const same = Array.from({ length: 100 }, () => 't1');
    for (const asked of [ids, same]) {
      const { status, body } = await available(asked);
      expect([status, body.code]).to.deep.equal([422, 'too_broad']);
      expect(body.details[0].path).to.equal('refs');
      const fits = Number(/\d+/.exec(body.details[0].message as string)?.[0]);
      expect((await available(asked.slice(0, fits))).status).to.equal(200);
      expect((await available(asked.slice(0, fits + 1))).status).to.equal(422);
    }
  });
});
