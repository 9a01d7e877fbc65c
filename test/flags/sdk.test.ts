/** Flags in the customer's app: evaluated there, updated within a second, and served to OpenFeature. */
import { OpenFeature } from '@openfeature/server-sdk';
import { expect } from 'chai';
import { connect, defineApp, openFeatureProvider, type Client as App } from '../../shared/sdk/index.ts';
import { connectApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const flags = {
  checkout: { kind: 'boolean', default: false },
  words: { kind: 'string', default: 'postgres' },
  number: { kind: 'number', default: 600 },
  banner: { kind: 'json', default: { text: '' } },
} as const;

describe('flags in the app', () => {
  let world: World;
  let operator: Client;
  let key: Client;
  let app: App;

  beforeEach(async () => {
    world = await newWorld({ manifest: {} });
    operator = await world.agent('operator');
    key = await world.appKey();
    app = open();
    await app.flags.ready;
  });
  afterEach(async () => {
    await app.close({ drainMs: 0 });
    await world.close();
  });

  const declared = defineApp({ flags });
  const open = (base = world.base): App =>
    connect({ app: declared, url: base, key: key.token, startedAt: Date.now(), onError: () => undefined });

  const rollOut = (): Promise<unknown> =>
    operator.post('/flags/checkout', {
      change: {
        rollout: 50,
        targets: { cus_on: true },
        rules: [{ when: { field: 'plan', op: 'in', value: ['team', 'pro'] }, rollout: 10 }],
      },
    });

  it('answer the fallback before the first connection, and never throw', async () => {
    const never = open('http://127.0.0.1:1/api/env/demo');
    expect([
      never.flags.boolean('checkout', true),
      never.flags.string('words', 'x'),
      never.flags.number('number', 1),
      never.flags.json('banner', null),
    ]).to.deep.equal([true, 'x', 1, null]);
    expect(never.flags.decide('checkout')).to.equal(null);
    await never.close({ drainMs: 0 });
  });

  it('are there once it is connected, of every kind; a flag of another kind answers the fallback', async () => {
    expect([
      app.flags.boolean('checkout', true),
      app.flags.string('words', 'x'),
      app.flags.number('number', 1),
      app.flags.json('banner', null),
    ]).to.deep.equal([false, 'postgres', 600, { text: '' }]);
    expect([
      app.flags.boolean('words', true),
      app.flags.string('checkout', 'x'),
      app.flags.number('nosuch', 1),
      app.flags.json('words', null),
    ]).to.deep.equal([true, 'x', 1, null]);
  });

  it('hear of a change, and say the same as the service for every record id', async () => {
    const told: unknown[] = [];
    const end = app.on('flag', (flag) => told.push(flag['version']));
    await rollOut();
    await until('it is told', () => told.length === 1);
    end();
    let on = 0;
    for (let i = 0; i < 200; i++) {
      const context = { targetingKey: `cus_${String(i)}`, ...(i % 3 === 0 ? { plan: 'team' } : {}) };
      const { body } = await key.post('/ofrep/v1/evaluate/flags/checkout', { context });
      expect(app.flags.boolean('checkout', false, context), context.targetingKey).to.equal(body.value);
      if (body.value === true) on += 1;
    }
    expect(on).to.be.within(40, 110);
    expect(app.flags.boolean('checkout', false, { targetingKey: 'cus_on' })).to.equal(true);
    expect(app.flags.decide('checkout')).to.include({ keyMissing: true });
    expect(app.flags.boolean('checkout', true), 'a percentage without a record id').to.equal(true);
  });

  it('hear of it without the hint through Redis too, and every instance does', async () => {
    const raw = await connectApp(key, { manifest: declared.manifest });
    expect((await raw.request('flags.list', {})).flags.map(({ flag }: { flag: string }) => flag)).to.deep.equal(
      Object.keys(flags).sort(),
    );
    await world.sql(`insert into flags (env, key, kind, value, targets, rules, version, changes, updated_at, updated_by, changed)
      select id, 'number', 'number', '7', '{}', '[]', 2, 1, 0, '{"type":"system","id":null,"name":"x"}', pg_current_xact_id() from environments where name = 'demo'`);
    await until(
      'both know',
      () =>
        app.flags.number('number', 1) === 7 &&
        raw.received.some(
          ({ method, params }) =>
            method === 'flags.changed' && params.flag.flag === 'number' && params.flag.value === 7,
        ),
    );
    await raw.close();
  });

  it('keep what they know while the connection is gone, and hear what they missed when it is back', async () => {
    const server = await world.api();
    const other = open(server.base());
    await other.flags.ready;
    expect(other.flags.string('words', 'x')).to.equal('postgres');
    await server.server.stop();
    await until('it is offline', () => !other.online);
    expect(other.flags.string('words', 'x')).to.equal('postgres');
    await other.close({ drainMs: 0 });
  });

  it('serve OpenFeature’s SDK', async () => {
    await rollOut();
    await operator.post('/flags/number', { change: { value: 7 } });
    await until('the app has heard of both', () => app.flags.number('number', 1) === 7);
    await OpenFeature.setProviderAndWait(openFeatureProvider(app));
    const client = OpenFeature.getClient();
    expect(await client.getBooleanDetails('checkout', false, { targetingKey: 'cus_on' })).to.include({
      value: true,
      reason: 'TARGETING_MATCH',
      variant: 'on',
    });
    expect(await client.getStringValue('words', 'x')).to.equal('postgres');
    expect(await client.getNumberValue('number', 1)).to.equal(7);
    expect(await client.getObjectValue('banner', {})).to.deep.equal({ text: '' });
    expect(await client.getBooleanDetails('nosuch', true)).to.include({ value: true, errorCode: 'FLAG_NOT_FOUND' });
    expect(await client.getBooleanDetails('words', true)).to.include({ value: true, errorCode: 'TYPE_MISMATCH' });
    expect(await client.getBooleanDetails('checkout', true)).to.include({
      value: true,
      errorCode: 'TARGETING_KEY_MISSING',
    });
    const heard = new Promise((resolve) => {
      client.addHandler('PROVIDER_CONFIGURATION_CHANGED' as never, resolve);
    });
    await operator.post('/flags/words', { change: { value: 'vector' } });
    await heard;
    expect(await client.getStringValue('words', 'x')).to.equal('vector');
    await OpenFeature.close();
  });
});
