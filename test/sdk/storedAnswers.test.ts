/** Answers that an earlier process left in its store: loaded once the store can be read, bad ones reported and skipped. */
import { expect } from 'chai';
import { ActionFailed, defineApp, type AnswerStore, type StoredAnswer } from '../../shared/sdk/index.ts';
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

  describe('of all instances', () => {
    const paid = { result: { message: 'Paid by another.' } };
    /** A store that another instance writes to as well, which `kept` stands for. */
    const sharedStore = (own: Partial<AnswerStore> = {}): { kept: Map<string, StoredAnswer>; store: AnswerStore } => {
      const kept = new Map<string, StoredAnswer>();
      const store: AnswerStore = {
        shared: true,
        keys: () => Promise.resolve([...kept.keys()]),
        get: (run) => Promise.resolve(kept.get(run)),
        set: (run, answer) => Promise.resolve(kept.set(run, answer)),
        delete: (run, attempt) => Promise.resolve(kept.get(run)?.attempt === attempt && kept.delete(run)),
        ...own,
      };
      return { kept, store };
    };

    it('are looked for again and again, and name their attempt', async () => {
      const fake = await service();
      const { kept, store } = sharedStore();
      const { problems, client } = connected(fake, app, { store, timing: { resendMs: 30 } });
      await until('online', () => client.online);
      kept.set('run_1', { attempt: 3, answer: paid });
      const [sent] = await until('it is handed in', () => fake.of('run.answers').length > 0 && fake.of('run.answers'));
      expect(sent?.params).to.deep.equal({ answers: [{ run: 'run_1', attempt: 3, ...paid }] });
      await until('it is deleted', () => kept.size === 0);
      expect(problems).to.deep.equal([]);
    });

    it('go without their attempt to a service that refuses it, until the next connection', async () => {
      const fake = await service();
      const { kept, store } = sharedStore();
      kept.set('run_1', { attempt: 1, answer: paid });
      kept.set('run_2', { attempt: 1, answer: paid });
      fake.answers = {
        'run.answers': ({ answers }: { answers: { run: string; attempt?: number }[] }, connection) => {
          if (connection > 0) return { result: { settled: answers.map(({ run }) => run) } };
          const details = answers.flatMap(({ attempt }, i) =>
            attempt === undefined ? [] : [{ path: `answers.${String(i)}.attempt`, message: 'is not known here' }],
          );
          if (details.length === 0) return { result: { settled: [] } };
          return { error: { code: -32602, message: 'The request is not valid.', data: { code: 'invalid', details } } };
        },
      };
      const { problems } = connected(fake, app, { store, timing: { resendMs: 30 } });
      const first = await fake.registered();
      const named = (of: number): unknown[] =>
        fake
          .of('run.answers')
          .filter(({ connection }) => connection === of)
          .map(({ params }) => params.answers[0].attempt);
      await until('it is handed in again and again', () => named(0).length >= 4);
      expect(named(0).slice(0, 4)).to.deep.equal([1, undefined, undefined, undefined]);
      expect(problems).to.deep.equal([]);
      first.close(1012);
      await until('both are deleted', () => kept.size === 0);
      expect(named(1)[0]).to.equal(1);
    });

    it('say what another instance has done since a run failed here, so that it is not done again', async () => {
      const fake = await service();
      const { kept, store } = sharedStore();
      const acted: number[] = [];
      const failing = defineApp({
        actions: {
          pay: {
            run: ({ attempt }) => {
              acted.push(attempt);
              throw new ActionFailed('Not now.');
            },
          },
        },
      });
      connected(fake, failing, { store });
      await fake.registered();
      const call = (attempt: number) => fake.call('action.run', runCall('run_1', 'pay', { attempt }));
      expect((await call(1)).error?.message).to.equal('Not now.');
      expect((await call(2)).error?.message).to.equal('Not now.');
      kept.set('run_1', { attempt: 3, answer: paid });
      // The confirmation of what failed here comes late.
      fake.notify('run.settled', { run: 'run_1' });
      expect((await call(4)).result).to.deep.equal(paid.result);
      expect(acted).to.deep.equal([1, 2]);
      fake.notify('run.settled', { run: 'run_1' });
      await until('it is deleted', () => kept.size === 0);
    });

    it('are told when they have no keys, or no number of an attempt', async () => {
      const fake = await service();
      const keyless = connected(fake, app, { store: { ...sharedStore().store, keys: undefined } as never });
      await until('it is told', () => keyless.problems.length === 1);
      expect(String(keyless.problems[0]?.cause)).to.equal('TypeError: A store that is shared needs the method keys.');
      const { kept, store } = sharedStore();
      kept.set('run_1', { attempt: '1' as never, answer: paid });
      const { problems } = connected(fake, app, { store });
      const problem = await until('it is told too', () => problems[0]);
      expect(problem.message).to.include('run_1 is no { attempt, answer }');
    });
  });
});
