/** JSON Schemas of apps: what of them is refused, and that neither they nor what they check can hold up a process. */
import { expect } from 'chai';
import { readSchemaProblems } from '../../../shared/app/manifest/manifestSchemas.ts';
import { compileAppSchema, compileAppSchemaWithDefaults } from '../../../shared/platform/json/appSchemas.ts';
import { declaredMembers, jsonSchemaProblems, schemaLimits } from '../../../shared/platform/json/jsonSchemaProblems.ts';
import { checkPattern, linearPattern } from '../../../shared/platform/json/linearPattern.ts';

const paths = (schema: unknown): string[] => jsonSchemaProblems(schema, 'input').map(({ path }) => path);

/** Each level applies the next one twice. */
const doubling = (levels: number): object => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, i) => [
      `d${String(i)}`,
      i === levels - 1
        ? { type: 'integer' }
        : { allOf: [{ $ref: `#/$defs/d${String(i + 1)}` }, { $ref: `#/$defs/d${String(i + 1)}` }] },
    ]),
  ),
});

/** What the meta-schema lets through and the compiler doesn't, such as an empty enum, is found when a manifest is taken over. */
const compiled = (schema: object): ReturnType<typeof compileAppSchema> | null => {
  try {
    return compileAppSchema(schema);
  } catch {
    return null;
  }
};

