/** Limits of inputs over any declarations: nothing that a limit once refused is taken before a person accepts, and what would be taken is reported. */
import { expect } from 'chai';
import fc from 'fast-check';
import { compileAction } from '../../../shared/app/manifest/actions.ts';
import type { ManifestAction } from '../../../shared/app/manifest/manifest.ts';
import { keepInputLimits } from '../../../shared/app/manifest/rules/inputLimits.ts';
import { collectInputLimits, withoutFreeTypes } from '../../../shared/app/manifest/rules/inputWalk.ts';
import { compareRule, firstRule, type Loosened } from '../../../shared/app/manifest/rules/rules.ts';
import { compileAppSchema } from '../../../shared/platform/json/appSchemas.ts';

type Schema = Readonly<Record<string, unknown>>;

const texts = ['', 'a', 'ab', 'abc', 'b', 'longer text'];
const numbers = [-2, 0, 0.5, 1, 2, 3, 10];
const names = ['a', 'b', 'c'];
const few = <T>(pool: readonly T[]) => fc.subarray([...pool], { minLength: 1, maxLength: 3 });

const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...texts, ...numbers, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const input = fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3, noNullPrototype: true });

const bounds: fc.Arbitrary<Schema> = fc.record(
  {
    enum: few([...texts, ...numbers]),
    const: fc.constantFrom(...texts, ...numbers),
    maximum: fc.constantFrom(...numbers),
    exclusiveMaximum: fc.constantFrom(...numbers),
    minimum: fc.constantFrom(...numbers),
    exclusiveMinimum: fc.constantFrom(...numbers),
    maxLength: fc.constantFrom(0, 1, 2, 5),
    maxItems: fc.constantFrom(0, 1, 2),
    pattern: fc.constantFrom('^a', 'b$', '^.?$'),
  },
  { requiredKeys: [] },
);

/** Whether there is a limit that needs the type which stands beside it. */
const isBinding = (schema: Schema): boolean =>
  /"(?:exclusiveM(?:ax|in)imum|maximum|minimum|max(?:Length|Items)|pattern)":/.test(JSON.stringify(schema));
