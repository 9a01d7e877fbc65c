/** Values made from JSON schemas: valid ones of what is there, and what has broken something somewhere. Used by requests.ts. */
import fc, { type Arbitrary } from 'fast-check';

export type Schema = Readonly<Record<string, unknown>>;

/** Texts that have broken something somewhere. */
export const nasty = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  '%',
  '%ZZ',
  "'",
  '"',
  '\\',
  '..',
  '../..',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e400',
  '9223372036854775808',
  '\u202e',
  '\ufeff',
  '😀',
  'ä'.repeat(600),
  'a'.repeat(5_000),
  '\r\nx: y',
  '${7*7}',
  '{{item.id}}',
  '<script>',
  "'; drop table items; --",
  'İ',
  'ß',
  '\u0301',
  'open,closed',
  ',',
  '*',
  'none',
  'me',
];
const numbers = [
  0,
  -1,
  1,
  1.5,
  200,
  201,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  8.64e15,
  8.64e15 + 1,
  1e300,
  1e-300,
  -0,
  Date.now() + 1e6,
];

export const garbage: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...nasty, ...numbers, null, true, false),
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'id', 'type', '$ne', 'a'), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 3,
  }),
);

/** Names and ids that exist, so that most requests find something. */
export interface KnownValues {
  /** What members and parameters of a name usually hold, or nearly nothing would be found, allowed and done. */
  readonly usual: Readonly<Record<string, readonly unknown[]>>;
  readonly words: readonly string[];
  readonly ids: readonly string[];
}

interface Values {
  /** Values of a schema; names and ids are mostly ones that are there, as others only ever find nothing. */
  valid(schema: Schema, named?: string): Arbitrary<unknown>;
  /** A valid value, or one with something in it replaced, added or left out. */
  mutated(schema: Schema, named?: string): Arbitrary<unknown>;
}

/** Returns the values of schemas that are made of what is there. */
export const createValues = ({ usual, words, ids }: KnownValues): Values => {
  const valid = (schema: Schema, named = ''): Arbitrary<unknown> => {
    const known = usual[named];
    if (known !== undefined)
      return fc.oneof(
        { arbitrary: fc.constantFrom(...known), weight: 9 },
        { arbitrary: shaped(schema, named), weight: 1 },
      );
    return shaped(schema, named);
  };

  const shaped = (schema: Schema, named: string): Arbitrary<unknown> => {
    if ('const' in schema) return fc.constant(schema['const']);
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
    const union = schema['anyOf'];
    if (Array.isArray(union)) return fc.oneof(...(union as Schema[]).map((inner) => valid(inner)));
    if (Array.isArray(schema['type']))
      return fc.oneof(...(schema['type'] as string[]).map((type) => shaped({ ...schema, type }, named)));
    switch (schema['type']) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
      case 'number': {
        const [min, max] = [Number(schema['minimum'] ?? 0), Number(schema['maximum'] ?? Number.MAX_SAFE_INTEGER)];
        return fc.oneof(
          fc.integer({ min: Math.max(min, -1_000), max: Math.min(max, min + 1_000) }),
          fc.constantFrom(min, max, Math.min(max, Date.now() + 86_400_000)),
        );
      }
      case 'array':
        return fc.array(valid((schema['items'] ?? {}) as Schema, `${named}[]`), {
          minLength: Number(schema['minItems'] ?? 0),
          maxLength: Math.min(5, Number(schema['maxItems'] ?? 5)),
        });
      case 'object': {
        const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>);
        if (properties.length === 0)
          return fc.oneof(
            { arbitrary: fc.constant({}), weight: 2 },
            {
              arbitrary: fc.dictionary(fc.string({ minLength: 1, maxLength: 20 }), fc.jsonValue({ maxDepth: 2 }), {
                maxKeys: 4,
              }),
              weight: 1,
            },
          );
        const required = (schema['required'] ?? []) as string[];
        const members = properties.map(([name, inner]) => [name, valid(inner, name)] as const);
        const bare = members.filter(([name]) => required.includes(name));
        return fc.oneof(
          fc.record(Object.fromEntries(members), { requiredKeys: required }),
          fc.record(Object.fromEntries(bare.length === 0 ? members : bare)),
        );
      }
      default:
        return text(schema);
    }
  };

  const text = (schema: Schema): Arbitrary<string> => {
    const known = fc.constantFrom(...words, ...ids);
    const any = fc.string({
      unit: 'grapheme',
      minLength: Number(schema['minLength'] ?? 0),
      maxLength: Math.min(60, Number(schema['maxLength'] ?? 60)),
    });
    return fc.oneof({ arbitrary: known, weight: 3 }, { arbitrary: any, weight: 1 });
  };

  const mutated = (schema: Schema, named = ''): Arbitrary<unknown> =>
    fc
      .tuple(valid(schema, named), fc.nat({ max: 9 }), garbage, fc.string({ maxLength: 10 }))
      .map(([value, turn, wrong, name]) => {
        if (turn < 4) return value;
        if (turn === 4 || typeof value !== 'object' || value === null || Array.isArray(value))
          return turn > 7 ? value : wrong;
        const entries = Object.entries(value);
        const place = entries[turn % Math.max(1, entries.length)]?.[0] ?? name;
        if (turn === 5) return Object.fromEntries(entries.filter(([key]) => key !== place));
        if (turn === 6) return { ...value, [name]: wrong };
        return { ...value, [place]: wrong };
      });
  return { valid, mutated };
};
