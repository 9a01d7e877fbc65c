/** Which comparisons a refusal names: only such that fail, at least one of a condition that fails, and none of one that holds. */
import { expect } from 'chai';
import fc from 'fast-check';
import { evaluateCondition, type ConditionExpression } from '../../../shared/platform/conditions/conditions.ts';
import { unmetComparisons } from '../../../shared/platform/conditions/unmet.ts';

const fields = ['input.a', 'input.b', 'input.c', 'record.total'];
const condition = fc.letrec<{ all: ConditionExpression }>((tie) => ({
  all: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record({
      field: fc.constantFrom(...fields),
      op: fc.constantFrom('eq', 'ne', 'lt', 'gte', 'exists'),
      value: fc.integer({ min: 0, max: 2 }),
    }),
    fc.record({
      field: fc.constantFrom(...fields),
      op: fc.constantFrom('lte', 'gt'),
      path: fc.constantFrom(...fields),
    }),
    fc.record({ all: fc.array(tie('all'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('all'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('all') }),
  ),
})).all;
const number = fc.option(fc.integer({ min: 0, max: 2 }));
const subject = fc.record({
  input: fc.record({ a: number, b: number, c: number }),
  record: fc.record({ total: number }),
});

describe('comparisons that a condition fails for', () => {
  it('are named exactly when it does not hold, each with a value of its path', () => {
    fc.assert(
      fc.property(condition, subject, (when, values) => {
        const unmet = unmetComparisons(when, values);
        expect(unmet.length > 0).to.equal(!evaluateCondition(when, values));
        for (const { path, message } of unmet) {
          expect(fields).to.include(path);
          const [group = '', name = ''] = path.split('.');
          const value = (values as unknown as Record<string, Record<string, number | null>>)[group]?.[name];
          expect(message).to.match(new RegExp(`^is ${value === null ? 'absent' : String(value)}, (and not|which is) `));
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('say what was asked for, in words, and leave out what nobody can read now', () => {
    const cases: readonly (readonly [ConditionExpression, string])[] = [
      [{ field: 'input.a', op: 'in', value: [1, 2] }, 'is 5, and not one of [1,2]'],
      [{ not: { field: 'input.a', op: 'gte', value: 5 } }, 'is 5, which is at least 5'],
      [{ field: 'input.none', op: 'exists', value: true }, 'is absent, and not there'],
      [{ field: 'input.a', op: 'exists', value: false }, 'is 5, and not absent'],
      [{ field: 'input.a', op: 'lte', path: 'record.total' }, 'is 5, and not at most record.total (3)'],
      [{ field: 'input.text', op: 'startsWith', value: 'EU' }, 'is "US-1", and not a text that begins with "EU"'],
    ];
    const values = { input: { a: 5, text: 'US-1' }, record: { total: 3 } };
    for (const [when, message] of cases)
      expect(unmetComparisons(when, values).map((each) => each.message)).to.deep.equal([message]);
    const both = {
      all: [
        { field: 'record.total', op: 'gt', value: 9 },
        { field: 'input.a', op: 'lt', path: 'record.total' },
        { field: 'input.a', op: 'lt', value: 1 },
      ],
    };
    expect(unmetComparisons(both, { input: { a: 5 } }, 'record').map(({ path }) => path)).to.deep.equal(['input.a']);
    const long = unmetComparisons({ field: 'input.a', op: 'eq', value: 1 }, { input: { a: 'x'.repeat(5000) } });
    expect(long[0]?.message.length).to.be.below(200);
  });
});