const type = few(['null', 'boolean', 'object', 'array', 'number', 'string', 'integer']).map((types) =>
  types.length === 1 ? types[0] : types,
);
/** Limits, with the type that they need now and then. */
const limits = fc.tuple(bounds, fc.option(type)).map(([{ enum: listed, const: only, ...rest }, typed]): Schema => {
  if (typed !== null && isBinding(rest)) return { type: typed, ...rest };
  return { ...(listed === undefined ? {} : { enum: listed }), ...(only === undefined ? {} : { const: only }), ...rest };
});
/** The type of what has limits inside. */
const typedOutside = (schema: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> =>
  fc
    .tuple(schema, fc.option(type))
    .map(([inner, typed]) => (typed !== null && isBinding(inner) ? { type: typed, ...inner } : inner));

/** Schemas of nothing but limits and of what leads to them. */
const schemas = fc.letrec<{ schema: Schema; inner: Schema; properties: Schema }>((tie) => ({
  properties: fc.dictionary(fc.constantFrom(...names), tie('inner'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  inner: fc.oneof({ weight: 3, arbitrary: limits }, { weight: 2, arbitrary: tie('schema') }),
  schema: fc.oneof(
    { maxDepth: 2 },
    limits,
    typedOutside(fc.record({ properties: tie('properties') })),
    typedOutside(fc.record({ items: tie('inner') })),
    fc.record({ prefixItems: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }), items: tie('inner') }),
    fc.record({ allOf: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ anyOf: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ oneOf: fc.array(tie('inner'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: tie('inner') }),
    fc.record({ if: tie('inner'), then: tie('inner'), else: tie('inner') }),
    fc.record({ contains: tie('inner') }),
    fc.record({ propertyNames: limits }),
    fc.record({
      patternProperties: fc.dictionary(fc.constantFrom('^a', '^[bc]'), tie('inner'), {
        minKeys: 1,
        noNullPrototype: true,
      }),
    }),
    fc.record({ properties: tie('properties'), additionalProperties: tie('inner') }),
    fc.record({ dependentSchemas: tie('properties') }),
    fc.record({ $ref: fc.constantFrom('#/$defs/one', '#/$defs/two') }),
  ),
}));

/** Whether an object can be of the types that a schema requires of the value itself. Inputs are objects, of whatever type they are declared. */
const admitsObjects = (schema: Schema, defs: Schema): boolean => {
  const { type: own, allOf, $ref: ref } = schema as { type?: unknown; allOf?: Schema[]; $ref?: string };
  return (
    (own === undefined || own === 'object' || (Array.isArray(own) && own.includes('object'))) &&
    (allOf ?? []).every((inner) => admitsObjects(inner, defs)) &&
    (ref === undefined || admitsObjects(defs[ref.slice('#/$defs/'.length)] as Schema, defs))
  );
};

/** An input: the definitions refer to nothing, one to itself now and then. */
const inputSchema: fc.Arbitrary<Schema> = fc
  .record({
    type: fc.constant('object'),
    $defs: fc.record({
      one: limits,
      two: fc.oneof(
        { weight: 9, arbitrary: limits },
        { weight: 1, arbitrary: fc.constant({ properties: { a: { $ref: '#/$defs/two' } }, maximum: 3 }) },
      ),
    }),
    properties: schemas.properties,
    allOf: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.tuple(schemas.schema) }),
  })
  .map(({ allOf, ...schema }) => (allOf.length === 0 ? schema : { ...schema, allOf }))
  // As manifests are read: an object without a prototype equals no other one.
  .map((schema) => JSON.parse(JSON.stringify(schema)) as Schema)
  .filter((schema) => admitsObjects(schema, schema['$defs'] as Schema));

/** Now and then a later declaration lists less, or closes the input. */
const laterSchema: fc.Arbitrary<Schema> = fc.oneof(
  { weight: 4, arbitrary: inputSchema },
  { weight: 1, arbitrary: inputSchema.map((schema) => ({ ...schema, additionalProperties: false })) },
  { weight: 1, arbitrary: fc.constant({ type: 'object' }) },
);

/** A change of one schema instead of two that have nothing in common. */
const nextOf = (schema: Schema): fc.Arbitrary<Schema> =>
  fc.oneof(
    laterSchema,
    fc.tuple(inputSchema, fc.constantFrom(...names)).map(([other, name]) => ({
      ...schema,
      properties: { ...(schema['properties'] as Schema), [name]: (other['properties'] as Schema)[name] ?? true },
    })),
    inputSchema.map((other) => ({ ...schema, $defs: other['$defs'] })),
  );

/** Checks of a value, of which each may be given up where other processes take the processor meanwhile. */
const triesMax = 20;

/** Returns whether a schema takes a value, by the first check that was not given up: one that was says nothing of limits. */
const accepts = (schema: object): ((given: unknown) => boolean) => {
  const problems = compileAppSchema(schema);
  return (given) => {
    for (let tries = 0; tries < triesMax; tries++) {
      const found = problems(given, '');
      if (!found.some(({ message }) => message === 'takes too long to check')) return found.length === 0;
    }
    throw new Error(`No check of ${JSON.stringify(given)} ends in time.`);
  };
};
/** Returns the declaration's limits without those that wait for a person: in place of these an older one is in force. */
const limitsInForce = (schema: Schema, loosened: readonly Loosened[]): Schema => {
  const waiting = new Set(loosened.map(({ member }) => member.replace(/^input\.?/, '')));
  const limits = Object.entries(withoutFreeTypes(collectInputLimits(schema))).filter(([path]) => !waiting.has(path));
  return { ...keepInputLimits({ type: 'object' }, Object.fromEntries(limits)) };
};
const action = (schema: object): ManifestAction => ({ name: 'refund', approval: true, input: schema });

/** A schema takes some milliseconds to compile. */
const runs = Number(process.env['LIMIT_RUNS'] ?? 60);

describe('limits of inputs', function () {
  this.timeout(180_000 + runs * 200);

  it('are reported as loosened whenever a value is taken that they refused', () => {
    fc.assert(
      fc.property(
        inputSchema.chain((before) => fc.tuple(fc.constant(before), nextOf(before))),
        fc.array(input, { minLength: 20, maxLength: 20 }),
        ([before, after], values) => {
          const [took, takes] = [accepts(before), accepts(after)];
          const taken = values.find((one) => takes(one) && !took(one));
          if (taken === undefined) return;
          const { loosened } = compareRule('action', action(after), firstRule('action', action(before)));
          expect(loosened, `takes ${JSON.stringify(taken)}`).not.to.deep.equal([]);
        },
      ),
      { numRuns: runs },
    );
  });

  /** A closed object lacks `c`, which an `allOf` beside it limits. */
  const limitedBesideClosed = [
    { type: 'object', $defs: {}, properties: { c: { type: 'number', pattern: '^a' } } },
    [
      {
        type: 'object',
        $defs: {},
        properties: { a: {} },
        allOf: [{ properties: { c: { type: 'array', maxItems: 0 } }, additionalProperties: {} }],
        additionalProperties: false,
      },
      { type: 'object', $defs: {}, properties: { a: {} } },
    ],
    [{ c: 2 }],
  ] satisfies [Schema, Schema[], unknown[]];

  it('stay in force over any sequence of declarations', () => {
    fc.assert(
      fc.property(
        inputSchema,
        fc.array(laterSchema, { minLength: 1, maxLength: 3 }),
        fc.array(input, { minLength: 20, maxLength: 20 }),
        (first, others, values) => {
          let rule = firstRule('action', action(first));
          const refusing = [accepts(first)];
          for (const schema of others) {
            const compared = compareRule('action', action(schema), rule);
            ({ rule } = compared);
            expect(compareRule('action', action(schema), rule).rule, 'the same declared again').to.deep.equal(rule);
            const inForce = accepts(compileAction(action(schema), rule).input);
            const taken = values.find((one) => inForce(one) && !refusing.every((took) => took(one)));
            expect(taken, 'refused before').to.equal(undefined);
            refusing.push(accepts(limitsInForce(schema, compared.loosened)));
          }
        },
      ),
      { numRuns: runs, examples: [limitedBesideClosed] },
    );
  });

  it('loosen nothing when the same is declared again', () => {
    fc.assert(
      fc.property(inputSchema, (schema) => {
        const rule = firstRule('action', action(schema));
        const again = compareRule('action', action(structuredClone(schema)), rule);
        expect(again.loosened).to.deep.equal([]);
        expect(again.rule).to.deep.equal(rule);
        expect(compileAction(action(schema), rule).input).to.equal(schema);
      }),
      { numRuns: runs },
    );
  });
});
