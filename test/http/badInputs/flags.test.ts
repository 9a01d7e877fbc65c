/** Bad inputs: flags, approvals and the rate limit. */
import { expect } from 'chai';
import type { Client, Reply } from '../../support/http.ts';
import { until } from '../../support/until.ts';
import { newWorld } from '../../support/world.ts';
import { admin, app, badInputs, clerk, item, refused, watched, world } from './badInputs.ts';

badInputs(() => {
  describe('flags', () => {
    const set = (flag: string, change: unknown, more: object = {}): Promise<Reply> =>
      clerk.post(`/flags/${flag}`, { change, ...more });
    const versions = async (): Promise<unknown> => (await admin.get('/flags')).body.flags;
    let before: unknown;
    beforeEach(async () => {
      before = await versions();
    });
    afterEach('no flag was changed', async () => {
      expect(await versions()).to.deep.equal(before);
    });

    it('75: rollouts that are none', async () => {
      for (const rollout of [-1, 101, 33.333333333, '50', true, [], {}])
        refused(await set('checkout', { rollout }), 400, 'invalid', 'change.rollout');
      refused(await clerk.post('/flags/checkout', undefined, { raw: '{"change":{"rollout":NaN}}' }), 400, 'bad_json');
      refused(await clerk.post('/flags/checkout', undefined, { raw: '{"change":{"rollout":1e400}}' }), 400, 'invalid');
      for (const flag of ['theme', 'plan']) refused(await set(flag, { rollout: 50 }), 400, 'invalid', 'change.rollout');
    });

    it('76: changes that are none, and values of another kind', async () => {
      for (const change of [
        {},
        null,
        [],
        'x',
        { nosuch: 1 },
        { value: true, nosuch: 1 },
        { Value: true },
        { version: 1 },
      ])
        refused(await set('checkout', change), 400, 'invalid');
      for (const value of ['true', 1, null, [], {}])
        refused(await set('checkout', { value }), 400, 'invalid', 'change.value');
      for (const value of [true, 1, null, []]) refused(await set('theme', { value }), 400, 'invalid', 'change.value');
      refused(await clerk.post('/flags/checkout', {}), 400, 'invalid', 'change');
      refused(await set('checkout', { value: true }, { confirmed: 'true' }), 400, 'invalid', 'confirmed');
      refused(await set('theme', { value: 'x'.repeat(33 * 1024) }), 400, 'invalid', 'change.value');
      for (const flag of ['nosuch', '__proto__', 'constructor'])
        refused(await set(flag, { value: true }), 404, 'not_found');
    });

    it('77: ramps that are none', async () => {
      const ramp = { to: 50, over: 10_000, every: 1_000, at: null };
      const wrong = [
        { every: 0 },
        { every: 999 },
        { every: 20_000 },
        { over: -1 },
        { over: 0 },
        { over: 1e18 },
        { over: 1e300 },
        { to: 101 },
        { to: -1 },
        { to: '50' },
        { to: 33.3333 },
        { at: Date.now() - 86_400_000 - 60_000 },
        { at: -1 },
        { at: 1.5 },
        { at: 'now' },
        { over: 10_001_000, every: 1_000 },
        { nosuch: 1 },
        { guard: {} },
        { guard: { inbox: 'nosuch', above: 1, within: 1_000, then: 'stop' } },
        { guard: { inbox: 'mail', above: -1, within: 1_000, then: 'stop' } },
        { guard: { inbox: 'mail', above: 1, within: 1_000, then: 'explode' } },
      ];
      for (const more of wrong) refused(await set('checkout', { ramp: { ...ramp, ...more } }), 400, 'invalid');
      for (const value of [{}, [], 'x', 1, true]) refused(await set('checkout', { ramp: value }), 400, 'invalid');
      refused(await set('theme', { ramp }), 400, 'invalid', 'change.ramp');
      const [hidden, unknown] = [
        await set('checkout', { ramp: { ...ramp, guard: { inbox: 'secret', above: 1, within: 1_000, then: 'stop' } } }),
        await set('checkout', { ramp: { ...ramp, guard: { inbox: 'nosuch', above: 1, within: 1_000, then: 'stop' } } }),
      ];
      refused(hidden, 400, 'invalid', 'change.ramp.guard.inbox');
      expect(hidden.text).to.equal(unknown.text);
    });

    it('78: rules that are none: too many, too deep, no conditions, regular expressions', async () => {
      const rule = { when: { field: 'plan', op: 'eq', value: 'team' }, value: true };
      const deep = (depth: number): object => (depth === 0 ? rule.when : { not: deep(depth - 1) });
      const wrong: unknown[] = [
        Array.from({ length: 51 }, () => rule),
        Array.from({ length: 10_000 }, () => rule),
        {},
        'x',
        [null],
        [{}],
        [{ when: rule.when }],
        [{ value: true }],
        [{ ...rule, rollout: 5 }],
        [{ ...rule, value: 'x' }],
        [{ when: deep(9), value: true }],
        [{ when: deep(25), value: true }],
        [{ when: { all: Array.from({ length: 101 }, () => rule.when) }, value: true }],
        [{ when: { ...rule.when, op: 'regex', value: '(a+)+$' }, value: true }],
        [{ when: { ...rule.when, op: '__proto__' }, value: true }],
        [{ when: { field: 'a', op: 'eq', value: 1, more: 1 }, value: true }],
        [{ when: [], value: true }],
        [{ when: rule.when, rollout: 101 }],
      ];
      for (const rules of wrong) refused(await set('checkout', { rules }), 400, 'invalid');
    });

    it('79: targets that are none: 100,001 of them, and ids that no record has', async () => {
      refused(
        await set('checkout', {
          targets: Object.fromEntries(Array.from({ length: 100_001 }, (_, i) => [`k${String(i)}`, true])),
        }),
        [400, 413],
        'too_large',
      );
      refused(
        await set('checkout', {
          targets: Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`k${String(i)}`, true])),
        }),
        400,
        'invalid',
      );
      refused(
        await clerk.post('/flags/checkout', undefined, { raw: '{"change":{"targets":{"__proto__":true}}}' }),
        400,
        'invalid',
      );
      for (const targets of [
        { '': true },
        { '..': true },
        { ['x'.repeat(201)]: true },
        { 'a\u0001': true },
        { a: 'x' },
        [],
        'x',
      ])
        refused(await set('checkout', { targets }), 400, 'invalid');
    });

    it('more: contexts that are none', async () => {
      for (const path of ['flags', 'flags/checkout']) {
        for (const context of [[], 'x', 1, { targetingKey: 1 }])
          expect((await clerk.post(`/ofrep/v1/evaluate/${path}`, { context })).status).to.equal(400);
        expect(
          (
            await clerk.post(`/ofrep/v1/evaluate/${path}`, undefined, {
              raw: `{"context":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`,
            })
          ).status,
        ).to.equal(400);
      }
    });
  });

  describe('approvals', () => {
    let decider: Client;
    const ask = async (input: object): Promise<string> =>
      (await clerk.post('/actions', { action: 'asked', record: 'r1', input })).body.approval as string;
    before(async () => {
      decider = watched(await world.person('operator', 'Decider'));
    });

    it('80: decided twice, after a rejection, expired, unknown, by an agent', async () => {
      const [approved, rejected, expired] = [await ask({ n: 1 }), await ask({ n: 2 }), await ask({ n: 3 })];
      expect((await decider.post(`/approvals/${approved}/approve`)).status).to.equal(200);
      expect((await decider.post(`/approvals/${rejected}/reject`)).status).to.equal(200);
      await world.sql('update approvals set expires_at = 1 where id = $1', [expired]);
      for (const [id, status] of [
        [approved, 'approved'],
        [rejected, 'rejected'],
        [expired, 'expired'],
      ] as const) {
        for (const verb of ['approve', 'reject']) {
          const reply = await decider.post(`/approvals/${id}/${verb}`);
          refused(reply, 409, 'already_decided');
          expect(reply.body.approval).to.include({ id, status });
        }
        refused(await clerk.post(`/approvals/${id}/cancel`), 409, 'already_decided');
      }
      for (const id of ['apr_01jd0000000000000000000000', 'x', '__proto__', item.id]) {
        for (const verb of ['approve', 'reject', 'cancel'])
          refused(await decider.post(`/approvals/${id}/${verb}`), 404, 'not_found');
        for (const verb of ['approve', 'reject'])
          for (const client of [clerk, admin])
            refused(await client.post(`/approvals/${id}/${verb}`), 403, 'person_required');
      }
      await world.settled();
      const inputs = app.received
        .filter(({ method }) => method === 'action.run')
        .map(({ params }) => params.input as { n?: number });
      expect(inputs.filter(({ n }) => n !== undefined)).to.deep.equal([{ n: 1 }]);
    });

    it('81: a body that tries to say what is to be done: what was asked for is done', async () => {
      const id = await ask({ stored: true });
      for (const body of [
        { payload: {} },
        { status: 'approved' },
        { approver: 'x' },
        { note: 'x', action: 'erase' },
        { note: 1 },
        { note: '' },
        { note: 'x'.repeat(501) },
        { note: null },
        { decidedBy: {} },
      ]) {
        for (const verb of ['approve', 'reject'])
          refused(await decider.post(`/approvals/${id}/${verb}`, body), 400, 'invalid');
        refused(await clerk.post(`/approvals/${id}/cancel`, body), 400, 'invalid');
      }
      // An approval may edit the input. A rejection may not.
      refused(await decider.post(`/approvals/${id}/reject`, { input: { stored: false } }), 400, 'invalid');
      expect((await clerk.get(`/approvals/${id}`)).body.approval.status).to.equal('pending');
      expect((await decider.post(`/approvals/${id}/approve`, { note: 'Fine.' })).status).to.equal(200);
      await world.settled();
      await until('it has run', () =>
        Promise.resolve(
          app.received.some(({ method, params }) => method === 'action.run' && params.input.stored === true),
        ),
      );
      for (const query of ['status=nosuch', 'status=', 'status=pending,approved'])
        refused(await clerk.get(`/approvals?${query}`), 400, 'invalid', 'status');
    });
  });

  describe('the rate limit', () => {
    it('90: 400 requests within one second on one token; others are not affected', async () => {
      const limited = await newWorld({ env: { RATE_LIMIT: '100', RATE_BURST: '200' }, workers: false });
      try {
        const [busy, other] = [await limited.agent('viewer'), await limited.agent('viewer')];
        const started = Date.now();
        const replies = await Promise.all(Array.from({ length: 400 }, () => busy.get('/me')));
        const seconds = (Date.now() - started) / 1000;
        const allowed = replies.filter((reply) => reply.status === 200).length;
        // Exactly the burst, what came in meanwhile, and one batch of the process.
        expect(allowed).to.be.within(200 - 10, 200 + Math.ceil(100 * seconds) + 10);
        const denied = replies.filter((reply) => reply.status === 429);
        expect(denied).to.have.length(400 - allowed);
        for (const reply of denied) {
          refused(reply, 429, 'rate_limited');
          expect(Number(reply.headers.get('retry-after'))).to.be.at.least(1);
        }
        expect((await other.get('/me')).status).to.equal(200);
      } finally {
        await limited.close();
      }
    });
  });
});
