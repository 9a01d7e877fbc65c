/** Flags over HTTP: shown, changed, refused, and the history of what happened. */
import { expect } from 'chai';
import { flagsManifest } from '../flags/manifest.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

describe('flags over HTTP', () => {
  let world: World;
  let operator: Client;
  let viewer: Client;
  let admin: Client;

  before(async () => {
    world = await newWorld({ manifest: flagsManifest });
    operator = await world.agent('operator');
    viewer = await world.agent('viewer');
    admin = await world.agent('admin');
    await world.role('one flag', [{ on: 'flag:checkout', can: ['see', 'change'] }]);
  });
  after(() => world.close());

  const change = (
    flag: string,
    body: object,
    headers: Record<string, string> = {},
    client = operator,
  ): Promise<Reply> => client.post(`/flags/${flag}`, { change: body }, { headers });
  const shown = async (flag: string): Promise<Reply['body']> => (await viewer.get(`/flags/${flag}`)).body.flag;

  describe('reading', () => {
    it('shows a flag that was never changed as it was declared', async () => {
      const { status, body, headers } = await viewer.get('/flags/untouched');
      expect(status).to.equal(200);
      expect(body.flag).to.deep.equal({
        flag: 'untouched',
        kind: 'boolean',
        value: false,
        rollout: null,
        targets: {},
        rules: [],
        ramp: null,
        approval: false,
        danger: null,
        reasonRequired: false,
        description: 'Never changed',
        default: false,
        resource: 'customer',
        version: 1,
        updatedAt: null,
        updatedBy: null,
      });
      expect(headers.get('etag')).to.equal('"1"');
      expect(headers.get('x-live-offset')).to.be.a('string');
    });

    it('pages by key and shows a role only the flags that it sees', async () => {
      const all = (await viewer.get('/flags')).body.flags.map(({ flag }: { flag: string }) => flag);
      expect(all).to.deep.equal(flagsManifest.flags.map(({ key }) => key).sort());
      const first = (await viewer.get('/flags?limit=2')).body;
      const second = (await viewer.get(`/flags?limit=200&cursor=${first.cursor}`)).body;
      expect([...first.flags, ...second.flags].map(({ flag }: { flag: string }) => flag)).to.deep.equal(all);
      expect(second.cursor).to.equal(null);
      const narrow = await world.agent('one flag');
      expect((await narrow.get('/flags')).body.flags.map(({ flag }: { flag: string }) => flag)).to.deep.equal([
        'checkout',
      ]);
      expect((await narrow.get(`/flags?limit=2&cursor=${first.cursor}`)).body.code).to.equal('bad_cursor');
      expect((await narrow.get('/flags/words')).text.replace(/"requestId":"[^"]*"/, '')).to.equal(
        (await narrow.get('/flags/nosuch')).text.replace(/"requestId":"[^"]*"/, ''),
      );
    });
  });

  describe('changing', () => {
    it('sets what is named and leaves the rest', async () => {
      const { status, body, headers } = await change('named', {
        rollout: 33.333,
        targets: { cus_1: true, cus_2: false },
      });
      expect(status).to.equal(200);
      expect(body.changed).to.equal(true);
      expect(body.flag).to.include({ value: false, rollout: 33.333, version: 2 });
      expect(body.flag.updatedBy).to.include({ type: 'agent', name: 'operator agent' });
      expect(headers.get('etag')).to.equal('"2"');
      await change('named', {
        targets: { cus_2: null, cus_3: true },
        rules: [{ when: { field: 'plan', op: 'eq', value: 'team' }, value: true }],
      });
      expect(await shown('named')).to.deep.include({
        rollout: 33.333,
        targets: { cus_1: true, cus_3: true },
        version: 3,
      });
    });

    it('answers unchanged when it was so already, and writes nothing', async () => {
      await change('checkout', { rollout: 33.333, targets: { cus_1: true } });
      const before = await shown('checkout');
      const { body } = await change('checkout', { rollout: 33.333, targets: { cus_1: true } });
      expect(body).to.deep.equal({ flag: before, changed: false });
      expect(await shown('checkout')).to.deep.equal(before);
    });

    it('clears the rollout and stops a ramp with a value, unless a rollout comes with it', async () => {
      await change('checkout', { ramp: { to: 50, over: 3_600_000, every: 60_000, at: null } });
      expect((await change('checkout', { value: true })).body.flag).to.deep.include({
        value: true,
        rollout: null,
        ramp: null,
      });
      expect((await change('checkout', { value: false, rollout: 10 })).body.flag).to.deep.include({
        value: false,
        rollout: 10,
        ramp: null,
      });
    });

    it('starts a ramp at what comes with it, replaces it by another and stops it with null', async () => {
      const {
        body: { flag },
      } = await change('checkout', { rollout: 20, ramp: { to: 60, over: 3_600_000, every: 60_000, at: null } });
      expect(flag.rollout).to.equal(20);
      expect(flag.ramp).to.include({ from: 20, to: 60, step: 0, steps: 60, status: 'running', at: null });
      expect(flag.ramp.nextAt).to.equal(flag.ramp.startedAt + 60_000);
      const later = Date.now() + 3_600_000;
      expect(
        (await change('checkout', { ramp: { to: 0, over: 1500, every: 1000, at: later } })).body.flag.ramp,
      ).to.include({ from: 20, to: 0, steps: 2, at: later, startedAt: later, status: 'scheduled' });
      expect((await change('checkout', { ramp: null })).body.flag).to.deep.include({ rollout: 20, ramp: null });
      expect(await world.sql(`select id from staged_jobs where name = 'rampStep'`)).to.deep.equal([]);
    });

    it('says which running ramp another one replaces: in the answer, the history, a dry run and the approval', async () => {
      const ramp = (to: number, at: number | null = null): object => ({
        ramp: {
          to,
          over: 3_600_000,
          every: 60_000,
          at,
          guard: { inbox: 'secret', above: 1, within: 60_000, then: 'stop' },
        },
      });
      const narrow = await world.agent('one flag');
      const first = await change('checkout', { rollout: 20, ...ramp(60, Date.now() + 3_600_000) });
      expect(first.body).to.have.keys('flag', 'changed');
      const body = { change: ramp(40), dryRun: true };
      const dry = await operator.post('/flags/checkout', body);
      expect(dry.body).to.deep.include({ dryRun: true, would: 'change', changed: true });
      expect(dry.body.replaced).to.include({ to: 60, status: 'scheduled' });
      const second = await change('checkout', ramp(40));
      expect(second.body.replaced).to.deep.equal(dry.body.replaced);
      expect(second.body.replaced.guard.inbox).to.equal('secret');
      expect((await change('checkout', { rollout: 25 })).body).to.have.keys('flag', 'changed');
      expect((await change('checkout', ramp(30))).body).to.have.keys('flag', 'changed');
      const { entries } = (await viewer.get('/flags/checkout/history?limit=4')).body;
      expect(entries.map(({ replaced }: { replaced: { to: number } | null }) => replaced?.to ?? null)).to.deep.equal([
        null,
        null,
        60,
        null,
      ]);
      const hidden = (await narrow.get('/flags/checkout/history?limit=4')).body.entries[2].replaced;
      expect(hidden).to.deep.include({ to: 60, guard: null });

      const supervised = await world.agent('operator', { mode: 'supervised' });
      const { approval } = (await change('checkout', ramp(10), {}, supervised)).body;
      const person = await world.person('operator');
      const asked = (await person.get(`/approvals/${String(approval)}`)).body.approval;
      expect(asked.replaced).to.include({ to: 30, status: 'running' });
      expect((await person.post(`/approvals/${String(approval)}/approve`)).body.approval.replaced).to.include({
        to: 30,
      });
      await change('checkout', { ramp: null });
    });

    it('starts from 0 or 100 when there is no rollout', async () => {
      expect(
        (await change('from_value', { ramp: { to: 50, over: 3_600_000, every: 60_000, at: null } })).body.flag.ramp
          .from,
      ).to.equal(0);
      expect(
        (await change('from_value', { value: true, ramp: { to: 50, over: 3_600_000, every: 60_000, at: null } })).body
          .flag.ramp.from,
      ).to.equal(100);
      await change('from_value', { ramp: null });
    });

    it('keeps values of every kind exactly', async () => {
      expect((await change('words', { value: 'vector' })).body.flag.value).to.equal('vector');
      expect((await change('number', { value: 0.1 })).body.flag.value).to.equal(0.1);
      expect((await change('json', { value: { text: 'é', list: [1, null] } })).body.flag.value).to.deep.equal({
        text: 'é',
        list: [1, null],
      });
      expect((await change('json', { value: null })).body.flag.value).to.equal(null);
      expect(await shown('json')).to.include({ value: null });
    });

    it('refuses a stale version with the flag as it is', async () => {
      const { version } = await shown('checkout');
      const refused = await change('checkout', { rollout: 1 }, { 'if-match': `"${String(version - 1)}"` });
      expect(refused.status).to.equal(412);
      expect(refused.body.current).to.include({ flag: 'checkout', version });
      expect((await change('checkout', { rollout: 1 }, { 'if-match': `"${String(version)}"` })).status).to.equal(200);
      expect((await change('checkout', { rollout: 2 }, { 'if-match': '*' })).status).to.equal(200);
    });

    it('does what 100 at once with one key ask for once, and 50 different ones all', async () => {
      const { version } = await shown('checkout');
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => change('checkout', { rollout: 77 }, { 'idempotency-key': 'same' })),
      );
      expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
      expect((await shown('checkout')).version).to.equal(version + 1);
      await Promise.all(
        Array.from({ length: 50 }, (_, i) => change('checkout', { targets: { [`many_${String(i)}`]: true } })),
      );
      const { targets, version: now } = await shown('checkout');
      expect(Object.keys(targets).filter((id) => id.startsWith('many_'))).to.have.length(50);
      expect(now).to.equal(version + 51);
    });

    it('tells the history, newest first, and the audit log of who did what', async () => {
      await change('told', { value: true });
      await change('told', { targets: { a: false } }, {}, admin);
      const { entries, cursor } = (await viewer.get('/flags/told/history?limit=1')).body;
      expect(entries).to.have.length(1);
      expect(entries[0]).to.deep.include({
        type: 'change',
        before: { targets: { a: null } },
        after: { targets: { a: false } },
        approvedBy: null,
        reason: null,
      });
      expect(entries[0].by).to.include({ type: 'agent', name: 'admin agent' });
      const rest = (await viewer.get(`/flags/told/history?cursor=${cursor}`)).body;
      expect(rest.entries.map(({ before, after }: Record<string, unknown>) => ({ before, after }))).to.deep.equal([
        { before: { value: false }, after: { value: true } },
      ]);
      expect(rest.cursor).to.equal(null);
      const audit = (await admin.get('/audit?target=told')).body.entries;
      expect(audit.map(({ verb, target }: Record<string, unknown>) => ({ verb, target }))).to.deep.equal(
        Array.from({ length: 2 }, () => ({ verb: 'flag.change', target: { type: 'flag', id: 'told' } })),
      );
    });
  });

  describe('gates', () => {
    it('asks for a confirmation of what is dangerous, but not to stop a ramp', async () => {
      const refused = await change('dangerous', { rollout: 5 });
      expect(refused.status).to.equal(409);
      expect(refused.body).to.deep.include({
        code: 'confirmation_required',
        details: [{ path: 'confirmed', message: 'danger: low' }],
      });
      expect((await operator.post('/flags/dangerous', { change: { rollout: 5 }, confirmed: true })).status).to.equal(
        200,
      );
      expect((await change('dangerous', { ramp: null })).body.changed).to.equal(false);
    });

    it('answers pending and changes nothing when the flag needs approval', async () => {
      const before = await shown('approved');
      const asked = await change('approved', { value: true });
      expect(asked.status).to.equal(202);
      expect(asked.body.pending).to.equal(true);
      expect(
        (await change('approved', { value: true })).body,
        'the same request answers with the same approval',
      ).to.deep.equal(asked.body);
      expect(await shown('approved')).to.deep.equal(before);
      expect((await change('approved', { ramp: null })).status).to.equal(200);
    });

    it('names no resource that the role does not see', async () => {
      await world.role('onlyFlags', [{ on: 'flag:*', can: ['see'] }]);
      const reader = await world.agent('onlyFlags');
      const { flags } = (await admin.get('/flags?limit=200')).body as { flags: { flag: string; resource: string }[] };
      const about = flags.filter(({ resource }) => resource !== null).map(({ flag }) => flag);
      expect(about).to.include('untouched');
      const seen = (await reader.get('/flags?limit=200')).body.flags as typeof flags;
      expect(seen.map(({ flag, resource }) => [flag, resource])).to.deep.equal(flags.map(({ flag }) => [flag, null]));
      expect((await reader.get('/flags/untouched')).body.flag.resource).to.equal(null);
    });

    it('lets a supervised agent only ask, also to stop a ramp, and a readonly one nothing', async () => {
      const supervised = await world.agent('operator', { mode: 'supervised' });
      expect((await change('checkout', { value: true }, {}, supervised)).status).to.equal(202);
      expect((await change('checkout', { ramp: null }, {}, supervised)).status).to.equal(202);
      const readonly = await world.agent('operator', { mode: 'readonly' });
      expect((await change('checkout', { value: true }, {}, readonly)).body.code).to.equal('forbidden');
      expect((await change('checkout', { value: true }, {}, viewer)).body.code).to.equal('forbidden');
    });

    it('says that it is not there before it says what is wrong', async () => {
      const narrow = await world.agent('one flag');
      expect((await narrow.post('/flags/words', { nonsense: 1 })).status).to.equal(404);
      expect((await viewer.post('/flags/words', { nonsense: 1 })).status).to.equal(403);
      expect((await operator.post('/flags/words', { nonsense: 1 })).status).to.equal(400);
    });
  });

  describe('refusing', () => {
    const ramp = { to: 50, over: 10_000, every: 1000, at: null };
    const deep = (levels: number): object =>
      levels === 0 ? { field: 'a', op: 'eq', value: 1 } : { not: deep(levels - 1) };
    const ids = (count: number): Record<string, boolean> =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`id_${String(i)}`, true]));
    const rule = { when: { field: 'plan', op: 'eq', value: 'team' }, value: true };
    const guard = { inbox: 'bugs', above: 5, within: 10_000, then: 'stop' };

    const rows: readonly [string, string, unknown, string][] = [
      ['an empty change', 'checkout', {}, 'change'],
      ['an unknown member', 'checkout', { rolout: 5 }, 'change.rolout'],
      ['a rollout below 0', 'checkout', { rollout: -1 }, 'change.rollout'],
      ['a rollout above 100', 'checkout', { rollout: 101 }, 'change.rollout'],
      ['more than three decimals', 'checkout', { rollout: 33.333333333 }, 'change.rollout'],
      ['a rollout as text', 'checkout', { rollout: '50' }, 'change.rollout'],
      ['a rollout of a flag that isn’t on/off', 'words', { rollout: 50 }, 'change.rollout'],
      ['a value of another kind', 'checkout', { value: 'true' }, 'change.value'],
      ['a value of another kind', 'number', { value: '1' }, 'change.value'],
      ['null as a value', 'words', { value: null }, 'change.value'],
      ['a value of more than 32 KiB', 'words', { value: 'x'.repeat(33 * 1024) }, 'change.value'],
      ['a ramp of a flag that isn’t on/off', 'words', { ramp }, 'change.ramp'],
      ['a ramp of steps of no time', 'checkout', { ramp: { ...ramp, every: 0 } }, 'change.ramp.every'],
      ['steps longer than the ramp', 'checkout', { ramp: { ...ramp, every: 20_000 } }, 'change.ramp.over'],
      ['a ramp of negative length', 'checkout', { ramp: { ...ramp, over: -1 } }, 'change.ramp.over'],
      ['a ramp without end', 'checkout', { ramp: { ...ramp, over: 9e15 } }, 'change.ramp.over'],
      ['a ramp to more than all', 'checkout', { ramp: { ...ramp, to: 101 } }, 'change.ramp.to'],
      ['a ramp to more than three decimals', 'checkout', { ramp: { ...ramp, to: 0.0001 } }, 'change.ramp.to'],
      [
        'a ramp that began more than a day ago',
        'checkout',
        { ramp: { ...ramp, at: Date.now() - 25 * 3_600_000 } },
        'change.ramp.at',
      ],
      ['10,001 steps', 'checkout', { ramp: { ...ramp, over: 10_001_000 } }, 'change.ramp.every'],
      ['a ramp without an end', 'checkout', { ramp: { over: 1, every: 1 } }, 'change.ramp.to'],
      [
        'a guard of a hidden inbox',
        'checkout',
        { ramp: { ...ramp, guard: { ...guard, inbox: 'nosuch' } } },
        'change.ramp.guard.inbox',
      ],
      [
        'a guard that does something else',
        'checkout',
        { ramp: { ...ramp, guard: { ...guard, then: 'explode' } } },
        'change.ramp.guard.then',
      ],
      ['51 rules', 'checkout', { rules: Array.from({ length: 51 }, () => rule) }, 'change.rules'],
      ['10,000 rules', 'checkout', { rules: Array.from({ length: 10_000 }, () => rule) }, 'change.rules'],
      [
        'a rule with a pattern',
        'checkout',
        { rules: [{ when: { field: 'a', op: 'matches', value: '(a+)+$' }, value: true }] },
        'change.rules.0.when.op',
      ],
      ['a rule nested too deeply', 'checkout', { rules: [{ when: deep(9), value: true }] }, 'change.rules.0.when'],
      ['a rule of depth 40', 'checkout', { rules: [{ when: deep(40), value: true }] }, 'change.rules.0.when'],
      ['a rule with a value of another kind', 'checkout', { rules: [{ ...rule, value: 1 }] }, 'change.rules.0.value'],
      ['a rule with value and rollout', 'checkout', { rules: [{ ...rule, rollout: 1 }] }, 'change.rules.0'],
      [
        'a rule with a percentage of a flag that isn’t on/off',
        'words',
        { rules: [{ when: rule.when, rollout: 5 }] },
        'change.rules.0.rollout',
      ],
      ['10,001 targets', 'checkout', { targets: ids(10_001) }, 'change.targets'],
      ['a target of another kind', 'checkout', { targets: { cus_1: 'on' } }, 'change.targets.cus_1'],
      ['a target that is no record id', 'checkout', { targets: { list: true } }, 'change.targets.list'],
      ['a target of an empty id', 'checkout', { targets: { '': true } }, 'change.targets.'],
    ];
    for (const [what, flag, given, path] of rows) {
      it(`refuses ${what} and names ${path}`, async () => {
        const before = (await viewer.get(`/flags/${flag}`)).text;
        const { status, body } = await operator.post(`/flags/${flag}`, { change: given });
        expect(status).to.equal(400);
        expect(body.code).to.equal('invalid');
        expect(
          body.details.map((detail: { path: string }) => detail.path).some((named: string) => named.startsWith(path)),
          JSON.stringify(body.details),
        ).to.equal(true);
        expect((await viewer.get(`/flags/${flag}`)).text).to.equal(before);
      });
    }

    it('refuses what JSON can’t mean: NaN, overflow, __proto__, and 100,001 targets', async () => {
      for (const raw of [
        '{"change":{"rollout":NaN}}',
        '{"change":{"rollout":1e400}}',
        '{"change":{"targets":{"__proto__":true}}}',
      ]) {
        expect((await operator.post('/flags/checkout', undefined, { raw })).status, raw).to.equal(400);
      }
      expect((await operator.post('/flags/checkout', { change: { targets: ids(100_001) } })).status).to.be.oneOf([
        400, 413,
      ]);
    });

    it('keeps targets named constructor and prototype like all others, up to 10,000 in all', async () => {
      const { body } = await change('words', { targets: { constructor: 'a', prototype: 'b', toString: 'c' } });
      expect(Object.entries(body.flag.targets)).to.have.deep.members([
        ['constructor', 'a'],
        ['prototype', 'b'],
        ['toString', 'c'],
      ]);
      expect((await change('filled', { targets: ids(10_000) })).status).to.equal(200);
      expect((await change('filled', { targets: { one_more: true } })).body.details[0].path).to.equal('change.targets');
      expect((await change('filled', { targets: { one_more: true, id_0: null } })).status).to.equal(200);
    });

    it('takes conditions named __proto__ and constructor as paths like all others', async () => {
      const { status, body } = await change('checkout', {
        rules: [{ when: { field: 'constructor.name', op: 'eq', value: 'Object' }, value: true }],
      });
      expect([status, body.flag.rules[0].when.field]).to.deep.equal([200, 'constructor.name']);
    });
  });

  it('falls back to the default of a flag of changed kind, and hides one that is declared no more', async () => {
    await change('words', { value: 'kept' });
    const staging = 'renewed';
    await world.environment(staging, flagsManifest);
    const there = world.elsewhere(await world.agent('admin', { environments: ['*'] }), staging);
    await there.post('/flags/words', { change: { value: 'kept' } });
    const declare = async (flags: readonly object[]): Promise<void> => {
      const manifest = JSON.stringify({ ...flagsManifest, flags });
      await world.sql(
        `update definitions set manifest = $1 where env = (select id from environments where name = $2)`,
        [manifest, staging],
      );
      await world.sql('update revisions set n = n + 1');
      await world.deps.directory.refresh();
    };
    await declare([]);
    expect((await there.get('/flags/words')).status).to.equal(404);
    await declare([{ key: 'words', kind: 'number', default: 7 }]);
    expect((await there.get('/flags/words')).body.flag).to.include({ kind: 'number', value: 7 });
    await declare(flagsManifest.flags);
    expect((await there.get('/flags/words')).body.flag).to.include({ kind: 'string', value: 'kept' });
  });
});
