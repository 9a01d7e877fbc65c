/** Calls whose app breaks off its socket while they are dispatched: API processes of their own go on answering everybody. */
import { expect } from 'chai';
import { limits } from '../../../shared/catalogue/limits.ts';
import { settlesWithin } from '../../../shared/platform/time/clock.ts';
import { connectApp, never, type FakeApp } from '../../support/app.ts';
import { clientOf, type Client } from '../../support/http.ts';
import { testManifest } from '../../support/manifest.ts';
import { startProgram, type Program } from '../../support/processes.ts';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';

const manifest = { ...testManifest, actions: [...testManifest.actions, { name: 'ping' }] };
/**
 * ms in which a process that is free answers `/health`. A busy machine may delay some rounds, a loop that spins all of them, and
 * by seconds; where the machine delays all, four times what as many calls that are answered take there is the bound.
 */
const promptMs = 250;
/** A call that waits for the job of its run takes 3 s and more. Accepting many calls takes a while itself. */
const answersMs = 2_500;
const rounds = 12;

/** Polls `/health` and returns a function that stops it and returns the longest response time in ms. */
const watchHealth = ({ port }: Program): (() => Promise<number>) => {
  let stopped = false;
  const watched = (async () => {
    let longest = 0;
    while (!stopped) {
      const asked = performance.now();
      await (await fetch(`http://127.0.0.1:${port}/health`)).text();
      longest = Math.max(longest, performance.now() - asked);
    }
    return longest;
  })();
  return () => {
    stopped = true;
    return watched;
  };
};

const breaks: Readonly<Record<string, (app: FakeApp) => void>> = {
  'ends it without a word': (app) => {
    app.kill();
  },
  'closes it': (app) => {
    app.socket.close();
  },
};

describe('app link: a socket that breaks while calls are dispatched', () => {
  let world: World;
  let apis: Program[];
  let key: Client;
  let agent: Client;
  const at = ({ port }: Program, { token, id }: Client): Client =>
    clientOf(`http://127.0.0.1:${port}/api/env/demo`, token, id);

  before(async () => {
    world = await newWorld({ server: false, manifest });
    const env = { RATE_LIMIT: '1000000', RATE_BURST: '1000000' };
    apis = await Promise.all([startProgram(world, 'api/main.ts', env), startProgram(world, 'api/main.ts', env)]);
    [key, agent] = [await world.appKey(), await world.agent('admin')];
  });
  after(async () => {
    await Promise.all(apis.map((api) => api.end()));
    await world.close();
  });

  /**
   * Calls through `asked` while the app's socket at `held` breaks; returns the longest time in ms that `/health` of either took,
   * and that from the break to the last answer.
   */
  const round = async (
    asked: Program,
    held: Program,
    count: number,
    breakOff: (app: FakeApp) => void,
  ): Promise<{ readonly health: number; readonly answers: number }> => {
    let brokeAt = Infinity;
    const app: FakeApp = await connectApp(at(held, key), {
      manifest,
      handlers: {
        'action.run': () => {
          brokeAt = Math.min(brokeAt, performance.now());
          breakOff(app);
          return never();
        },
      },
    });
    const watching = [watchHealth(asked), watchHealth(held)];
    const calls = Promise.all(
      Array.from({ length: count }, () => at(asked, agent).post('/actions', { action: 'ping' })),
    );
    const inTime = await settlesWithin(limits.actionWaitMs * 0.8, calls);
    const answers = performance.now() - brokeAt;
    const longest = await Promise.all(watching.map((end) => end()));
    expect(inTime, 'all are answered before their wait for the app is over').to.equal(true);
    for (const { status, body } of await calls) {
      expect(status).to.equal(202);
      expect(body).to.have.property('run');
    }
    await app.closed;
    await until('the app is gone', async () => (await world.sql('select 1 from app_connections')).length === 0);
    return { health: Math.max(...longest), answers };
  };

  /** Returns the longest time in ms that `/health` of either takes while `count` calls are answered, at the best of three times. */
  const healthOfAnswered = async (asked: Program, held: Program, count: number): Promise<number> => {
    const app = await connectApp(at(held, key), { manifest, handlers: { 'action.run': () => ({ message: 'Done.' }) } });
    let best = Infinity;
    for (let n = 0; n < 3; n++) {
      const watching = [watchHealth(asked), watchHealth(held)];
      await Promise.all(Array.from({ length: count }, () => at(asked, agent).post('/actions', { action: 'ping' })));
      best = Math.min(best, Math.max(...(await Promise.all(watching.map((end) => end())))));
    }
    await app.close();
    await until('the app is gone', async () => (await world.sql('select 1 from app_connections')).length === 0);
    return best;
  };

  for (const [how, breakOff] of Object.entries(breaks)) {
    for (const count of [2, 10, 50]) {
      for (const [where, isHere] of [
        ['the same API', true],
        ['another API', false],
      ] as const) {
        it(`answers ${String(count)} calls by 202, and everybody else meanwhile, when an app at ${where} ${how}`, async () => {
          const [first, second] = apis as [Program, Program];
          const best = { health: Infinity, answers: Infinity };
          for (let n = 1; n <= rounds && (best.health >= promptMs || best.answers >= answersMs); n++) {
            const { health, answers } = await round(first, isHere ? first : second, count, breakOff);
            best.health = Math.min(best.health, health);
            best.answers = Math.min(best.answers, answers);
          }
          const healthMs =
            best.health < promptMs ? promptMs : 4 * (await healthOfAnswered(first, isHere ? first : second, count));
          expect(best.health).to.be.below(Math.max(promptMs, healthMs));
          expect(best.answers).to.be.below(answersMs);
        });
      }
    }
  }

  it('answers a call by 202 at once when the process is killed that has the app’s socket', async () => {
    const [asked] = apis as [Program, Program];
    const held = await startProgram(world, 'api/main.ts', { RATE_LIMIT: '1000000', RATE_BURST: '1000000' });
    let brokeAt = 0;
    await connectApp(at(held, key), {
      manifest,
      handlers: {
        'action.run': () => {
          brokeAt = performance.now();
          held.child.kill('SIGKILL');
          return never();
        },
      },
    });
    const { status, body } = await at(asked, agent).post('/actions', { action: 'ping' });
    const answered = performance.now() - brokeAt;
    expect([status, body.running]).to.deep.equal([202, true]);
    // Its row says for 15 s that it is there.
    expect(await world.sql('select 1 from app_connections')).to.have.length(1);
    expect(answered).to.be.below(limits.actionWaitMs / 5);
    await held.end();
    await world.sql('delete from app_connections');
  });
});
