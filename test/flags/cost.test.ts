/** The cost of evaluating flags: bounded by the conditions of a flag, and shared with the requests of others. */
import { expect } from 'chai';
import { fullAccess } from '../../shared/accounts/access/access.ts';
import type { Caller } from '../../shared/accounts/access/principal.ts';
import { limits } from '../../shared/catalogue/limits.ts';
import { evaluateFlags } from '../../shared/flags/ofrep.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';
import { flagsManifest } from './manifest.ts';

type Json = Readonly<Record<string, unknown>>;

describe('what evaluating flags costs', () => {
  let world: World;
  let operator: Client;
  let app: Client;

  before(async () => {
    world = await newWorld({ manifest: flagsManifest, workers: false });
    operator = await world.agent('operator');
    app = await world.appKey();
  });
  after(() => world.close());

  const evaluate = (context: Json, flag = '/checkout'): Promise<Reply> =>
    app.post(`/ofrep/v1/evaluate/flags${flag}`, { context });
  const values = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
  const condition = { field: 'note', op: 'contains', value: `${'a'.repeat(4)}b` };
  /** Rules of `count` conditions in all, none of which holds. */
  const rules = (count: number): object[] => {
    const perRule = Math.ceil(count / limits.flagRules);
    return Array.from({ length: Math.ceil(count / perRule) }, (_, i) => ({
      when: { any: values(Math.min(perRule, count - i * perRule) - 1).map(() => condition) },
      value: true,
    }));
  };

  it('is bounded by the conditions of a flag together; a flag that has more keeps them', async () => {
    const refused = await operator.post('/flags/filled', { change: { rules: rules(1_001) } });
    expect([refused.status, refused.body.details]).to.deep.equal([
      400,
      [{ path: 'change.rules', message: 'have 1001 conditions in all; a flag has at most 1000' }],
    ]);
    expect((await operator.post('/flags/filled', { change: { rules: rules(1_000) } })).status).to.equal(200);
    await world.sql(`update flags set rules = $1, changed = pg_current_xact_id() where key = 'filled'`, [
      JSON.stringify(rules(5_000)),
    ]);
    const changed = await operator.post('/flags/filled', { change: { targets: { cus_1: true } } });
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.body.flag.rules).to.have.length(50);
    expect((await evaluate({ targetingKey: 'cus_2', note: 'aaaab' }, '/filled')).body).to.deep.include({ value: true });
  });

  it('leaves turns to others between the flags of one call', async () => {
    const heavy = ['untouched', 'checkout', 'named', 'from_value', 'told'];
    for (const flag of heavy) {
      const { status, text } = await operator.post(`/flags/${flag}`, { change: { rules: rules(1_000) } });
      expect(status, text).to.equal(200);
    }
    expect((await evaluate({}, '')).status, 'the flags are in the memory of this process').to.equal(200);
    const env = world.deps.directory.environment('demo');
    const caller = { env, principal: { access: fullAccess } } as Caller;
    let beats = 0;
    let beat = setImmediate(function next() {
      beats += 1;
      beat = setImmediate(next);
    });
    const { text } = await evaluateFlags(world.deps, caller, { targetingKey: 'cus_1', note: 'a'.repeat(4_000) });
    clearImmediate(beat);
    expect((JSON.parse(text) as { flags: object[] }).flags).to.have.length(flagsManifest.flags.length);
    expect(beats).to.be.at.least(1);
  });
});