describe('schemas of apps', () => {
  it('are taken with references into themselves, also to what is inside them', () => {
    const tree = {
      type: 'object',
      properties: { value: { $ref: '#/$defs/value' }, left: { $ref: '#' }, right: { $ref: '#' } },
      $defs: { value: { type: 'integer' } },
    };
    expect(paths(tree)).to.deep.equal([]);
    const check = compileAppSchema(tree);
    expect(check({ left: { right: { value: 1 } } }, 'input.')).to.deep.equal([]);
    expect(check({ left: { right: { value: 'x' } } }, 'input.')).to.deep.equal([
      { path: 'input.left.right.value', message: 'must be integer' },
    ]);
    expect(
      paths({ $defs: { 'a/b~c d': { type: 'string' } }, properties: { a: { $ref: '#/$defs/a~1b~0c%20d' } } }),
    ).to.deep.equal([]);
  });

  it('keep apart: each refers to itself, however many were compiled', () => {
    const [a, b] = [
      compileAppSchema({ type: 'object', additionalProperties: { $ref: '#' } }),
      compileAppSchema({ type: 'array', items: { $ref: '#' } }),
    ];
    expect([a({ a: {} }, ''), b([[]], '')]).to.deep.equal([[], []]);
    expect([a({ a: [] }, '').length, b([{}], '').length]).to.deep.equal([1, 1]);
  });

  it('may carry a name, which means nothing', () => {
    const named = {
      $id: 'https://example.com/a',
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
    };
    expect(paths(named)).to.deep.equal([]);
    for (let i = 0; i < 2; i++) expect(compileAppSchema(named)({}, '')).to.deep.equal([]);
  });

  it('are refused where they speak of others, of other dialects, or answer later', () => {
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ properties: { a: { $ref: 'https://example.com/x' } } }, 'input.properties.a.$ref'],
      [{ $ref: '#/$defs/nothing' }, 'input.$ref'],
      [{ $ref: '#/constructor' }, 'input.$ref'],
      [{ $ref: '#%zz' }, 'input.$ref'],
      [{ $ref: 'other#' }, 'input.$ref'],
      [{ items: { $dynamicRef: '#x' } }, 'input.items.$dynamicRef'],
      [{ $async: true }, 'input.$async'],
      [{ properties: { a: { $id: 'x' } } }, 'input.properties.a.$id'],
      [{ $schema: 'http://json-schema.org/draft-07/schema#' }, 'input.$schema'],
      [{ properties: { a: { type: 'strin' } } }, 'input.properties.a.type'],
      [{ required: 'a' }, 'input.required'],
      [{ allOf: [{ $ref: '#' }] }, 'input'],
      [{ $ref: '#' }, 'input'],
      [{ properties: { a: { not: { $ref: '#/properties/a' } } } }, 'input'],
      [[], 'input'],
      [null, 'input'],
      ['x', 'input'],
    ];
    for (const [schema, path] of wrong) expect(paths(schema), JSON.stringify(schema)).to.include(path);
  });

  it('are refused when they are too large, or hold one value against too much', () => {
    expect(paths({ description: 'x'.repeat(70_000) })).to.deep.equal(['input']);
    expect(paths({ anyOf: Array.from({ length: schemaLimits.schemas + 1 }, () => ({})) })).to.deep.equal(['input']);
    expect(paths(doubling(10))).to.deep.equal([]);
    expect(paths(doubling(20))).to.deep.equal(['input']);
    expect(paths(doubling(100))).to.deep.equal(['input']);
  });

  it('take patterns that run in linear time only, and say where another one is', () => {
    const schema = {
      properties: { pattern: { pattern: '(?=a)b' }, ok: { pattern: '^(a+)+$' } },
      patternProperties: { '(x)\\1': {} },
      enum: [{ pattern: '(' }],
    };
    expect(paths(schema)).to.have.members(['input.properties.pattern.pattern', 'input.patternProperties.(x)\\1']);
    for (const pattern of [
      '(?=a)',
      '(?!a)',
      '(?<=a)b',
      '(?<!a)b',
      '(a)\\1',
      '(',
      'a'.repeat(600),
      '(a{1,900}){1,900}',
      'a{500}b{501}',
    ])
      expect(checkPattern(pattern).problem, pattern).to.be.a('string');
    for (const pattern of ['^[A-Z]{2}\\d{4}$', '^[^@\\s]+@[^@\\s]+$', '\\p{L}+', '(?:a|b)*', '^\\S', '(?<year>\\d{4})'])
      expect(checkPattern(pattern).problem, pattern).to.equal(null);
    expect(
      paths({ allOf: Array.from({ length: schemaLimits.patterns + 5 }, () => ({ pattern: 'a' })) }),
    ).to.have.length.above(0);
  });

  it('are refused where the patterns of a manifest are too much together, before the rest is compiled', async () => {
    const large = (n: string) => ({ pattern: `[a-z]{1,900}x${n}` });
    const inputOf = (action: number) => ({
      properties: Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`m${String(n)}`, large(`${String(action)}_${String(n)}`)]),
      ),
    });
    const actions = Array.from({ length: 10 }, (_, n) => ({ name: `a${String(n)}`, input: inputOf(n) }));
    const problems = await readSchemaProblems({ actions });
    expect(problems).to.have.length(1);
    expect(problems[0]?.path).to.match(/^actions\.[1-9]\.input$/);
    expect(problems[0]?.message).to.include('more than 200,000 instructions');
    const usual = {
      properties: { email: { pattern: '^[^@\\s]{1,64}@[^@\\s]{1,200}$' }, id: { pattern: '^ord_[0-9]+$' } },
    };
    const many = Array.from({ length: 200 }, (_, n) => ({ name: `a${String(n)}`, input: usual }));
    expect(await readSchemaProblems({ actions: many })).to.deep.equal([]);
  });

  it('are refused where they, or their patterns, are too many together, by one problem', async () => {
    const list = <T>(length: number, one: (n: number) => T): T[] => Array.from({ length }, (_, n) => one(n));
    const actionsOf = (length: number, input: (n: number) => object) =>
      list(length, (n) => ({ name: `a${String(n)}`, input: input(n) }));
    const members = (length: number, one: (n: number) => object) => ({
      properties: Object.fromEntries(list(length, (n) => [`m${String(n)}`, one(n)])),
    });
    const schemas = actionsOf(200, () => members(200, () => ({})));
    const patterns = actionsOf(200, (action) => members(50, (n) => ({ pattern: `^${String(action)}_${String(n)}$` })));
    const classes = actionsOf(200, (action) =>
      members(2, (n) => ({ pattern: `^(?:\\pLb){300}${String(action)}_${String(n)}$` })),
    );
    for (const [actions, limit] of [
      [schemas, '25,000 schemas'],
      [patterns, '5,000 different patterns'],
      [classes, '200,000 instructions'],
    ] as const) {
      const problems = await readSchemaProblems({ actions });
      expect(problems, limit).to.have.length(1);
      expect(problems[0]?.message).to.include(`more than ${limit}`);
    }
    expect(await readSchemaProblems({ actions: schemas.slice(0, 100) })).to.deep.equal([]);
    expect(await readSchemaProblems({ actions: actionsOf(1_000, () => members(20, () => ({}))) })).to.deep.equal([]);
  });

  it('give way to other work after each pattern, and are given up when nobody waits for them', async () => {
    const input = {
      properties: Object.fromEntries(
        Array.from({ length: 40 }, (_, n) => [`m${String(n)}`, { pattern: `^way${String(n)}$` }]),
      ),
    };
    let [turns, isOver] = [0, false];
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await readSchemaProblems({ actions: [{ name: 'a', input }] })).to.deep.equal([]);
    isOver = true;
    expect(turns).to.be.at.least(40);

    const gone = new AbortController();
    setImmediate(() => {
      gone.abort(new Error('gone'));
    });
    const given = await readSchemaProblems({ actions: [{ name: 'a', input }] }, gone.signal).catch(String);
    expect(given).to.equal('Error: gone');
  });

  it('count the names that others require, and what the older dependencies contain', () => {
    const names = Array.from({ length: 250 }, (_, n) => `n${String(n)}`);
    expect(paths({ dependentRequired: { a: names.slice(0, 200) } })).to.deep.equal([]);
    expect(paths({ dependentRequired: { a: names } })).to.deep.equal(['input']);
    expect(paths({ dependentRequired: Object.fromEntries(names.map((name) => [name, []])) })).to.deep.equal(['input']);
    expect(paths({ dependencies: { a: names } })).to.deep.equal(['input']);
    expect(paths({ dependencies: { a: { pattern: '(?=a)' } } })).to.deep.equal(['input.dependencies.a.pattern']);
  });

  it('have no pattern that is megabytes when its repetitions are written out, however it is grouped', () => {
    const long = '.?'.repeat(200);
    for (const pattern of [
      `(?:${long}){990}`,
      `(?:(?:${long}){10}){99}`,
      `(?<name>${long}){990}`,
      `(?:\\)${long}){1,990}`,
      `(?:[)]${long}){1,990}`,
    ])
      expect(checkPattern(pattern), pattern).to.deep.equal({ problem: 'is too complex', size: 0 });
    for (const pattern of ['^(?:[a-z]{1,30} ?){1,30}$', "^[\\p{L} '-]{1,100}$", '^(?:[(){}]|\\(|\\{3}){1,500}$'])
      expect(checkPattern(pattern).problem, pattern).to.equal(null);
  });

  it('run what makes other engines hang', () => {
    const [fits, fails] = ['a'.repeat(30_000), `${'a'.repeat(30_000)}!`];
    // The engine alone first: a check is stopped by the processor time of all threads, of which compiling it takes much.
    const { test } = linearPattern('^(a+)+$');
    expect([test(fits), test(fails)]).to.deep.equal([true, false]);
    const check = compileAppSchema({ type: 'string', pattern: '^(a+)+$' });
    expect(check(fails, 'input.').map(({ message }) => message)).to.deep.equal(['must match pattern "^(a+)+$"']);
    expect(check(fits, 'input.')).to.deep.equal([]);
  });

  it('keep patterns apart', () => {
    const check = compileAppSchema({
      properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' }, c: { pattern: '^a$' } },
      patternProperties: { '^x': { type: 'integer' } },
    });
    expect(check({ a: 'a', b: 'b', c: 'a', x: 1 }, '')).to.deep.equal([]);
    expect(check({ a: 'b', b: 'a', c: 'b', x: 'x' }, '').map(({ path }) => path)).to.have.members(['a', 'b', 'c', 'x']);
  });

  it('are given up when a long list in the schema is held against each part of a small value', () => {
    const lists = {
      required: [{ required: Array.from({ length: 11_000 }, (_, i) => i.toString(36)) }, {}],
      enum: [{ enum: Array.from({ length: 20_000 }, () => ({})) }, { a: 0 }],
    };
    for (const [keyword, [items, element]] of Object.entries(lists)) {
      const schema = { properties: { l: { items } } };
      expect(paths(schema), keyword).to.deep.equal([]);
      const found = compileAppSchema(schema)({ l: Array.from({ length: 1_990 }, () => element) }, 'input.');
      expect(found, keyword).to.deep.equal([{ path: 'input', message: 'takes too long to check' }]);
    }
  });

  it('name no more than fifty values of a list, and how many others there are', () => {
    const values = Array.from({ length: 3_000 }, (_, i) => i);
    const [first] = compileAppSchema({ enum: values })('x', 'input.');
    expect(first?.message).to.equal(`must be one of ${values.slice(0, 50).join(', ')} and 2950 more`);
  });

  it('are given up when checking one value takes too long, in depth and in width', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 30; i++) deep = [deep];
    const exponential = { allOf: [{ items: { $ref: '#' } }, { items: { $ref: '#' } }] };
    expect(paths(exponential)).to.deep.equal([]);
    expect(compileAppSchema(exponential)(deep, 'input.')).to.deep.equal([
      { path: 'input', message: 'takes too long to check' },
    ]);
    expect(
      compileAppSchema({ uniqueItems: true })(
        Array.from({ length: 60_000 }, (_, i) => ({ i })),
        'input.',
      ),
    ).to.deep.equal([{ path: 'input', message: 'takes too long to check' }]);
    expect(compileAppSchema({ allOf: [{ $ref: '#' }] })(1, 'input.')).to.deep.equal([
      { path: 'input', message: 'is too large to check' },
    ]);
  });

  it('fill their defaults in, but not without end', () => {
    const value = {};
    expect(compileAppSchemaWithDefaults({ properties: { a: { default: 3 } } })(value, 'input.')).to.deep.equal([]);
    expect(value).to.deep.equal({ a: 3 });
    const large = { properties: { list: { items: { properties: { a: { default: 'x'.repeat(20_000) } } } } } };
    expect(
      compileAppSchemaWithDefaults(large)({ list: Array.from({ length: 1000 }, () => ({})) }, 'input.'),
    ).to.deep.equal([{ path: 'input', message: 'is too large with its defaults' }]);
  });

  it('never throw when they check, whatever they are', () => {
    let seed = 11;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const words = [
      'type',
      'properties',
      'items',
      'allOf',
      '$ref',
      'pattern',
      'enum',
      'not',
      '$defs',
      'const',
      'required',
      'default',
      'if',
      'then',
      'prefixItems',
      'dependentSchemas',
      'patternProperties',
      'unevaluatedProperties',
      'format',
      '$anchor',
      'constructor',
    ];
    const values: readonly unknown[] = [
      'object',
      'string',
      '#',
      '#/$defs/a',
      '(',
      'a+',
      3,
      -1,
      true,
      null,
      [],
      {},
      ['a'],
      'email',
      'x',
    ];
    const make = (depth: number): unknown => {
      if (depth > 4 || random(3) === 0) return values[random(values.length)];
      if (random(4) === 0) return Array.from({ length: random(3) }, () => make(depth + 1));
      return Object.fromEntries(
        Array.from({ length: random(4) }, () => [words[random(words.length)], make(depth + 1)]),
      );
    };
    let taken = 0;
    for (let i = 0; i < 3000; i++) {
      const schema = make(0);
      if (jsonSchemaProblems(schema, 'input').length > 0) continue;
      taken += 1;
      const check = compiled(schema as object);
      if (check === null) continue;
      for (const value of [null, 1, 'a', [], {}, { a: [1, { a: 'x' }] }])
        expect(check(value, 'input.')).to.be.an('array');
    }
    expect(taken).to.be.above(100);
  });

  it('declare the members that they name for one value, wherever they name them', () => {
    const named = (name: string): object => ({ properties: { [name]: { properties: { inner: {} } } } });
    const schema = {
      properties: { second: {}, first: {} },
      $ref: '#/$defs/more',
      allOf: [named('all'), { $ref: '#' }],
      anyOf: [{ anyOf: [named('any')] }],
      oneOf: [named('one')],
      if: named('if'),
      then: named('then'),
      else: named('else'),
      dependentSchemas: { first: named('dependent') },
      $defs: { more: named('more'), unused: named('unused') },
    };
    const names = declaredMembers(schema);
    expect(names.slice(0, 2)).to.deep.equal(['second', 'first']);
    expect(names.slice(2).sort()).to.deep.equal(['all', 'any', 'dependent', 'else', 'if', 'more', 'one', 'then']);
    expect(declaredMembers({ type: 'object' })).to.deep.equal([]);
  });
});
