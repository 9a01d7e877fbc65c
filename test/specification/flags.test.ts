/** The specification of flags: showing them, and each field of a change and of a ramp. */
import { expect } from 'chai';
import type { Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { codeOf, newShopWorld, ok, type ShopWorld } from './shopWorld.ts';

describe('specification: flags', () => {
  let shop: ShopWorld;
  let begun: number;
  before(async () => {
    shop = await newShopWorld();
    begun = Date.now() + 500;
    ok(
      await shop.agent.post('/flags/scheduled', { change: { ramp: { to: 90, over: 2_000, every: 1_000, at: begun } } }),
    );
  });
  after(() => shop.close());

  const post = (flag: string, change: object, more: object = {}): Promise<Reply> =>
    shop.agent.post(`/flags/${flag}`, { change, ...more });
  const set = async (flag: string, change: object): Promise<Reply['body']> => ok(await post(flag, change)).flag;
  const shown = async (flag: string): Promise<Reply['body']> =>
    ok(await shop.agent.get('/flags')).flags.find((one: { flag: string }) => one.flag === flag);
  const ramp = { to: 100, over: 3_600_000, every: 60_000, at: null };

  it('GET /flags answers every flag’s value, rollout and overrides', async () => {
    await set('search', {
      value: false,
      rollout: 20,
      targets: { c1: true },
      rules: [{ when: { field: 'plan', op: 'eq', value: 'team' }, value: true }],
    });
    const { flags } = ok(await shop.admin.get('/flags'));
    expect(flags.map(({ flag }: { flag: string }) => flag)).to.deep.equal([
      'banner',
      'beta',
      'checkout',
      'dangerous',
      'engine',
      'guarded',
      'ramped',
      'scheduled',
      'search',
      'stopped',
      'timed',
      'told',
    ]);
    for (const flag of flags) expect(flag).to.include.all.keys('flag', 'value', 'rollout', 'targets', 'rules', 'ramp');
    expect(await shown('search')).to.deep.include({ value: false, rollout: 20, targets: { c1: true } });
  });

  it('POST /flags/:flag { change } changes the flag', async () => {
    await set('told', { value: true });
    expect((await shown('told')).value).to.equal(true);
    expect(codeOf(await shop.agent.post('/flags/told', {}))).to.equal('400 invalid');
  });

  it('POST /flags/:flag takes confirmed: it must be true for a flag with a danger level', async () => {
    expect(codeOf(await post('dangerous', { value: true }))).to.equal('409 confirmation_required');
    expect(ok(await post('dangerous', { value: true }, { confirmed: true })).flag.value).to.equal(true);
  });

  describe('change', () => {
    it('a change sets value: a boolean for on/off flags', async () => {
      expect((await set('checkout', { value: true })).value).to.equal(true);
      expect(codeOf(await post('checkout', { value: 'yes' }))).to.equal('400 invalid');
      expect((await set('engine', { value: 'vector' })).value).to.equal('vector');
    });

    it('a change sets rollout: a percentage, for on/off flags', async () => {
      expect((await set('checkout', { rollout: 12.5 })).rollout).to.equal(12.5);
      expect(codeOf(await post('checkout', { rollout: 101 }))).to.equal('400 invalid');
      expect(codeOf(await post('engine', { rollout: 50 }))).to.equal('400 invalid');
    });

    it('a change sets rollout to null: there is none any more', async () => {
      await set('checkout', { rollout: 50 });
      expect((await set('checkout', { rollout: null })).rollout).to.equal(null);
    });

    it('a change sets targets: values by record id', async () => {
      expect((await set('checkout', { targets: { c1: true, c2: false } })).targets).to.deep.equal({
        c1: true,
        c2: false,
      });
    });

    it('a change sets rules', async () => {
      const rules = [
        { when: { field: 'plan', op: 'eq', value: 'team' }, value: true },
        { when: { field: 'seats', op: 'gt', value: 5 }, rollout: 10 },
      ];
      const flag = await set('checkout', { rules });
      expect(flag.rules.map(({ when }: { when: object }) => when)).to.deep.equal(rules.map(({ when }) => when));
      expect([flag.rules[0].value, flag.rules[1].rollout]).to.deep.equal([true, 10]);
    });

    it('a change sets ramp: an object { to, over, every, at }', async () => {
      expect((await set('beta', { ramp })).ramp).to.include(ramp);
    });

    it('a change sets ramp to null, which stops a ramp', async () => {
      await set('stopped', { ramp });
      expect((await set('stopped', { ramp: null })).ramp).to.equal(null);
    });
  });

  describe('ramp', () => {
    it('a ramp’s to is the target, a percentage that the rollout ends at', async () => {
      await set('ramped', { ramp: { to: 40, over: 1_000, every: 1_000, at: null } });
      await until('the ramp has ended', async () => (await shown('ramped')).rollout === 40);
      expect(codeOf(await post('ramped', { ramp: { ...ramp, to: 101 } }))).to.equal('400 invalid');
    });

    it('a ramp’s over is a duration in milliseconds', async () => {
      const flag = await set('timed', { ramp: { to: 100, over: 120_000, every: 60_000, at: null } });
      expect(flag.ramp).to.include({ over: 120_000, steps: 2 });
      expect(codeOf(await post('timed', { ramp: { ...ramp, over: '1h' } }))).to.equal('400 invalid');
    });

    it('a ramp’s every is a step interval in milliseconds', async () => {
      const flag = await set('timed', { ramp: { ...ramp, every: 600_000 } });
      expect(flag.ramp.nextAt).to.equal(flag.ramp.startedAt + 600_000);
      expect(flag.ramp.steps).to.equal(6);
    });

    it('a ramp’s at is a start time in milliseconds', async () => {
      const at = Date.now() + 3_600_000;
      const flag = await set('timed', { ramp: { ...ramp, at } });
      expect(flag.ramp).to.include({ at, startedAt: at, step: 0 });
      expect(codeOf(await post('timed', { ramp: { ...ramp, at: 'tomorrow' } }))).to.equal('400 invalid');
    });

    it('a ramp begins at its time and moves the rollout step by step, never ahead of its time, until it is at its target', async () => {
      await until('the ramp has ended', async () => (await shown('scheduled')).rollout === 90);
      const { entries } = ok(await shop.agent.get('/flags/scheduled/history'));
      const steps = entries.filter(({ after }: Reply['body']) => typeof after.rollout === 'number').reverse();
      expect(steps.at(-1).after.rollout).to.equal(90);
      for (const { at, after } of steps) expect(at).to.be.at.least(begun + (after.rollout / 90) * 2_000);
    });

    it('a ramp’s at may be null: it starts now', async () => {
      const before = Date.now();
      const flag = await set('timed', { ramp });
      expect(flag.ramp.at).to.equal(null);
      expect(flag.ramp.startedAt).to.be.within(before, Date.now());
    });
  });

  it('GET /flags answers { flags, cursor }', async () => {
    expect(ok(await shop.agent.get('/flags'))).to.have.all.keys('flags', 'cursor');
  });

  it('a flag has kind, value, rollout, targets, rules, ramp, approval, danger, description, version, updatedAt and updatedBy', async () => {
    expect(await shown('engine')).to.include.all.keys(
      'flag',
      'kind',
      'value',
      'rollout',
      'targets',
      'rules',
      'ramp',
      'approval',
      'danger',
      'description',
      'version',
      'updatedAt',
      'updatedBy',
    );
  });

  it('rules is a list of conditions, each with a value or with a rollout', async () => {
    const when = { field: 'plan', op: 'eq', value: 'team' };
    for (const rule of [
      { when, value: true },
      { when, rollout: 10 },
      { when: { all: [when, { not: when }] }, value: false },
    ])
      await set('checkout', { rules: [rule] });
    for (const rule of [{ when }, { value: true }, { when, value: true, rollout: 10 }, { when: 'plan', value: true }])
      expect(codeOf(await post('checkout', { rules: [rule] })), JSON.stringify(rule)).to.equal('400 invalid');
  });

  it('POST /flags/:flag answers { pending: true } for a flag that needs approval, and changes nothing yet', async () => {
    expect(ok(await post('guarded', { value: true }), 202)).to.include({ pending: true });
    expect((await shown('guarded')).value).to.equal(false);
  });
});
