/** Where an input takes less than before: each place is told, nothing is told where nothing narrows, and the work is bounded. */
import { expect } from 'chai';
import fc from 'fast-check';
import { findNarrowings } from '../../../shared/app/manifest/rules/narrowing.ts';
import { Budget, TooLargeError } from '../../../shared/app/manifest/rules/places.ts';

type Schema = Readonly<Record<string, unknown>>;

const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });
const closed = (properties: Schema, more: Schema = {}): Schema =>
  object(properties, { additionalProperties: false, ...more });
const narrowed = (before: object, after: object) => findNarrowings(before, after, new Budget());
/** What becomes of a property `a`. */
const told = (before: unknown, after: unknown) => narrowed(object({ a: before }), object({ a: after }));
const limited = (keyword: string, value: unknown, path = 'a') => [
  { path, what: 'limits', limits: [{ keyword, value }] },
];
const [text, number, integer] = [{ type: 'string' }, { type: 'number' }, { type: 'integer' }];

describe('narrowed inputs', () => {
  it('are told where a member is newly required, or refused', () => {
    const amount = { amount: number };
    expect(narrowed(closed(amount), closed({ ...amount, ticket: text }, { required: ['ticket'] }))).to.deep.equal([
      { path: 'ticket', what: 'required' },
    ]);
    expect(narrowed(closed(amount), closed({ cents: integer }))).to.deep.equal([{ path: 'amount', what: 'refused' }]);
    expect(narrowed(object(amount), closed(amount))).to.deep.equal([{ path: '', what: 'closed' }]);
    expect(narrowed({ properties: { a: {} } }, { properties: { a: false } })).to.deep.equal([
      { path: 'a', what: 'refused' },
    ]);
    const line = (required: readonly string[]) =>
      object(
        { lines: { type: 'array', items: { $ref: '#/$defs/line' } } },
        { $defs: { line: object({}, { required }) } },
      );
    expect(narrowed(line([]), line(['sku']))).to.deep.equal([{ path: 'lines[].sku', what: 'required' }]);
  });

  it('are told where the type changes', () => {
    expect(told(number, text)).to.deep.equal([{ path: 'a', what: 'type', from: ['number'], to: ['string'] }]);
    expect(told(number, integer)).to.deep.equal([{ path: 'a', what: 'type', from: ['number'], to: ['integer'] }]);
    expect(told({ type: ['string', 'null'] }, text)).to.deep.equal([
      { path: 'a', what: 'type', from: ['null'], to: ['string'] },
    ]);
    expect(told({ anyOf: [text, { type: 'null' }] }, text)).to.have.length(1);
  });

  it('are told where a limit is new or stricter', () => {
    const changes: readonly (readonly [Schema, Schema, string, unknown])[] = [
      [number, { ...number, maximum: 5 }, 'maximum', 5],
      [{ ...number, minimum: 1 }, { ...number, minimum: 2 }, 'minimum', 2],
      [{ ...text, maxLength: 9 }, { ...text, maxLength: 8 }, 'maxLength', 8],
      [text, { ...text, minLength: 1 }, 'minLength', 1],
      [text, { ...text, pattern: '^a' }, 'pattern', '^a'],
      [text, { ...text, format: 'email' }, 'format', 'email'],
      [{ type: 'array' }, { type: 'array', minItems: 1 }, 'minItems', 1],
      [text, { enum: ['x'] }, 'enum', ['x']],
      [{ enum: ['x', 'y'] }, { const: 'x' }, 'const', 'x'],
      [{ enum: ['x', 'y'] }, { oneOf: [{ const: 'x' }, { const: 'z' }] }, 'enum', ['x', 'z']],
    ];
    for (const [before, after, keyword, value] of changes)
      expect(told(before, after), JSON.stringify(after)).to.deep.equal(limited(keyword, value));
    const items = { type: 'array', items: text };
    expect(told(items, { ...items, items: { ...text, maxLength: 2 } })).to.deep.equal(limited('maxLength', 2, 'a[]'));
  });

  it('are not told where as much is taken in another form', () => {
    const changes: readonly (readonly [unknown, unknown])[] = [
      [integer, number],
      [
        { ...integer, exclusiveMaximum: 10 },
        { ...integer, maximum: 9 },
      ],
      [
        { ...integer, minimum: 1 },
        { ...integer, exclusiveMinimum: 0 },
      ],
      [
        { ...text, maxLength: 5 },
        { ...text, maxLength: 6, minLength: 0 },
      ],
      [{ type: ['string', 'null'] }, { anyOf: [{ type: 'null' }, text] }],
      [{ anyOf: [{ ...integer, maximum: 9 }, { type: 'null' }] }, { type: ['integer', 'null'], maximum: 9 }],
      [{ enum: ['x', 'y'] }, { oneOf: [{ const: 'y' }, { const: 'x' }, { const: 'z' }] }],
      [{ enum: ['x', null] }, { type: ['string', 'null'], maxLength: 9 }],
      [{ type: 'boolean' }, { enum: [false, true] }],
      [text, { type: ['string', 'number'], maximum: 5 }],
      [{ allOf: [text, { maxLength: 5 }] }, { ...text, maxLength: 5 }],
      [
        { not: { const: 5 }, type: 'number', maximum: 4 },
        { ...number, maximum: 4 },
      ],
      [{ type: 'object', unevaluatedProperties: false }, closed({})],
    ];
    for (const [before, after] of changes) expect(told(before, after), JSON.stringify(after)).to.deep.equal([]);
    const properties = { a: { ...integer, default: 1 }, b: text };
    expect(narrowed(closed({ b: text }), closed(properties, { required: ['a'] }))).to.deep.equal([]);
    expect(narrowed(object({ b: text }), object(properties))).to.deep.equal([]);
    const tree = (size: number) => object({ name: { ...text, maxLength: size }, child: { $ref: '#' } });
    expect(narrowed(tree(5), tree(6))).to.deep.equal([]);
    expect(narrowed(tree(6), tree(5)).map(({ path }) => path)).to.deep.equal(['name', 'child.name']);
  });

  it('are not told of any schema that loses nothing but limits', () => {
    const keyword = fc.record(
      {
        type: fc.constantFrom('string', 'number', ['integer', 'null'], ['object', 'array']),
        enum: fc.constantFrom(['x'], [1, 2], [null, 'x']),
        maximum: fc.integer({ min: 0, max: 9 }),
        exclusiveMinimum: fc.integer({ min: 0, max: 9 }),
        minLength: fc.integer({ min: 0, max: 3 }),
        pattern: fc.constant('^a'),
        required: fc.subarray(['p', 'q']),
        additionalProperties: fc.constant(false),
        anyOf: fc.constantFrom([{ type: 'string' }, { maximum: 5 }], [{ const: 'x' }, { const: 1 }]),
      },
      { requiredKeys: [] },
    );
    const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
      schema: fc
        .tuple(keyword, fc.option(fc.tuple(tie('schema'), tie('schema')), { maxDepth: 2, nil: null }))
        .map(([own, inner]) => (inner === null ? own : { ...own, properties: { p: inner[0] }, items: inner[1] })),
    }));
    const loosen = (from: Schema, lost: ReadonlySet<string>): Schema =>
      Object.fromEntries(
        Object.entries(from).flatMap(([key, value]) => {
          if (lost.has(key)) return [];
          if (key === 'items') return [[key, loosen(value as Schema, lost)]];
          return [[key, key === 'properties' ? { p: loosen((value as { p: Schema }).p, lost) } : value]];
        }),
      );
    const limits = [
      'type',
      'enum',
      'maximum',
      'exclusiveMinimum',
      'minLength',
      'pattern',
      'required',
      'additionalProperties',
    ];
    fc.assert(
      fc.property(schema, fc.subarray([...limits, 'anyOf']), (from, lost) => {
        expect(narrowed({ properties: { a: from } }, { properties: { a: loosen(from, new Set(lost)) } })).to.deep.equal(
          [],
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('are looked for within a budget, whatever references lead to', () => {
    const listed = (from: number) => ({ enum: Array.from({ length: 9_000 }, (_, n) => n + from) });
    expect(told(listed(0), listed(1))).to.have.length(1);
    const names = Array.from({ length: 200 }, (_, n) => `p${String(n)}`);
    const wide = (from: number) =>
      object(Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/listed' }])), {
        $defs: { listed: listed(from) },
      });
    expect(() => narrowed(wide(0), wide(1))).to.throw(TooLargeError);
  });
});
