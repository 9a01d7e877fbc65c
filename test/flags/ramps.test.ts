/** Ramps: each step once and forwards, exact at the end, whatever workers do; stops and changes by hand always win; guards. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Caller, Principal } from '../../shared/accounts/access/principal.ts';
import { closeDeps, openDeps, type Deps } from '../../shared/deps.ts';
import { applyFlagChange } from '../../shared/flags/changeFlag.ts';
import type { FlagChange } from '../../shared/flags/decideFlag.ts';
import { readFlagRow } from '../../shared/flags/model.ts';
import { countRampSteps, dueStep, rolloutAt, type Ramp } from '../../shared/flags/ramp.ts';
import { stageOrphanedSteps } from '../../shared/flags/rampBuckets.ts';
import { takeDueRampSteps } from '../../shared/flags/rampSteps.ts';
import { createWorkerProcess, type WorkerProcess } from '../../workers/workerProcess.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { flagsManifest } from './manifest.ts';

interface Entry {
  readonly type: string;
  readonly at: number;
  readonly by: { readonly id: string | null; readonly name: string };
  readonly before: { readonly rollout?: number | null };
  readonly after: { readonly rollout?: number };
  readonly reason: string | null;
}

const minute = 60_000;
const many = Array.from({ length: 12 }, (_, i) => `many_${String(i)}`);
const manifest = {
  ...flagsManifest,
  flags: [
    ...flagsManifest.flags,
    ...[...many, 'raced', 'late', 'guarded', 'tagged', 'hidden', 'lost'].map((key) => ({
      key,
      kind: 'boolean',
      default: false,
    })),
  ],
};

const ramp = (more: Partial<Ramp>): Ramp => ({
  id: 'x',
  from: 0,
  to: 100,
  over: 10_000,
  every: 1_000,
  at: null,
  guard: null,
  startedAt: 0,
  step: 0,
  steps: countRampSteps({ over: 10_000, every: 1_000, ...more }),
  status: 'running',
  by: { type: 'agent', id: 'a', name: 'a', role: null },
  requestId: null,
  address: null,
  ...more,
});

describe('ramps', () => {
  let world: World;
  let operator: Client;
  let deps: Deps;
  let crews: { crew: WorkerProcess; deps: Deps }[] = [];

  const startCrews = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) {
      const own = await openDeps(world.config, 'workers', world.clock);
      const crew = createWorkerProcess(own);
      await crew.start();
      crews.push({ crew, deps: own });
    }
  };
  const stopCrews = async (): Promise<void> => {
    const all = crews;
    crews = [];
    await Promise.all(
      all.map(async ({ crew, deps: own }) => {
        await crew.stop();
        await closeDeps(own);
      }),
    );
  };

  before(async () => {
    world = await newWorld({ manifest, workers: false });
    operator = await world.agent('operator');
    ({ deps } = world);
  });
  afterEach(stopCrews);
  after(() => world.close());

  const change = async (flag: string, wanted: object): Promise<void> => {
    const { status, text } = await operator.post(`/flags/${flag}`, { change: wanted });
    expect(status, text).to.equal(200);
  };
  const shown = async (
    flag: string,
  ): Promise<{ rollout: number | null; version: number; ramp: Readonly<Record<string, unknown>> | null }> =>
    (await operator.get(`/flags/${flag}`)).body.flag;
  /** Oldest first. */
  const history = async (flag: string): Promise<Entry[]> =>
    ((await operator.get(`/flags/${flag}/history?limit=200`)).body.entries as Entry[]).reverse();

  describe('as a function of time', () => {
    const percentage = fc.integer({ min: 0, max: 100_000 }).map((n) => n / 1000);
    it('moves one way only, with three decimals, and ends exactly where it should', () => {
      fc.assert(
        fc.property(
          percentage,
          percentage,
          fc.integer({ min: 1_000, max: 100_000 }),
          fc.integer({ min: 1, max: 200 }),
          (from, to, every, times) => {
            const given = ramp({ from, to, every, over: every * times - Math.min(999, every - 1), startedAt: 5 });
            const values = Array.from({ length: given.steps + 1 }, (_, step) => rolloutAt(given, step));
            expect(values.every((value) => Number.isInteger(value) && value >= 0 && value <= 100_000)).to.equal(true);
            for (const [i, value] of values.entries())
              if (i > 0) expect(Math.sign(value - (values[i - 1] ?? 0)) * Math.sign(to - from)).to.be.at.least(0);
            expect([values[0], values.at(-1)]).to.deep.equal([Math.round(from * 1000), Math.round(to * 1000)]);
          },
        ),
      );
    });

    it('is at step k from k times `every` on, never beyond the last', () => {
      const given = ramp({ startedAt: 1_000, over: 2_500, every: 1_000 });
      expect([0, 1_000, 1_999, 2_000, 3_999, 4_000, 1e12].map((at) => dueStep(given, at))).to.deep.equal([
        0, 0, 0, 1, 2, 3, 3,
      ]);
      expect([1, 2, 3].map((step) => rolloutAt(given, step))).to.deep.equal([40_000, 80_000, 100_000]);
    });
  });

  it('are stepped by four workers once each, forwards, to exactly where they end, under the name of who started them', async () => {
    await startCrews(4);
    await Promise.all(
      many.map((flag, i) =>
        change(flag, {
          rollout: 10,
          ramp: { to: i % 2 === 0 ? 33.333 : 0, over: 3.5 * minute, every: minute, at: null },
        }),
      ),
    );
    // The clock goes on from step to step, so that a busy machine does not take two at once.
    for (let step = 1; step <= 4; step++) {
      world.clock.advance(minute);
      await until(
        'all have gone on',
        async () =>
          (await operator.get('/flags?limit=200')).body.flags.filter(
            ({ ramp: own }: { ramp: { step: number } | null }) => own?.step === step,
          ).length === many.length,
        20_000,
      );
    }
    for (const [i, flag] of many.entries()) {
      const steps = (await history(flag)).slice(1);
      const wanted = i % 2 === 0 ? [16.667, 23.333, 30, 33.333] : [7.143, 4.286, 1.429, 0];
      expect(steps.map(({ type }) => type)).to.deep.equal(['step', 'step', 'step', 'step']);
      expect(steps.map(({ after }) => after.rollout)).to.deep.equal(wanted);
      expect(steps.map(({ before }) => before.rollout)).to.deep.equal([10, ...wanted.slice(0, 3)]);
      for (const { by } of steps) expect(by.id).to.equal(operator.id);
      const { rollout, version, ramp: own } = await shown(flag);
      expect({ rollout, version }).to.deep.equal({ rollout: wanted.at(-1), version: 6 });
      expect(own).to.include({ step: 4, steps: 4, nextAt: null, status: 'done' });
    }
    const told = await world.sql<{ parts: string }>(
      `select p.parts from stream s join stream_parts p using (id) where p.parts like '%"flag":"many_0"%' order by s.position`,
    );
    expect(
      told.map(({ parts }) => (JSON.parse(parts) as { type: string; flag: { rollout: number } }[])[0]?.flag.rollout),
    ).to.deep.equal([10, 16.667, 23.333, 30, 33.333]);
    const audit = (await (await world.agent('admin')).get('/audit?target=many_0&verb=flag.step')).body.entries;
    expect(audit).to.have.length(4);
    expect(await world.sql('select id from staged_jobs')).to.deep.equal([]);
  });

  it('take the value that is due in one step after all workers were away', async () => {
    await startCrews(2);
    await change('late', { rollout: 0, ramp: { to: 100, over: 10_000, every: 1_000, at: world.clock.now() - 2_000 } });
    await until('it has begun', async () => ((await shown('late')).rollout ?? 0) > 0);
    await stopCrews();
    const { ramp: before } = await shown('late');
    // Four steps are missed.
    world.clock.advance(Math.max(0, Number(before?.['nextAt']) + 3_100 - world.clock.now()));
    const entries = (await history('late')).length;
    await startCrews(4);
    await until('it goes on', async () => (await history('late')).length > entries);
    const [caughtUp] = (await history('late')).slice(entries);
    expect((caughtUp?.after.rollout ?? 0) - (caughtUp?.before.rollout ?? 0)).to.be.at.least(40);
    await change('late', { ramp: null });
  });

  it('tell the rollout of a step that leaves it as it was', async () => {
    await startCrews(1);
    await change('late', { rollout: 10, ramp: { to: 10, over: 1_000, every: 1_000, at: world.clock.now() - 1_000 } });
    await until('it is done', async () => (await shown('late')).ramp?.['status'] === 'done');
    expect((await history('late')).at(-1)).to.deep.include({
      type: 'step',
      before: { rollout: 10 },
      after: { rollout: 10 },
    });
  });

  describe('raced', () => {
    let now = 0;
    let racing: Deps;
    let caller: Caller;
    before(async () => {
      racing = { ...deps, clock: { now: () => now } };
      const env = deps.directory.environment('demo');
      const principal = await deps.directory.principal('agent', operator.id);
      if (env === undefined || principal === null) throw new Error('The world is incomplete.');
      caller = { env, principal: principal as Principal, requestId: null, address: null };
    });
    const apply = (wanted: FlagChange): Promise<unknown> => applyFlagChange(racing, racing.db, caller, 'raced', wanted);
    const step = (): Promise<unknown> => takeDueRampSteps(racing);
    const begin = async (): Promise<unknown> => {
      now += 1_000_000;
      return apply({ rollout: 0, ramp: { to: 100, over: 100_000, every: 1_000, at: null, guard: null } });
    };

    it('lose to every stop and every change by hand, in 150 rounds', async () => {
      const rivals: readonly [FlagChange, number | null | 'any'][] = [
        [{ ramp: null }, 'any'],
        [{ rollout: 77 }, 77_000],
        [{ value: false }, null],
      ];
      for (let round = 0; round < 150; round++) {
        await begin();
        now += 1_000 * (1 + (round % 60));
        const [rival, wanted] = rivals[round % rivals.length] ?? [{ ramp: null }, 'any'];
        const racers = [() => step(), () => apply(rival), () => step(), () => step()];
        await Promise.all((round % 2 === 0 ? racers : racers.reverse()).map((racer) => racer()));
        const after = await readFlagRow(deps.db, caller.env.id, 'raced');
        expect(after?.ramp, `round ${String(round)}`).to.equal(null);
        if (wanted !== 'any') expect(after?.rollout, `round ${String(round)}`).to.equal(wanted);
        now += 30_000;
        await Promise.all([step(), step()]);
        expect(await readFlagRow(deps.db, caller.env.id, 'raced')).to.deep.equal(after);
      }
    });

    it('take each step once among eight workers, also those that come with an older time', async () => {
      for (let round = 0; round < 40; round++) {
        await begin();
        const { changes } = (await readFlagRow(deps.db, caller.env.id, 'raced')) ?? { changes: 0 };
        const start = now;
        for (const k of [3, 7, 20]) {
          now = start + k * 1_000;
          const stale: Deps = { ...racing, clock: { now: () => start + (k - 2) * 1_000 } };
          await Promise.all([...Array.from({ length: 6 }, () => step()), ...[1, 2].map(() => takeDueRampSteps(stale))]);
          const stored = await readFlagRow(deps.db, caller.env.id, 'raced');
          expect({ rollout: stored?.rollout, changes: stored?.changes }).to.deep.equal({ rollout: k * 1_000, changes });
        }
      }
    });

    it('start at the approval when that came later, and an approval is stale after a change by hand but not after a step', async () => {
      await begin();
      const { changes = 0 } = (await readFlagRow(deps.db, caller.env.id, 'raced')) ?? {};
      now += 5_000;
      await step();
      const approvedBy = { type: 'person', id: 'per_x', name: 'Eve' } as const;
      const late: FlagChange = { ramp: { to: 0, over: 10_000, every: 1_000, at: now - 48 * 3_600_000, guard: null } };
      const flag = await applyFlagChange(racing, racing.db, caller, 'raced', late, {
        expectedChanges: changes,
        approvedBy,
      });
      expect(flag['ramp']).to.include({ from: 5, startedAt: now });
      expect((await history('raced')).at(-1)).to.deep.include({ approvedBy });
      const failure = await applyFlagChange(racing, racing.db, caller, 'raced', late, {
        expectedChanges: changes,
        approvedBy,
      }).catch((error: unknown) => error);
      expect(failure).to.include({ code: 'stale' });
      const inside = deps.db.transaction(async (tx) => {
        await applyFlagChange(
          racing,
          tx,
          caller,
          'raced',
          { value: true },
          { expectedChanges: changes + 1, approvedBy },
        );
        throw new Error('undone');
      });
      expect(await inside.catch((error: unknown) => String(error))).to.equal('Error: undone');
      expect((await readFlagRow(deps.db, caller.env.id, 'raced'))?.value).to.equal(false);
    });
  });

  describe('with a guard', () => {
    const report = async (client: Client, tags: readonly string[], count: number): Promise<void> => {
      for (let i = 0; i < count; i++)
        expect(
          (await client.post('/items', { inbox: 'bugs', title: 'It broke', key: `broken ${tags.join(' ')}`, tags }))
            .status,
        ).to.be.oneOf([200, 201]);
    };
    // Long enough for all reports of a test on a busy machine.
    const guard = { inbox: 'bugs', above: 3, within: 50_000 };

    // What occurred in an earlier test is older than any guard looks back.
    beforeEach(() => {
      world.clock.advance(60_000);
    });

    it('stop where they are when too much occurs, with a word in the history', async () => {
      await startCrews(1);
      await change('guarded', {
        rollout: 20,
        ramp: { to: 100, over: 200_000, every: 1_000, at: null, guard: { ...guard, then: 'stop' } },
      });
      await report(operator, [], 3);
      await until(
        'a step was taken: three are not too many',
        async () => Number((await shown('guarded')).rollout) > 20,
      );
      const asked = await (
        await world.agent('operator', { mode: 'supervised' })
      ).post('/flags/guarded', { change: { rollout: 90 } });
      await report(operator, [], 1);
      const { rollout } = await until('it stops', async () => {
        const flag = await shown('guarded');
        return flag.ramp?.['status'] === 'stopped' && flag;
      });
      const last = (await history('guarded')).at(-1);
      expect(last).to.include({ type: 'stop', reason: '4 or more occurrences in bugs within 50 s.' });
      expect(last?.by).to.include({ name: 'guard' });
      await until(
        'no step is left to come',
        async () => (await world.sql(`select id from staged_jobs where name = 'rampStep'`)).length === 0,
      );
      expect((await shown('guarded')).rollout).to.equal(rollout);
      const decided = await (await world.person('operator')).post(`/approvals/${String(asked.body.approval)}/approve`);
      expect([decided.status, decided.body.code], 'the guard has changed the flag since').to.deep.equal([409, 'stale']);
    });

    it('go back to where they began, counting what has the tag, also after the last step', async () => {
      await startCrews(1);
      await change('tagged', {
        rollout: 5,
        ramp: {
          to: 50,
          over: 1_000,
          every: 1_000,
          at: null,
          guard: { ...guard, tag: 'checkout', then: 'rollback' },
        },
      });
      await report(operator, ['other'], 6);
      await until('it is done', async () => (await shown('tagged')).ramp?.['status'] === 'done');
      await report(operator, ['checkout'], 4);
      await until('it goes back', async () => (await shown('tagged')).ramp?.['status'] === 'rolled_back');
      expect((await shown('tagged')).rollout).to.equal(5);
      expect((await history('tagged')).map(({ type }) => type)).to.deep.equal(['change', 'step', 'rollback']);
    });
  });

  it('end where they are when their flag is declared no more', async () => {
    await change('hidden', { rollout: 10, ramp: { to: 100, over: 60_000, every: 1_000, at: null } });
    const number = deps.directory.environment('demo')?.id ?? 0;
    const [stored] = await world.sql<{ manifest: unknown }>('select manifest from definitions where env = $1', [
      number,
    ]);
    const declare = async (declared: unknown): Promise<void> => {
      await world.sql('update definitions set manifest = $2 where env = $1', [number, JSON.stringify(declared)]);
      await world.sql('update revisions set n = n + 1');
      await deps.directory.refresh();
    };
    await declare({ ...manifest, flags: manifest.flags.filter(({ key }) => key !== 'hidden') });
    await startCrews(1);
    await until(
      'its ramp has ended',
      async () => (await world.sql(`select key from flags where next_at is not null and key = 'hidden'`)).length === 0,
    );
    await declare(stored?.manifest);
    expect(await shown('hidden')).to.deep.include({ rollout: 10 });
    expect((await shown('hidden')).ramp).to.include({ status: 'stopped', step: 0 });
  });

  it('get a job again when theirs was lost', async () => {
    await change('lost', {
      rollout: 0,
      ramp: { to: 100, over: 100_000, every: 1_000, at: world.clock.now() - 10_000 },
    });
    await world.sql(`delete from staged_jobs where name = 'rampStep'`);
    const now = world.clock.now();
    expect(await stageOrphanedSteps(deps.db, now)).to.equal(1);
    expect(await stageOrphanedSteps(deps.db, now)).to.equal(0);
    await startCrews(1);
    await until('it goes on', async () => ((await shown('lost')).rollout ?? 0) >= 10);
    await change('lost', { ramp: null });
  });
});
