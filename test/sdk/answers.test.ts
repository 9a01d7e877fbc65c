/** Answers that the SDK hands in: in batches that the service reads, cleaned where the SDK cuts, none kept back by a bad one. */
import { expect } from 'chai';
import { ActionFailed, defineApp, type AnswerStore } from '../../shared/sdk/index.ts';
import { until } from '../support/until.ts';
import { connected, service } from './connected.ts';
import { runCall, type FakeService, type Heard } from './fakeService.ts';

const app = defineApp({ actions: { pay: { run: () => 'Paid.' } } });

const runsIn = ({ params }: Heard): string[] => (params.answers as { run: string }[]).map(({ run }) => run);
const batches = (fake: FakeService): string[][] => fake.of('run.answers').map(runsIn);

/** The service refuses each batch that has this run, and takes others. */
const refusing = (bad: string, taken: Set<string>): FakeService['answers'] => ({
  'run.answers': ({ answers }: { answers: { run: string }[] }) => {
    const settled = answers.map(({ run }) => run);
    if (settled.includes(bad))
      return {
        error: {
          code: -32602,
          message: 'The request is not valid.',
          data: { code: 'invalid', details: [{ path: 'answers.0.error', message: 'must be object' }] },
        },
      };
    for (const run of settled) taken.add(run);
    return { result: { settled } };
  },
});

describe('sdk: answers that are handed in', () => {
  it('halves a batch that is refused down to the bad answer, reports it, and hands in the others', async () => {
    const fake = await service();
    const { problems } = connected(fake, app, { timing: { resendMs: 20 } });
    const first = await fake.registered();
    fake.answers = { 'run.answers': () => ({ result: { settled: [] } }) };
    const runs = Array.from({ length: 10 }, (_, n) => `run_${String(n)}`);
    for (const run of runs) await fake.call('action.run', runCall(run, 'pay'));
    const taken = new Set<string>();
    fake.answers = refusing('run_3', taken);
    const problem = await until('the problem', () => problems.find(({ kind }) => kind === 'answer'));
    expect(problem.message).to.equal(
      'The service refuses the answer of the run run_3, which is kept: The request is not valid.\n  answers.0.error: must be object',
    );
    await until('the others are taken', () => taken.size === 9);
    // Handed in with all that is due then.
    await fake.call('action.run', runCall('run_late', 'pay'));
    const later = await until('the next one', () => batches(fake).find((batch) => batch.includes('run_late')));
    expect(later).not.to.include('run_3');
    expect(problems.filter(({ kind }) => kind === 'answer')).to.have.length(1);
    // A round trip behind the confirmation.
    await fake.call('no.such', {});
    fake.answers = {};
    fake.heard.length = 0;
    first.terminate();
    await until('the bad one again, after the next connection', () => batches(fake)[0]);
    expect(batches(fake)[0]).to.deep.equal(['run_3']);
  });

  it('hands in the whole batch again when the service takes none now', async () => {
    const fake = await service();
    const { problems } = connected(fake, app, { timing: { resendMs: 20 } });
    await fake.registered();
    fake.answers = {
      'run.answers': () => ({ error: { code: -32000, message: 'Not now.', data: { code: 'unavailable' } } }),
    };
    for (const run of ['run_1', 'run_2']) await fake.call('action.run', runCall(run, 'pay'));
    await until('both are refused', () => batches(fake).some((batch) => batch.length === 2));
    fake.heard.length = 0;
    fake.answers = {};
    await until('both again', () => batches(fake).some((batch) => batch.length === 2));
    expect(problems).to.deep.equal([]);
  });

  it('puts no more members into a batch than a frame may have', async () => {
    const fake = await service();
    const runs = Array.from({ length: 40 }, (_, n) => `run_${String(n)}`);
    const store: AnswerStore = {
      keys: () => Promise.resolve(runs),
      get: (run) =>
        Promise.resolve({
          attempt: 1,
          answer: {
            result: {
              message: `${run}, "done", \\`,
              blocks: [{ type: 'list', items: Array.from({ length: 2_000 }, () => 1) }],
            },
          },
        }),
      set: () => Promise.resolve(),
      delete: () => Promise.resolve(),
    };
    connected(fake, app, { store });
    await until('all are handed in', () => batches(fake).flat().length === runs.length);
    expect(batches(fake).flat()).to.deep.equal(runs);
    expect(batches(fake).map((batch) => batch.length)).to.deep.equal([24, 16]);
  });

  it('leaves blocks of too many members out of a result, as the run has succeeded', async () => {
    const fake = await service();
    const many: Record<string, unknown> = { all: Array.from({ length: 60_000 }, () => 1) };
    const large = defineApp({
      actions: {
        list: { run: () => ({ message: 'Did it.', blocks: [{ type: 'text', text: '', ...many }] }) },
      },
    });
    const { problems } = connected(fake, large);
    await fake.registered();
    const { result } = await fake.call('action.run', runCall('run_1', 'list'));
    expect(result.message).to.equal('Did it.');
    expect(result.blocks).to.have.length(1);
    expect(result.blocks[0].text).to.include('too large to show');
    expect(problems.map(({ kind }) => kind)).to.deep.equal(['handler']);
  });

  it('sends no half of a surrogate pair and no NUL character where it cuts a text', async () => {
    const fake = await service();
    const long = (most: number): string => `\0${'x'.repeat(most - 2)}😀`;
    const cutting = defineApp({
      actions: {
        refuse: {
          run: () => {
            throw new ActionFailed(long(2_000));
          },
        },
        work: {
          run: ({ progress }) => {
            progress(0.5, long(10_000));
            return { message: long(10_000), blocks: [{ type: 'text', text: 'x'.repeat(5 * 1024 * 1024) }] };
          },
        },
      },
    });
    connected(fake, cutting);
    await fake.registered();
    const refused = await fake.call('action.run', runCall('run_1', 'refuse'));
    const done = await fake.call('action.run', runCall('run_2', 'work'));
    const texts = [refused.error?.message, done.result.message, fake.of('run.progress')[0]?.params.message] as string[];
    for (const text of texts) {
      expect(text).to.have.length.above(1_000);
      expect([text.isWellFormed(), text.includes('\0')]).to.deep.equal([true, false]);
    }
  });
});
