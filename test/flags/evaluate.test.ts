/** The evaluator: the published vectors, and what holds for every flag, record id and condition. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { createBucketer } from '../../shared/flags/bucket.ts';
import { compileCondition, compileFlag, type EvaluationContext, type FlagState } from '../../shared/flags/evaluate.ts';
import {
  conditionOps,
  evaluateCondition,
  type ConditionExpression,
} from '../../shared/platform/conditions/conditions.ts';

interface Vectors {
  readonly places: readonly { readonly flag: string; readonly id: string; readonly place: number }[];
  readonly evaluations: readonly {
    readonly about: string;
    readonly flag: FlagState;
    readonly results: readonly {
      readonly context: EvaluationContext;
      readonly value?: unknown;
      readonly reason?: string;
      readonly error?: string;
    }[];
  }[];
}

const vectors = JSON.parse(readFileSync(new URL('../../docs/flag-vectors.json', import.meta.url), 'utf8')) as Vectors;
const plain: FlagState = { flag: 'some_flag', kind: 'boolean', value: false, rollout: null, targets: {}, rules: [] };

/** MurmurHash3 as its reference has it, on bytes and with whole numbers. */
const reference = (text: string): number => {
  const bytes = Buffer.from(text, 'utf8');
  const low = (n: bigint): bigint => n & 0xffffffffn;
  const turn = (n: bigint, by: bigint): bigint => low((n << by) | (n >> (32n - by)));
  const mixed = (k: bigint): bigint => low(turn(low(k * 0xcc9e2d51n), 15n) * 0x1b873593n);
  let h = 0n;
  const whole = bytes.length - (bytes.length % 4);
  for (let i = 0; i < whole; i += 4) h = low(turn(h ^ mixed(BigInt(bytes.readUInt32LE(i))), 13n) * 5n + 0xe6546b64n);
  let k = 0n;
  for (let i = bytes.length - 1; i >= whole; i--) k = (k << 8n) | BigInt(bytes[i] ?? 0);
  h ^= mixed(k) ^ BigInt(bytes.length);
  h = low((h ^ (h >> 16n)) * 0x85ebca6bn);
  h = low((h ^ (h >> 13n)) * 0xc2b2ae35n);
  return Number((h ^ (h >> 16n)) % 100_000n);
};

describe('evaluating flags', () => {
  describe('answers as docs/flag-vectors.json says', () => {
    for (const { flag, id, place } of vectors.places) {
      it(`the place of ${JSON.stringify(id.slice(0, 20))} for ${flag}`, () => {
        expect(createBucketer(flag)(id)).to.equal(place);
      });
    }
    for (const { about, flag, results } of vectors.evaluations) {
      it(`${flag.flag}: ${about}`, () => {
        const evaluate = compileFlag(flag);
        for (const { context, value, reason, error } of results) {
          const decided = evaluate(context);
          if (error === undefined)
            expect(decided, JSON.stringify(context)).to.deep.include({ value, reason, keyMissing: false });
          else expect(decided, JSON.stringify(context)).to.deep.include({ keyMissing: true, reason: 'ERROR' });
        }
      });
    }
  });

  it('places every record id where MurmurHash3 says', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z][A-Za-z0-9_.-]{0,30}$/),
        fc.string({ unit: 'binary', maxLength: 60 }),
        (flag, id) => {
          expect(createBucketer(flag)(id)).to.equal(reference(`${flag}:${id}`));
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('only ever adds record ids when a rollout is raised, and takes close to its share', () => {
    const ids = Array.from({ length: 20_000 }, (_, i) => `cus_${String(i)}`);
    let before = new Set<string>();
    for (const rollout of [0, 0.001, 1, 10.5, 33.333, 50, 99.999, 100]) {
      const evaluate = compileFlag({ ...plain, rollout });
      const now = new Set(ids.filter((targetingKey) => evaluate({ targetingKey }).value === true));
      expect([...before].every((id) => now.has(id))).to.equal(true);
      expect(Math.abs(now.size / ids.length - rollout / 100)).to.be.below(0.012);
      before = now;
    }
  });

  it('decides conditions as the service does everywhere else', () => {
    const field = fc.constantFrom(
      'plan',
      'account.plan',
      'account.tags',
      'age',
      'nothing',
      'constructor',
      '__proto__',
      'account.',
      'list.0',
    );
    const scalar = fc.oneof(
      fc.constantFrom<unknown>('team', 'pro', 't', '', 5, 18, true, false, null),
      fc.constantFrom('>=1.2', '1.2.3'),
    );
    const comparison = fc.record({
      field,
      op: fc.constantFrom(...conditionOps, 'matches'),
      value: fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })),
    });
    const { condition } = fc.letrec<{ condition: ConditionExpression }>((tie) => ({
      condition: fc.oneof(
        { maxDepth: 4 },
        comparison,
        fc.record({ all: fc.array(tie('condition'), { maxLength: 3 }) }),
        fc.record({ any: fc.array(tie('condition'), { maxLength: 3 }) }),
        fc.record({ not: tie('condition') }),
      ),
    }));
    const context = fc.record(
      {
        plan: scalar,
        age: scalar,
        account: fc.record({ plan: scalar, tags: fc.array(scalar, { maxLength: 3 }) }, { requiredKeys: [] }),
        list: fc.array(scalar, { maxLength: 2 }),
        targetingKey: fc.string(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(condition, context, (given, subject) => {
        expect(compileCondition(given)(subject)).to.equal(evaluateCondition(given, subject));
      }),
      { numRuns: 3000 },
    );
  });

  it('finds no target and no attribute on a prototype', () => {
    const evaluate = compileFlag({ ...plain, targets: JSON.parse('{"constructor":true}') as Record<string, unknown> });
    expect(
      ['toString', '__proto__', 'hasOwnProperty', 'constructor'].map(
        (targetingKey) => evaluate({ targetingKey }).value,
      ),
    ).to.deep.equal([false, false, false, true]);
  });
});
