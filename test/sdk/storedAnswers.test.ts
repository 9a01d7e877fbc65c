/** Answers that an earlier process left in its store: loaded once the store can be read, bad ones reported and skipped. */
import { expect } from 'chai';
import { defineApp, type AnswerStore } from '../../shared/sdk/index.ts';
import { until } from '../support/until.ts';
import { connected, service } from './connected.ts';
import { runCall, type FakeService } from './fakeService.ts';

const did: string[] = [];
const app = defineApp({
  actions: {
    pay: {
      run: ({ run }) => {
        did.push(run);
        return 'Paid.';
      },
    },
  },
});

const handedIn = (fake: FakeService): string[] =>
  fake.of('run.answers').flatMap(({ params }) => (params.answers as { run: string }[]).map(({ run }) => run));

/** A store that has an answer for each of the runs. */
const storeOf = (runs: readonly string[], own: Partial<AnswerStore> = {}): AnswerStore => ({
  keys: () => Promise.resolve(runs),
  get: () => Promise.resolve({ attempt: 1, answer: { result: { message: 'Paid before.' } } }),
  set: () => Promise.resolve(),
  delete: () => Promise.resolve(),
  ...own,
});

describe('sdk: stored answers', () => {
  const strays: unknown[] = [];
  const stray = (error: unknown): void => void strays.push(error);
  before(() => {
    process.on('unhandledRejection', stray);
  });
  after(() => {
    process.off('unhandledRejection', stray);
    expect(strays).to.deep.equal([]);
  });

  it('are handed in once a store that was unavailable at the start can be read, told once', async () => {
    const fake = await service();
    const tried = { keys: 0, run_2: 0 };
    const { problems } = connected(fake, app, {
      store: storeOf(['run_1', 'run_2'], {
        keys: () => {
          tried.keys += 1;
          return tried.keys < 4 ? Promise.reject(new Error('no database')) : Promise.resolve(['run_1', 'run_2']);
        },
        get: (run) => {
          if (run === 'run_2') tried.run_2 += 1;
          return run === 'run_2' && tried.run_2 < 3
            ? Promise.reject(new Error('no database'))
            : Promise.resolve({ attempt: 1, answer: { result: { message: run } } });
        },
      }),
    });
    await until('both are handed in', () => handedIn(fake).includes('run_2'));
    expect([...new Set(handedIn(fake))]).to.have.members(['run_1', 'run_2']);
    expect(tried).to.deep.equal({ keys: 4, run_2: 3 });
    expect(problems.map(({ kind, cause }) => [kind, (cause as Error).message])).to.deep.equal([
      ['store', 'no database'],
    ]);
  });

  it('are loaded at the next connection, without the wait', async () => {
    const fake = await service();
    let readable = false;
    connected(fake, app, {
      store: storeOf([], {
        keys: () => (readable ? Promise.resolve(['run_1']) : Promise.reject(new Error('no database'))),
      }),
      timing: { retryMinMs: 60_000, retryMaxMs: 60_000 },
    });
    const first = await fake.registered();
    // A round trip behind the registration: the client is online and has tried to load.
    await fake.call('no.such', {});
    expect(handedIn(fake)).to.deep.equal([]);
    readable = true;
    first.close(1012);
    await fake.registered(2);
    await until('it is handed in', () => handedIn(fake).length === 1);
  });

  it('that are no answers are told and not sent, and the others are; their runs are not done again', async () => {
    const fake = await service();
    const bad = { run_none: { attempt: 1 }, run_text: 'Paid.', run_error: { attempt: 1, answer: { error: 'No.' } } };
    const { problems } = connected(fake, app, {
      store: storeOf([...Object.keys(bad), 'run_1'], {
        get: (run) =>
          Promise.resolve(
            (Object.hasOwn(bad, run)
              ? bad[run as keyof typeof bad]
              : { attempt: 1, answer: { result: null } }) as never,
          ),
      }),
    });
    await until('the good one is handed in', () => handedIn(fake).length > 0);
    expect(handedIn(fake)).to.deep.equal(['run_1']);
    expect(problems.map(({ kind, message }) => `${kind}: ${message}`)).to.deep.equal(
      Object.keys(bad).map(
        (run) => `store: What the store has for the run ${run} is no { attempt, answer }, and is not sent.`,
      ),
    );
    for (const run of Object.keys(bad))
      expect((await fake.call('action.run', runCall(run, 'pay'))).error).to.deep.include({
        code: -32001,
        data: { retryable: true },
      });
    expect(did).to.deep.equal([]);
  });
});
