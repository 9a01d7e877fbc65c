/** Two versions of an app at once: a run goes only to an instance whose own declaration has the input that was checked. */
import { expect } from 'chai';
import { declaresIt, inputKey, manifestDeclarationKeys } from '../../../shared/app/link/declarationKeys.ts';
import { connectApp, type FakeApp } from '../../support/app.ts';
import type { Client } from '../../support/http.ts';
import { testManifest } from '../../support/manifest.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const amount = {
  type: 'object',
  properties: { amount: { type: 'number', maximum: 100 } },
  required: ['amount'],
  additionalProperties: false,
};
const cents = {
  type: 'object',
  properties: { cents: { type: 'integer' } },
  required: ['cents'],
  additionalProperties: false,
};
const manifestOf = (input: object, label: string) => ({
  ...testManifest,
  actions: [
    ...testManifest.actions,
    { name: 'pay', label, input },
    { name: 'pay_later', input, background: true },
    { name: 'greet', label },
  ],
});

describe('two versions of an app', () => {
  let world: World;
  let key: Client;
  let agent: Client;
  let startedAt = 0;
  const given: { version: string; action: string; input: unknown }[] = [];
  const connect = (version: 'old' | 'new'): Promise<FakeApp> =>
    connectApp(key, {
      manifest: manifestOf(version === 'old' ? amount : cents, version),
      startedAt: startedAt + (version === 'old' ? 0 : 1),
      handlers: {
        'action.run': ({ action, input }) => {
          given.push({ version, action: String(action), input });
          return { message: version };
        },
      },
    });
  const givenTo = (action: string): string[] =>
    given.filter((each) => each.action === action).map((each) => each.version);

  before(async () => {
    world = await newWorld();
    key = await world.appKey();
    agent = await world.agent('admin');
    startedAt = Date.now() + 1;
  });
  after(() => world.close());

  it('are each given what they declare', async () => {
    const old = await connect('old');
    const newer = await connect('new');
    for (let n = 0; n < 6; n++) {
      const { status, body, text } = await agent.post('/actions', { action: 'pay', input: { cents: 500 } });
      expect([status, body.message], text).to.deep.equal([200, 'new']);
    }
    for (let n = 0; n < 6; n++) expect((await agent.post('/actions', { action: 'greet' })).status).to.equal(200);
    expect(givenTo('pay')).to.deep.equal(Array.from({ length: 6 }, () => 'new'));
    expect(new Set(givenTo('greet'))).to.deep.equal(new Set(['old', 'new']));

    await newer.close();
    await until('it has gone', async () => (await world.sql('select from app_connections')).length === 1);
    given.length = 0;
    const waiting = [
      await agent.post('/actions', { action: 'pay', input: { cents: 700 } }),
      await agent.post('/actions', { action: 'pay_later', input: { cents: 800 } }),
    ];
    expect(waiting.map(({ status, body }) => [status, body.queued])).to.deep.equal([
      [202, true],
      [202, true],
    ]);
    expect((await agent.post('/actions', { action: 'pay', input: { amount: 5 } })).status).to.equal(400);
    expect((await agent.post('/actions', { action: 'greet' })).body.message).to.equal('old');
    const back = await connect('new');
    await until('both are done', () => given.length === 3);
    expect(given).to.have.deep.members([
      { version: 'old', action: 'greet', input: {} },
      { version: 'new', action: 'pay', input: { cents: 700 } },
      { version: 'new', action: 'pay_later', input: { cents: 800 } },
    ]);
    await back.close();
    await old.close();
  });

  it('have the same key for the same input, in whatever order, and connections of earlier releases go by the name', () => {
    const { type, properties, required, additionalProperties } = amount;
    expect(inputKey({ additionalProperties, required, properties, type })).to.equal(inputKey(amount));
    expect(inputKey()).to.equal(inputKey({ type: 'object', additionalProperties: false }));
    expect(inputKey(cents)).not.to.equal(inputKey(amount));
    const keys = new Set(manifestDeclarationKeys({ actions: [{ name: 'pay', input: amount }, { name: 'greet' }] }));
    const fits = (held: ReadonlySet<string>, name: string, input?: string): boolean =>
      declaresIt((each) => held.has(each), { kind: 'action', name, ...(input === undefined ? {} : { input }) });
    expect([fits(keys, 'pay'), fits(keys, 'pay', inputKey(amount)), fits(keys, 'greet', inputKey())]).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(fits(keys, 'pay', inputKey(cents))).to.equal(false);
    const earlier = new Set(['action:pay']);
    expect([fits(earlier, 'pay', inputKey(cents)), fits(earlier, 'greet', inputKey())]).to.deep.equal([true, false]);
  });
});
