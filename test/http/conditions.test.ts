/** Conditions and filters against a small model of them: random ones, decided by the running service as rules, `when` and lists. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Comparison {
  readonly field: string;
  readonly op: string;
  readonly value?: unknown;
  readonly path?: string;
}
type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | Comparison;

/** The value at a path; a path that leads nowhere is null. */
const at = (subject: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Fields)[name] : null,
      subject,
    );

/** Whether there is something: of a list, a member that is. */
const isThere = (value: unknown): boolean => (Array.isArray(value) ? value.some(isThere) : value !== null);

const isBefore = (a: unknown, b: unknown): boolean =>
  typeof a === typeof b && (typeof a === 'number' || typeof a === 'string') && (a as string) < (b as string);

const compares = ({ op, value: wanted }: Comparison, value: unknown): boolean => {
  const listed = (): boolean => (wanted as unknown[]).some((one) => one === value);
  switch (op) {
    case 'eq':
      return value === wanted;
    case 'ne':
      return value !== wanted;
    case 'in':
      return listed();
    case 'nin':
      return !listed();
    case 'lt':
      return isBefore(value, wanted);
    case 'gte':
      return isBefore(wanted, value) || (value === wanted && (typeof value === 'number' || typeof value === 'string'));
    case 'contains':
      return Array.isArray(value)
        ? value.includes(wanted)
        : typeof value === 'string' && typeof wanted === 'string' && value.includes(wanted);
    case 'exists':
      return isThere(value) === (wanted ?? true);
    default:
      throw new Error(`The model has no ${op}.`);
  }
};

const holds = (condition: Condition, subject: unknown): boolean => {
  if ('all' in condition) return condition.all.every((inner) => holds(inner, subject));
  if ('any' in condition) return condition.any.some((inner) => holds(inner, subject));
  if ('not' in condition) return !holds(condition.not, subject);
  if (condition.path === undefined) return compares(condition, at(subject, condition.field));
  const value = at(subject, condition.path);
  const takesList = ['in', 'nin'].includes(condition.op);
  if (value === null || (takesList ? !Array.isArray(value) : typeof value === 'object')) return false;
  return compares({ ...condition, value }, at(subject, condition.field));
};

