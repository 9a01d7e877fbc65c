/** OFREP: by hand against its document, and with OpenFeature's own SDK and provider. */
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature, StandardResolutionReasons } from '@openfeature/server-sdk';
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { flagsManifest } from './manifest.ts';

describe('OFREP', () => {
  let world: World;
  let operator: Client;
  let app: Client;

  beforeEach(async () => {
    world = await newWorld({ manifest: flagsManifest, workers: false });
    operator = await world.agent('operator');
    app = await world.appKey();
    await world.role('one flag', [{ on: 'flag:checkout', can: ['see'] }]);
    await operator.post('/flags/checkout', {
      change: {
        rollout: 40,
        targets: { cus_on: true },
        rules: [{ when: { field: 'account.plan', op: 'eq', value: 'team' }, value: true }],
      },
    });
    await operator.post('/flags/words', { change: { value: 'vector' } });
  });
  afterEach(() => world.close());

  const evaluate = (flag: string, context?: unknown, client = app): Promise<Reply> =>
    client.post(`/ofrep/v1/evaluate/flags/${flag}`, context === undefined ? {} : { context });

  it('evaluates one flag: target, rule, rollout, value, each with its reason', async () => {
    expect((await evaluate('checkout', { targetingKey: 'cus_on' })).body).to.deep.equal({
      key: 'checkout',
      value: true,
      reason: 'TARGETING_MATCH',
      variant: 'on',
      metadata: { version: 2, decidedBy: 'target' },
    });
    expect((await evaluate('checkout', { targetingKey: 'x', account: { plan: 'team' } })).body).to.deep.include({
      value: true,
      reason: 'TARGETING_MATCH',
      metadata: { version: 2, decidedBy: 'rule', rule: 0 },
    });
    expect((await evaluate('checkout', { targetingKey: 'cus_1001' })).body).to.deep.include({
      key: 'checkout',
      reason: 'SPLIT',
      metadata: { version: 2, decidedBy: 'rollout' },
    });
    expect((await evaluate('words')).body).to.deep.equal({
      key: 'words',
      value: 'vector',
      reason: 'STATIC',
      metadata: { version: 2, decidedBy: 'value' },
    });
    expect((await app.post('/ofrep/v1/evaluate/flags/words')).body.value, 'no body at all').to.equal('vector');
  });

  it('answers failures with its own members and ours', async () => {
    const missing = await evaluate('checkout', { plan: 'free' });
    expect(missing.status).to.equal(400);
    expect(missing.body).to.include({ code: 'invalid', key: 'checkout', errorCode: 'TARGETING_KEY_MISSING' });
    const none = await evaluate('nosuch');
    expect(none.status).to.equal(404);
    expect(none.body).to.include({ code: 'not_found', key: 'nosuch', errorCode: 'FLAG_NOT_FOUND' });
    for (const body of [none.body, missing.body]) expect(body.errorDetails).to.equal(body.error);
    expect((await evaluate('checkout', 'a text')).body).to.include({
      code: 'invalid',
      errorCode: 'INVALID_CONTEXT',
      key: 'checkout',
    });
    expect((await evaluate('checkout', { targetingKey: 5 })).body).to.include({
      code: 'invalid',
      errorCode: 'INVALID_CONTEXT',
    });
    expect((await app.post('/ofrep/v1/evaluate/flags', undefined, { raw: '{' })).body).to.include({
      code: 'bad_json',
      errorCode: 'PARSE_ERROR',
    });
    // Nothing changes by a read, so that a key is ignored.
    expect((await app.post('/ofrep/v1/evaluate/flags', {}, { headers: { 'idempotency-key': 'x' } })).status).to.equal(
      200,
    );
  });

  it('refuses a context at whose size each condition would look, and says where', async () => {
    const list = (length: number): null[] => Array.from({ length }, () => null);
    for (const [context, path] of [
      [{ v: 'a'.repeat(4_001) }, 'context.v'],
      [{ account: { names: ['a', 'b'.repeat(5_000)] } }, 'context.account.names.1'],
      [{ v: list(1_001) }, 'context'],
      [{ v: [list(600), list(600)] }, 'context'],
      [Object.fromEntries(list(1_001).map((_, n) => [`a${String(n)}`, n])), 'context'],
      [Object.fromEntries(list(20).map((_, n) => [`a${String(n)}`, 'a'.repeat(3_000)])), 'context'],
    ] as const)
      for (const address of ['/ofrep/v1/evaluate/flags/words', '/ofrep/v1/evaluate/flags']) {
        const { status, body } = await app.post(address, { context: { targetingKey: 'x', ...context } });
        expect([status, body.code, body.errorCode, body.details[0].path]).to.deep.equal([
          400,
          'invalid',
          'INVALID_CONTEXT',
          path,
        ]);
      }
    expect((await evaluate('words', { targetingKey: 'x', v: 'a'.repeat(4_000), list: list(700) })).status).to.equal(
      200,
    );
  });

  it('evaluates all that the role sees, and answers 304 to whoever has that answer', async () => {
    const { status, body, headers } = await app.post('/ofrep/v1/evaluate/flags', {
      context: { targetingKey: 'cus_on' },
    });
    expect(status).to.equal(200);
    expect(body.flags.map(({ key }: { key: string }) => key)).to.deep.equal(
      flagsManifest.flags.map(({ key }) => key).sort(),
    );
    const etag = String(headers.get('etag'));
    const known = { headers: { 'if-none-match': `"other", W/${etag}` } };
    const again = await app.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'cus_on' } }, known);
    expect([again.status, again.text, again.headers.get('etag')]).to.deep.equal([304, '', etag]);
    expect(
      (await app.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'cus_other' } }, known)).status,
    ).to.equal(200);
    await operator.post('/flags/words', { change: { value: 'postgres' } });
    expect(
      (await app.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'cus_on' } }, known)).status,
    ).to.equal(200);
    await operator.post('/flags/words', { change: { value: 'vector' } });
    const without = (await app.post('/ofrep/v1/evaluate/flags', {})).body.flags.find(
      ({ key }: { key: string }) => key === 'checkout',
    );
    expect(without).to.include({ errorCode: 'TARGETING_KEY_MISSING' });
  });

  it('lets a role evaluate what it sees, and nothing else', async () => {
    const narrow = await world.agent('one flag');
    expect(
      (await narrow.post('/ofrep/v1/evaluate/flags', { context: { targetingKey: 'a' } })).body.flags,
    ).to.have.length(1);
    const [hidden, none] = [await evaluate('words', {}, narrow), await evaluate('nosch', {}, narrow)];
    expect(hidden.status).to.equal(404);
    expect(hidden.text.replace('words', 'nosch')).to.equal(none.text);
  });

  it('has a change at once in the process that made it, and within a second in others, with and without the hint', async () => {
    const other = await world.api();
    const there = {
      ...app,
      post: async (path: string, body: unknown): Promise<Reply> => {
        const response = await fetch(`${other.base()}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${app.token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return { status: response.status, headers: response.headers, text: '', body: await response.json() };
      },
    };
    await there.post('/ofrep/v1/evaluate/flags/number', {});
    for (const value of [1, 2, 3, 4, 5]) {
      await operator.post('/flags/number', { change: { value } });
      expect((await evaluate('number')).body.value).to.equal(value);
      await until(
        'the other process knows',
        async () => (await there.post('/ofrep/v1/evaluate/flags/number', {})).body.value === value,
      );
    }
    await world.sql(
      `update flags set value = '99', version = version + 1, changed = pg_current_xact_id() where key = 'number'`,
    );
    await until(
      'both know without a hint',
      async () =>
        (await evaluate('number')).body.value === 99 &&
        (await there.post('/ofrep/v1/evaluate/flags/number', {})).body.value === 99,
    );
  });

  it('works with OpenFeature’s SDK and its OFREP provider', async () => {
    await operator.post('/flags/number', { change: { value: 99 } });
    const provider = new OFREPProvider({
      baseUrl: world.base,
      headersFactory: () => [['authorization', `Bearer ${app.token}`]],
    });
    await OpenFeature.setProviderAndWait(provider);
    const client = OpenFeature.getClient();
    expect(await client.getBooleanValue('checkout', false, { targetingKey: 'cus_on' })).to.equal(true);
    expect(await client.getStringValue('words', 'default')).to.equal('vector');
    expect(await client.getNumberValue('number', 1)).to.equal(99);
    expect(await client.getObjectValue('json', {})).to.deep.equal({ text: '' });
    const details = await client.getBooleanDetails('checkout', false, { targetingKey: 'cus_1001' });
    expect(details.reason).to.equal(StandardResolutionReasons.SPLIT);
    expect(details.flagMetadata).to.deep.equal({ version: 2, decidedBy: 'rollout' });
    expect(await client.getBooleanDetails('nosuch', true)).to.include({ value: true, errorCode: 'FLAG_NOT_FOUND' });
    expect(await client.getBooleanDetails('checkout', true)).to.include({
      value: true,
      errorCode: 'TARGETING_KEY_MISSING',
    });
    expect(await client.getBooleanDetails('words', true)).to.include({ value: true, errorCode: 'TYPE_MISMATCH' });
    await OpenFeature.close();
  });
});
