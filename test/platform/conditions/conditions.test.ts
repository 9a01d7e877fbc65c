/** The one condition language: what each op means, what of a condition is refused, and that neither can be made to hang. */
import { expect } from 'chai';
import { renderBlock } from '../../../shared/app/blocks/renderBlocks.ts';
import { compileCondition } from '../../../shared/flags/evaluate.ts';
import { resolveCustomerAddress } from '../../../shared/items/replyAddress.ts';
import {
  conditionOps,
  evaluateCondition,
  filledMax,
  fillTemplate,
  type ConditionExpression,
} from '../../../shared/platform/conditions/conditions.ts';
import {
  conditionLimits,
  conditionProblems,
  conditionSchema,
} from '../../../shared/platform/conditions/conditionSchema.ts';
import { compileCheck } from '../../../shared/platform/json/validate.ts';

const subject = {
  item: {
    title: 'Payment failed',
    tags: ['vip', 'eu'],
    seats: 12,
    paid: false,
    plan: null,
    fields: { version: '2.4.0-rc.10', 'odd name': 'x' },
  },
};
const test = (field: string, op: string, value?: unknown): boolean =>
  evaluateCondition({ field: `item.${field}`, op, ...(value === undefined ? {} : { value }) }, subject);

describe('conditions', () => {
  it('compare as each op says', () => {
    const rows: readonly (readonly [string, string, unknown, boolean])[] = [
      ['title', 'eq', 'Payment failed', true],
      ['title', 'eq', 'payment failed', false],
      ['seats', 'eq', '12', false],
      ['plan', 'eq', null, true],
      ['title', 'ne', 'x', true],
      ['missing', 'ne', 'x', true],
      ['seats', 'ne', 12, false],
      ['seats', 'in', [11, 12], true],
      ['seats', 'in', ['12'], false],
      ['missing', 'in', [], false],
      ['seats', 'nin', [11], true],
      ['seats', 'nin', [12], false],
      ['seats', 'lt', 13, true],
      ['seats', 'lt', 12, false],
      ['seats', 'lte', 12, true],
      ['seats', 'gt', 11, true],
      ['seats', 'gte', 13, false],
      ['seats', 'gt', '1', false],
      ['title', 'gt', 'A', true],
      ['missing', 'lt', 1, false],
      ['title', 'contains', 'fail', true],
      ['title', 'contains', 'x', false],
      ['tags', 'contains', 'vip', true],
      ['tags', 'contains', 'vi', false],
      ['seats', 'contains', '1', false],
      ['title', 'startsWith', 'Pay', true],
      ['title', 'endsWith', 'failed', true],
      ['seats', 'startsWith', '1', false],
      ['paid', 'exists', true, true],
      ['plan', 'exists', true, false],
      ['plan', 'exists', false, true],
      ['missing', 'exists', undefined, false],
      ['fields.odd name', 'eq', 'x', true],
      ['tags.0', 'eq', 'vip', true],
    ];
    for (const [field, op, value, wanted] of rows)
      expect(test(field, op, value), `${field} ${op} ${JSON.stringify(value)}`).to.equal(wanted);
  });

  it('order versions as semver does, pre-releases by their numbers', () => {
    const rows: readonly (readonly [string, string, boolean])[] = [
      ['2.4.0-rc.10', '>2.4.0-rc.2', true],
      ['2.4.0-rc.10', '<2.4.0', true],
      ['2.4.0-rc.1', '>2.4.0-rc', true],
      ['2.4.0-1', '<2.4.0-a', true],
      ['1.2.3', '1.2.3', true],
      ['v1.2.3', '=1.2.3', true],
      ['1.2', '1.2.0', true],
      ['1.9.9', '>=1.2.0 <2', true],
      ['2.0.0', '>=1.2.0 <2', false],
      ['1.9.0', '^1.4', true],
      ['2.0.0', '^1.4', false],
      ['0.2.9', '^0.2.3', true],
      ['0.3.0', '^0.2.3', false],
      ['2.1.9', '~2.1', true],
      ['2.2.0', '~2.1', false],
      ['1.2.3+build', '1.2.3', true],
      ['nonsense', '>=0.0.0', false],
      ['1.2.3', 'nonsense', false],
      [`1.${'1'.repeat(50_000)}`, '>1', false],
    ];
    for (const [version, range, wanted] of rows)
      expect(
        evaluateCondition({ field: 'v', op: 'matchesSemver', value: range }, { v: version }),
        `${version.slice(0, 20)} ${range}`,
      ).to.equal(wanted);
  });

  it('join by all, any and not', () => {
    const [yes, no] = [
      { field: 'a', op: 'eq', value: 1 },
      { field: 'a', op: 'eq', value: 2 },
    ];
    const rows: readonly (readonly [ConditionExpression, boolean])[] = [
      [{ all: [yes, yes] }, true],
      [{ all: [yes, no] }, false],
      [{ all: [] }, true],
      [{ any: [no, yes] }, true],
      [{ any: [] }, false],
      [{ not: no }, true],
      [{ not: { all: [yes, { any: [no, { not: yes }] }] } }, true],
    ];
    for (const [condition, wanted] of rows)
      expect(evaluateCondition(condition, { a: 1 }), JSON.stringify(condition)).to.equal(wanted);
  });

  it('find nothing on a prototype, and know no op from there', () => {
    for (const field of ['constructor', '__proto__', 'item.constructor.name', 'item.title.length', 'item.tags.map'])
      expect(evaluateCondition({ field, op: 'exists' }, subject), field).to.equal(false);
    for (const op of ['constructor', 'toString', '__proto__', 'valueOf'])
      expect(evaluateCondition({ field: 'item.title', op, value: 'x' }, subject)).to.equal(false);
    expect(fillTemplate('{{item.constructor.name}}|{{item.__proto__}}', subject)).to.equal('|');
  });

  it('look at as much of a text or a list as the fields of an item may have', () => {
    const [characters, values] = [32 * 1024, 16 * 1024];
    const nulls = (count: number): null[] => Array.from({ length: count }, () => null);
    const rows: readonly (readonly [unknown, string, unknown, boolean])[] = [
      ['a'.repeat(characters - 1) + 'b', 'contains', 'ab', true],
      ['a'.repeat(characters) + 'b', 'contains', 'ab', false],
      ['a'.repeat(1_000_000) + 'b', 'endsWith', 'ab', true],
      [[...nulls(values - 1), 'b'], 'contains', 'b', true],
      [[...nulls(values), 'b'], 'contains', 'b', false],
      [[...nulls(values - 1), 'b'], 'exists', true, true],
      [[...nulls(values), 'b'], 'exists', true, false],
      [[nulls(values), 'b'], 'exists', true, false],
      [[nulls(1_000_000), nulls(1_000_000)], 'exists', false, true],
    ];
    for (const [i, [v, op, value, wanted]] of rows.entries()) {
      const condition = { field: 'v', op, value };
      expect(evaluateCondition(condition, { v }), `row ${String(i)}`).to.equal(wanted);
      expect(compileCondition(condition)({ v }), `row ${String(i)}, compiled`).to.equal(wanted);
    }
  });
});