const scalar = fc.constantFrom<unknown>(null, 'a', 'ab', '', 0, 1, true, false);
const member = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 2, arbitrary: fc.constantFrom<unknown>([], ['a'], ['a', null], [null], [0, 'ab'], [[]], {}) },
);
const fieldsArb: fc.Arbitrary<Fields> = fc.record(
  { a: member, b: member, c: fc.record({ d: member }, { requiredKeys: [] }) },
  { requiredKeys: [] },
);
const opsWithPath = ['eq', 'ne', 'in', 'nin', 'lt', 'gte', 'contains'];
const paths = ['a', 'b', 'c.d', 'c.d.e', 'nowhere', 'constructor'];
const comparison = (under: string): fc.Arbitrary<Condition> => {
  const field = fc.constantFrom(...paths.map((path) => `${under}${path}`));
  const of = (ops: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Condition> =>
    fc.record({ field, op: fc.constantFrom(...ops), value });
  return fc.oneof(
    of(['eq', 'ne'], scalar),
    of(['eq', 'ne'], fc.constant(null)),
    of(['in', 'nin'], fc.array(scalar, { minLength: 1, maxLength: 3 })),
    of(['lt', 'gte'], fc.constantFrom<unknown>('a', 'b', 0, 1)),
    of(['contains'], scalar),
    of(['exists'], fc.boolean()),
    fc.record({ field, op: fc.constant('exists') }),
    fc.record({ field, op: fc.constantFrom(...opsWithPath), path: field }),
  );
};
const conditionArb = (under: string): fc.Arbitrary<Condition> => {
  const one = comparison(under);
  return fc.oneof(
    { weight: 4, arbitrary: one },
    { weight: 1, arbitrary: fc.array(one, { maxLength: 3 }).map((all) => ({ all })) },
    { weight: 1, arbitrary: fc.array(one, { maxLength: 3 }).map((any) => ({ any })) },
    { weight: 1, arbitrary: one.map((not) => ({ not })) },
  );
};

/** Conditions over input and record alike. */
const ofBoth = fc.sample(
  fc
    .tuple(conditionArb('record.fields.'), conditionArb('input.'), fc.constantFrom('all', 'any', 'path'))
    .map(([record, input, how]): Condition =>
      how === 'all'
        ? { all: [record, { not: input }] }
        : how === 'any'
          ? { any: [record, input] }
          : { field: 'input.a', op: 'eq', path: 'record.fields.b' },
    ),
  60,
);

/** The conditions that actions declare: a manifest is declared once. */
const declared = fc.sample(conditionArb('record.fields.'), 120);
const names = declared.map((_, n) => `do_${String(n)}`);
const manifest = {
  resources: [{ name: 'thing', source: 'stored', fields: ['a', 'b'].map((name) => ({ name, filter: true })) }],
  inboxes: [{ name: 'mail' }],
  actions: [
    ...declared.map((when, n) => ({ name: names[n], resource: 'thing', when })),
    ...ofBoth.map((when, n) => ({ name: `both_${String(n)}`, resource: 'thing', when, input: { type: 'object' } })),
  ],
  flags: [{ key: 'words', kind: 'string', default: 'none' }],
};

describe('conditions and filters against their model', () => {
  let world: World;
  let agent: Client;
  let key: Client;
  before(async () => {
    world = await newWorld({ manifest });
    agent = await world.agent('admin');
    key = await world.appKey();
  });
  after(() => world.close());

  it('as rules of a flag', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(conditionArb(''), { minLength: 1, maxLength: 20 }),
        fc.array(fieldsArb, { minLength: 10, maxLength: 10 }),
        async (conditions, contexts) => {
          const rules = conditions.map((when, n) => ({ when, value: String(n) }));
          const changed = await agent.post('/flags/words', { change: { rules } });
          expect(changed.status, changed.text).to.equal(200);
          for (const context of contexts) {
            const { body } = await agent.post('/ofrep/v1/evaluate/flags/words', { context });
            const first = conditions.findIndex((condition) => holds(condition, context));
            expect(body.value, JSON.stringify([first < 0 ? null : conditions[first], context])).to.equal(
              first < 0 ? 'none' : String(first),
            );
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  const stored = (records: readonly Fields[]) =>
    records.map((fields, n) => ({ id: `t${String(n)}`, title: 'T', fields }));

  it('as the condition of an action', async () => {
    const records = stored(fc.sample(fieldsArb, 50));
    expect((await key.post('/resources/thing/records', { records })).status).to.equal(200);
    const refs = records.map(({ id }) => ({ resource: 'thing', id }));
    const { body } = await agent.post('/available', { refs });
    for (const [n, { fields }] of records.entries()) {
      const found = body.available[n].actions
        .map(({ action }: { action: string }) => action)
        .filter((name: string) => name.startsWith('do_'))
        .sort();
      const wanted = names.filter((_, i) => holds(declared[i] as Condition, { record: { fields } })).sort();
      expect(found, JSON.stringify(fields)).to.deep.equal(wanted);
    }
  });

  it('as the condition of an action over its input and its record: what runs is available', async () => {
    const records = stored(fc.sample(fieldsArb, 20));
    expect((await key.post('/resources/thing/records', { records })).status).to.equal(200);
    const refs = records.map(({ id }) => ({ resource: 'thing', id }));
    const { body } = await agent.post('/available', { refs });
    for (const [n, when] of ofBoth.entries())
      for (const [i, { id, fields }] of records.entries()) {
        const [input = {}] = fc.sample(fieldsArb, 1);
        const action = `both_${String(n)}`;
        const told = await agent.post('/actions', { action, record: id, input, dryRun: true });
        const wanted = holds(when, { record: { fields }, input });
        expect(told.status, `${JSON.stringify([when, fields, input])} ${told.text}`).to.equal(wanted ? 200 : 409);
        const isAvailable = body.available[i].actions.some((one: { action: string }) => one.action === action);
        if (wanted) expect(isAvailable, JSON.stringify([when, fields])).to.equal(true);
      }
  });

  it('as filters of a list, where of a list any member may fit', async () => {
    const records = stored(fc.sample(fieldsArb, 150));
    expect((await key.post('/resources/thing/records', { records })).status).to.equal(200);
    const filterArb = fc.oneof(
      fc.tuple(fc.constantFrom('eq', 'ne'), fc.constantFrom<unknown>('a', 'ab', 0, 1, true, false)),
      fc.tuple(fc.constantFrom('in', 'nin'), fc.constantFrom<unknown>(['a', 0], ['ab', true])),
      fc.tuple(fc.constant('exists'), fc.boolean()),
    );
    for (const [op, value] of fc.sample(filterArb, 40))
      for (const field of ['a', 'b']) {
        const filters = encodeURIComponent(JSON.stringify({ [field]: { [op]: value } }));
        const { body } = await agent.get(`/resources/thing/list?limit=200&sort=id&filters=${filters}`);
        const found = body.records.map(({ id }: { id: string }) => id).sort();
        const anyMember = (fields: Fields): boolean => {
          const own = at(fields, field);
          const members = Array.isArray(own) && op !== 'exists' ? own : [own];
          const negated = op === 'ne' || op === 'nin';
          const test = { field, op: op.replace('ne', 'eq').replace('nin', 'in'), value };
          return members.some((one) => compares(test, one)) !== negated;
        };
        const wanted = records.filter(({ fields }) => anyMember(fields)).map(({ id }) => id);
        expect(found, JSON.stringify([field, op, value])).to.deep.equal(wanted.sort());
      }
  });
});
