/** Ranges of versions, held against npm’s `semver`, which the service does not have with it. */
import { expect } from 'chai';
import fc from 'fast-check';
import semver from 'semver';
import { compileRange, isRange } from '../../../shared/platform/conditions/semver.ts';

const options = { includePrerelease: true };
const number = fc.constantFrom('0', '0', '1', '2', '3', '10');
const part = fc.oneof({ weight: 5, arbitrary: number }, { weight: 1, arbitrary: fc.constantFrom('x', 'X', '*') });
const preRelease = fc.constantFrom('', '', '', '-0', '-1', '-alpha', '-rc.1', '-rc.10', '-x-y.0');

const version = fc.tuple(number, number, number, preRelease).map(([a, b, c, pre]) => `${a}.${b}.${c}${pre}`);
const partial = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), preRelease, fc.constantFrom('', '', 'v'))
  .map(([parts, pre, v]) => `${v}${parts.join('.')}${parts.length === 3 ? pre : ''}`);
const operator = fc.constantFrom('', '', '=', '>', '>=', '<', '<=', '^', '~', '~>');
const comparison = fc
  .tuple(operator, fc.constantFrom('', '', ' '), partial)
  .map(([op, space, bound]) => `${op}${op === '' ? '' : space}${bound}`);
const alternative = fc.oneof(
  { weight: 3, arbitrary: fc.array(comparison, { minLength: 1, maxLength: 3 }).map((all) => all.join(' ')) },
  { weight: 1, arbitrary: fc.tuple(partial, partial).map(([from, to]) => `${from} - ${to}`) },
);
const range = fc
  .tuple(fc.array(alternative, { minLength: 1, maxLength: 3 }), fc.constantFrom('||', ' || '))
  .map(([all, or]) => all.join(or));

describe('a range of versions', () => {
  it('is read as npm reads it: partial versions, x, *, ||, hyphens, ^ and ~', () => {
    fc.assert(
      fc.property(range, fc.array(version, { minLength: 1, maxLength: 10 }), (text, versions) => {
        const known = semver.validRange(text, options) !== null;
        expect(isRange(text), text).to.equal(known);
        const fits = compileRange(text);
        for (const one of versions)
          expect(fits(one), `${one} in ${text}`).to.equal(semver.satisfies(one, text, options));
      }),
      { numRuns: 3_000 },
    );
  });

  it('takes the ones that were never true before', () => {
    for (const [text, yes, no] of [
      ['~1', '1.9.0', '2.0.0'],
      ['^0', '0.9.0', '1.0.0'],
      ['<=1', '1.9.9', '2.0.0'],
      ['>1', '2.0.0', '1.9.9'],
      ['1', '1.4.2', '2.0.0'],
      ['1.x || >=3', '3.1.0', '2.9.0'],
      ['1.2 - 2.3', '2.3.9', '2.4.0'],
      ['*', '0.0.1', 'nonsense'],
    ] as const) {
      const fits = compileRange(text);
      expect([fits(yes), fits(no)], text).to.deep.equal([true, false]);
    }
  });

  it('is none where npm reads none, or where it says nothing', () => {
    for (const text of ['', '  ', 'new', '1.2.3.4', '>', '1 ||| 2', 'x.1', '1.x.3', '>=1.2.3-', '1 -2'])
      expect(isRange(text), text).to.equal(false);
  });

  it('reads the longest texts that a condition may have at once', () => {
    for (const text of [
      '1 '.repeat(500),
      '||'.repeat(500),
      `1${'.1'.repeat(499)}`,
      `>${' '.repeat(999)}`,
      '-'.repeat(1_000),
    ])
      expect(compileRange(text.slice(0, 1_000))('1.0.0')).to.be.a('boolean');
  });
});
