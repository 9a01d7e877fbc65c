/** Lines: what could overtake goes on in the order in which it came, and nobody waits for long for what hangs. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createLine } from '../../../shared/platform/turns/line.ts';

describe('lines', () => {
  it('let pass in the order of entry, whatever becomes ready first, and whoever leaves without a turn', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ready: fc.nat(30), leaves: fc.boolean() }), { minLength: 1, maxLength: 30 }),
        async (all) => {
          const line = createLine(60_000);
          const passed: number[] = [];
          const begun = all.map(async ({ ready, leaves }, i) => {
            const place = line.enter();
            for (let ticks = 0; ticks < ready; ticks++) await Promise.resolve();
            if (!leaves) {
              await place.reached();
              passed.push(i);
            }
            place.pass();
          });
          await Promise.all(begun);
          expect(passed).to.deep.equal(all.flatMap(({ leaves }, i) => (leaves ? [] : [i])));
        },
      ),
    );
  });

  it('let what comes behind something that hangs go on, in order too', async () => {
    const line = createLine(20);
    const hangs = line.enter();
    const [second, leaves, third] = [line.enter(), line.enter(), line.enter()];
    leaves.pass();
    const passed: string[] = [];
    const go = async (name: string, place: typeof hangs): Promise<void> => {
      await place.reached();
      passed.push(name);
      place.pass();
    };
    await Promise.all([go('third', third), go('second', second)]);
    expect(passed).to.have.members(['second', 'third']);
    await go('fourth', line.enter());
    await go('first', hangs);
    expect(passed.slice(2)).to.deep.equal(['fourth', 'first']);
  });
});