describe('templates', () => {
  const fields = { half: 'y'.repeat(filledMax / 2), word: 'x' };

  it('fill in as much as they may, and nothing of what would be more', () => {
    expect(fillTemplate('{{fields.half}}{{fields.half}}{{fields.none}}', { fields })).to.equal(fields.half.repeat(2));
    expect(fillTemplate('{{fields.half}}{{fields.half}}{{fields.word}}', { fields })).to.equal(null);
    expect(fillTemplate({ a: ['{{fields.half}}', '{{fields.half}}'], b: '{{fields.word}}' }, { fields })).to.equal(
      null,
    );
  });

  it('make an error block that says so of a block that would become too large, and no address', () => {
    const block = { type: 'text', title: 'About {{fields.word}}', text: '{{fields.word}}' };
    expect(renderBlock(block, { fields })).to.include({ type: 'text', title: 'About x', text: 'x' });
    expect(renderBlock({ ...block, text: '{{fields.half}}'.repeat(3) }, { fields })).to.deep.equal({
      type: 'error',
      title: 'About x',
      error: 'This block is not valid: more than 65536 characters would be filled in.',
      code: 'app_error',
    });
    const item = { id: 'itm_1', fields: JSON.stringify({ email: 'ana@example.com', half: fields.half }) };
    expect(resolveCustomerAddress('{{item.fields.email}}', item)).to.equal('ana@example.com');
    expect(resolveCustomerAddress(`{{item.fields.email}}${'{{item.fields.half}}'.repeat(3)}`, item)).to.equal(null);
  });
});

