/** The limiter: few tasks at a time, lanes and keys in turn, and nobody kept out by those who have many waiting. */
import { expect } from 'chai';
import { createLimiter } from '../../../shared/platform/turns/limiter.ts';
import { deferred, type Deferred } from '../../support/deferred.ts';

describe('core: limiter', () => {
  /** Runs tasks by name, in the order of `started`; each ends when `end` is called for it. */
  const newRun = (options: Parameters<typeof createLimiter>[0]) => {
    const limit = createLimiter(options);
    const started: string[] = [];
    const refused: string[] = [];
    const ends = new Map<string, Deferred<void>>();
    const runs = new Map<string, Promise<void>>();
    return {
      started,
      refused,
      add: (name: string, lane = '', key = ''): void => {
        const end = deferred<void>();
        ends.set(name, end);
        const run = limit(
          () => {
            started.push(name);
            return end.promise;
          },
          { lane, key },
        ).catch(() => {
          refused.push(name);
        });
        runs.set(name, run);
      },
      end: async (name: string): Promise<void> => {
        ends.get(name)?.resolve();
        await runs.get(name);
      },
    };
  };

  it('runs so many at a time, the others in their order', async () => {
    const run = newRun({ concurrency: 2 });
    for (const name of ['a', 'b', 'c', 'd']) run.add(name);
    expect(run.started).to.deep.equal(['a', 'b']);
    await run.end('b');
    expect(run.started).to.deep.equal(['a', 'b', 'c']);
    await run.end('a');
    await run.end('c');
    await run.end('d');
    run.add('e');
    expect(run.started).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
  });

  it('goes on after a task that failed', async () => {
    const limit = createLimiter({ concurrency: 1 });
    const failed = limit(() => Promise.reject(new Error('no')));
    const next = limit(() => Promise.resolve('done'));
    expect(await failed.catch((error: unknown) => String(error))).to.equal('Error: no');
    expect(await next).to.equal('done');
  });

  it('serves lanes in turn, and in each lane the keys', async () => {
    const run = newRun({ concurrency: 1 });
    run.add('first');
    for (const n of [1, 2, 3]) run.add(`many${String(n)}`, 'strangers', 'many');
    run.add('one', 'strangers', 'one');
    run.add('known', 'known', 'owner');
    run.add('known2', 'known', 'owner');
    for (let i = 0; i < 7; i++) await run.end(run.started.at(-1) ?? '');
    expect(run.started).to.deep.equal(['first', 'many1', 'known', 'one', 'known2', 'many2', 'many3']);
  });

  it('refuses in a full lane the newest of the key with most, else the one that comes', async () => {
    const run = newRun({ concurrency: 1, waitingMax: 3 });
    run.add('first');
    for (const n of [1, 2, 3]) run.add(`many${String(n)}`, 'strangers', 'many');
    run.add('own', 'strangers', 'own');
    await run.end('many3');
    expect(run.refused).to.deep.equal(['many3']);
    run.add('own2', 'strangers', 'own');
    await run.end('own2');
    expect(run.refused, 'as many wait of the other').to.deep.equal(['many3', 'own2']);
    run.add('known', 'known', 'owner');
    for (let i = 0; i < 5; i++) await run.end(run.started.at(-1) ?? '');
    expect(run.started).to.deep.equal(['first', 'many1', 'known', 'own', 'many2']);
  });
});
