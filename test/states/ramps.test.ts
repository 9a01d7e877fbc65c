/** Ramps under random events: starts, steps, guards, changes by hand and declarations that come and go. */
import fc from 'fast-check';
import type { Caller, Principal } from '../../shared/accounts/access/principal.ts';
import { ramps } from '../../shared/catalogue/states/ramps.ts';
import type { Deps } from '../../shared/deps.ts';
import { applyFlagChange } from '../../shared/flags/changeFlag.ts';
import type { FlagChange } from '../../shared/flags/decideFlag.ts';
import { checkRampGuards } from '../../shared/flags/rampGuards.ts';
import { takeDueRampSteps } from '../../shared/flags/rampSteps.ts';
import { testManifest } from '../support/manifest.ts';
import { installStateTrace } from '../support/stateTrace.ts';
import { newWorld, type World } from '../support/world.ts';
import { drive, seed } from './support.ts';

const flagCount = 40;
const flags = Array.from({ length: flagCount }, (_, i) => ({ key: `f${String(i)}`, kind: 'boolean', default: false }));
const manifest = { ...testManifest, flags };

describe(`states: ramps (STATES_SEED=${String(seed)})`, () => {
  let world: World;
  before(async () => {
    world = await newWorld({ manifest, workers: false });
  });
  after(() => world.close());

  it('starts, steps, guards, changes by hand and undeclared flags in any order', async () => {
    const { deps } = world;
    const query = async (text: string) => ({ rows: await world.sql(text) });
    const operator = await world.agent('operator');
    await installStateTrace(query, true);
    const env = deps.directory.environment('demo');
    const row = await world.sql<{ manifest: unknown }>('select manifest from definitions where env = $1', [env?.id]);
    const declare = async (declared: unknown): Promise<void> => {
      await world.sql('update definitions set manifest = $2 where env = $1', [env?.id, JSON.stringify(declared)]);
      await world.sql('update revisions set n = n + 1');
      await deps.directory.refresh();
    };
    const target = fc.nat(1);
    const guard = fc.constantFrom('stop', 'rollback', null);
    const event = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('start' as const), target, then: guard }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), target }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('value' as const), target }) },
      {
        weight: 4,
        arbitrary: fc.record({ do: fc.constant('step' as const), ms: fc.constantFrom(1_000, 2_000, 10_000) }),
      },
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('harm', 'guards', 'guards', 'hide') }) },
    );
    // In the past: what is reported, by the clock of the API, is recent for the guards then.
    let now = Date.now() - 30 * 86_400_000;
    let harms = 0;
    let used = 0;
    const at = (): Deps => ({ ...deps, clock: { now: () => now } });
    const script = (
      then: 'stop' | 'rollback' | null,
      ...steps: readonly ('step' | 'harm' | 'guards' | 'end' | 'hide')[]
    ) => [
      { do: 'value', target: 0 } as const,
      { do: 'start', target: 0, then } as const,
      ...steps.map((step) =>
        step === 'step'
          ? ({ do: 'step', ms: 10_000 } as const)
          : step === 'end'
            ? ({ do: 'end', target: 0 } as const)
            : ({ do: step } as const),
      ),
      { do: 'start', target: 0, then } as const,
    ];
    const scripts = [
      script(null, 'step'),
      script(null, 'step', 'end'),
      script(null, 'end'),
      script('stop', 'step'),
      script('stop', 'step', 'end'),
      script('stop', 'step', 'harm', 'guards'),
      script('stop', 'harm', 'guards', 'end'),
      script('rollback', 'step', 'harm', 'guards'),
      script('rollback', 'harm', 'guards', 'end'),
      script(null, 'hide'),
      script('rollback', 'hide').slice(1),
    ];
    await drive({
      query,
      machines: [ramps],
      event,
      scripts,
      runs: 8,
      length: 25,
      begin: async () => {
        const keys = [`f${String(used % flagCount)}`, `f${String((used + 1) % flagCount)}`] as const;
        used += 2;
        now += 3_600_000;
        const environment = deps.directory.environment('demo');
        if (environment === undefined) throw new Error('There is no environment.');
        const principal = await deps.directory.principal('agent', operator.id);
        const caller: Caller = { env: environment, principal: principal as Principal, requestId: null, address: null };
        const change = (number: number, wanted: FlagChange): Promise<unknown> =>
          applyFlagChange(at(), deps.db, caller, keys[number] ?? keys[0], wanted);
        return async (one) => {
          switch (one.do) {
            case 'start':
              return change(one.target, {
                ramp: {
                  to: 100,
                  over: 5_000,
                  every: 1_000,
                  at: null,
                  guard:
                    one.then === null
                      ? null
                      : { inbox: 'bugs', tag: null, above: harms, within: 3_600_000, then: one.then },
                },
              });
            case 'end':
              return change(one.target, { ramp: null });
            case 'value':
              return change(one.target, { rollout: 5 });
            case 'step':
              now += one.ms;
              return takeDueRampSteps(at());
            case 'harm':
              harms += 1;
              return operator.post('/items', { inbox: 'bugs', title: 'It broke' });
            case 'guards':
              return checkRampGuards(at());
            case 'hide':
              await declare({ ...manifest, flags: flags.filter(({ key }) => key !== keys[0]) });
              now += 10_000;
              await takeDueRampSteps(at());
              return declare(row[0]?.manifest);
          }
        };
      },
    });
  });
});
