/** Long work in parts: others have their turn between them, one long work at a time, and what may not take forever is stopped. */
import { expect } from 'chai';
import { fault } from '../../../shared/catalogue/errors.ts';
import { limits } from '../../../shared/catalogue/limits.ts';
import { createTurns } from '../../../shared/platform/turns/turns.ts';

/** Works for as long as says the clock of the process. */
const work = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until;);
};
const narrow = { path: 'refs', message: 'ask for fewer at once' };

describe('long work in parts', () => {
  // A turn for what other tests of this process have worked.
  beforeEach(async () => {
    await createTurns(null)(() => work(12));
    await createTurns(null)(() => null);
  });

  it('gives way between parts that take long, and not between short ones', async () => {
    let beats = 0;
    let beat = setImmediate(function next() {
      beats += 1;
      beat = setImmediate(next);
    });
    const short = createTurns(null);
    for (let i = 0; i < 1_000; i++) await short(() => i);
    expect(beats, 'short parts').to.equal(0);
    const long = createTurns(null);
    for (let i = 0; i < 5; i++) await long(() => work(12));
    clearImmediate(beat);
    expect(beats, 'long parts').to.be.at.least(4);
  });

  it('lets one of several go on in each turn of the event loop', async () => {
    let turn = 0;
    let beat = setImmediate(function next() {
      turn += 1;
      beat = setImmediate(next);
    });
    const turns: number[] = [];
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        const inTurn = createTurns(null);
        for (let i = 0; i < 3; i++)
          await inTurn(() => {
            turns.push(turn);
            work(12);
          });
      }),
    );
    clearImmediate(beat);
    expect(new Set(turns).size).to.equal(turns.length);
  });

  it('stops with too_broad what takes as long as a read may, and says what to narrow', async () => {
    const [bounded, free] = [createTurns(narrow), createTurns(null)];
    await bounded(() => work(limits.readMs));
    await free(() => work(limits.readMs));
    expect(await free(() => 'done')).to.equal('done');
    const stopped = await bounded(() => 'done').catch((error: unknown) => error);
    expect(stopped).to.deep.include({ code: 'too_broad', extra: { details: [narrow] } });
  });

  it('passes on what a part throws', async () => {
    const error = fault('conflict');
    const inTurn = createTurns(null);
    expect(
      await inTurn(() => {
        throw error;
      }).catch((thrown: unknown) => thrown),
    ).to.equal(error);
  });
});