describe('the form of conditions', () => {
  const paths = (condition: unknown): string[] => conditionProblems(condition, 'when').map(({ path }) => path);
  const nested = (depth: number): unknown => (depth === 1 ? { field: 'a', op: 'exists' } : { not: nested(depth - 1) });

  it('takes every op with a value of its kind', () => {
    const values: Readonly<Record<string, unknown>> = {
      in: ['a', 1, null],
      nin: [],
      lt: 1,
      lte: 'a',
      gt: 2,
      gte: 3,
      startsWith: 'a',
      endsWith: 'b',
      exists: false,
      matchesSemver: '>=1 <2',
    };
    const checked = compileCheck(conditionSchema);
    for (const op of conditionOps) {
      const condition = { field: 'item.a', op, value: Object.hasOwn(values, op) ? values[op] : 'x' };
      expect(conditionProblems(condition, 'when'), op).to.deep.equal([]);
      expect(checked(condition)).to.equal(condition);
    }
    expect(paths({ field: 'a', op: 'exists' })).to.deep.equal([]);
  });

  it('names every place that is wrong at once', () => {
    const wrong: readonly (readonly [unknown, readonly string[]])[] = [
      [null, ['when']],
      [[], ['when']],
      ['x', ['when']],
      [{}, ['when.field', 'when.op']],
      [{ field: 'a', op: 'like', value: 1 }, ['when.op']],
      [{ field: 'a', op: 'constructor' }, ['when.op']],
      [{ field: '', op: 'eq', value: 1 }, ['when.field']],
      [{ field: 'a..b', op: 'eq', value: 1 }, ['when.field']],
      [{ field: '.a', op: 'eq', value: 1 }, ['when.field']],
      [{ field: 'a', op: 'eq', value: {} }, ['when.value']],
      [{ field: 'a', op: 'eq' }, ['when.value']],
      [{ field: 'a', op: 'in', value: 'x' }, ['when.value']],
      [{ field: 'a', op: 'in', value: [[]] }, ['when.value']],
      [{ field: 'a', op: 'lt', value: true }, ['when.value']],
      [{ field: 'a', op: 'startsWith', value: 1 }, ['when.value']],
      [{ field: 'a', op: 'exists', value: 'yes' }, ['when.value']],
      [{ field: 'a', op: 'matchesSemver', value: 'new' }, ['when.value']],
      [{ field: 'a', op: 'eq', value: 1, more: 2 }, ['when.more']],
      [{ all: [], any: [] }, ['when']],
      [{ all: {} }, ['when']],
      [{ not: [] }, ['when.not']],
      [
        { all: [{ field: 'a', op: 'x' }, { any: [{ not: 7 }, { field: 1, op: 'eq', value: 'v' }] }] },
        ['when.all.0.op', 'when.all.1.any.1.field', 'when.all.1.any.0.not'],
      ],
      [{ field: 'a', op: 'eq', value: 'a\u0000' }, ['when.value']],
    ];
    for (const [condition, wanted] of wrong)
      expect(paths(condition), JSON.stringify(condition)).to.have.members([...wanted]);
  });

  it('stops at 8 levels, 100 conditions and 1,000 values', () => {
    expect(paths(nested(conditionLimits.depth))).to.deep.equal([]);
    expect(conditionProblems(nested(conditionLimits.depth + 1), 'when')[0]?.message).to.include('nested deeper');
    const wide = (count: number): unknown => ({
      any: Array.from({ length: count }, () => ({ field: 'a', op: 'exists' })),
    });
    expect(paths(wide(conditionLimits.nodes - 1))).to.deep.equal([]);
    expect(conditionProblems(wide(conditionLimits.nodes), 'when')[0]?.message).to.include('more than 100');
    expect(conditionProblems(wide(1_000_000), 'when')[0]?.message).to.include('more than 100');
    const values = (count: number): unknown => ({
      field: 'a',
      op: 'in',
      value: Array.from({ length: count }, (_, i) => i),
    });
    expect(paths(values(1000))).to.deep.equal([]);
    expect(paths(values(1001))).to.deep.equal(['when.value']);
    expect(paths({ field: 'a', op: 'contains', value: 'x'.repeat(101) })).to.deep.equal(['when.value']);
    let deep: unknown = {};
    for (let i = 0; i < 50_000; i++) deep = { not: deep };
    expect(paths(deep)).to.have.length(1);
  });

  it('never throws, and what it takes can be evaluated, whatever it is given', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const scalars: readonly unknown[] = [
      0,
      -1,
      1.5,
      '',
      'a',
      '1.2.3',
      '>=1',
      true,
      false,
      null,
      [],
      ['a', 1],
      {},
      { a: 1 },
      'constructor',
      '__proto__',
      'x'.repeat(2000),
    ];
    const scalar = (): unknown => scalars[random(scalars.length)];
    const make = (depth: number): unknown => {
      switch (random(depth > 8 ? 2 : 7)) {
        case 0:
          return {
            field: ['a', 'a.b', '', '__proto__', 7][random(5)],
            op: [...conditionOps, 'constructor', 'nope'][random(conditionOps.length + 2)],
            value: scalar(),
          };
        case 1:
          return scalar();
        case 2:
          return { all: Array.from({ length: random(4) }, () => make(depth + 1)) };
        case 3:
          return { any: Array.from({ length: random(4) }, () => make(depth + 1)) };
        case 4:
          return { not: make(depth + 1) };
        case 5:
          return { all: scalar(), any: scalar() };
        default:
          return { field: 'a', op: 'eq', value: scalar() };
      }
    };
    let taken = 0;
    for (let i = 0; i < 5000; i++) {
      const condition = make(1);
      if (conditionProblems(condition, 'when').length > 0) continue;
      taken += 1;
      expect(evaluateCondition(condition as ConditionExpression, { a: scalar() })).to.be.a('boolean');
    }
    expect(taken).to.be.above(500);
  });
});
