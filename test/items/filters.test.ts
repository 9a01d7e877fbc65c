/** The conditions of item lists: PostgreSQL compares rows with them that another condition has found, and never looks them up in an index. */
import { expect } from 'chai';
import { filterConditions } from '../../shared/items/list/filters.ts';
import { openDb, type Db } from '../../shared/platform/db/knex.ts';
import { namedStatement } from '../../shared/platform/db/sql.ts';
import { newDatabase, type TestDatabase } from '../support/database.ts';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the conditions that are looked up in an index of `items`. */
const lookedUp = (node: PlanNode): string[] => [
  ...((node['Relation Name'] ?? node['Index Name'])?.startsWith('items') === true && node['Index Cond'] !== undefined
    ? [node['Index Cond']]
    : []),
  ...(node.Plans ?? []).flatMap(lookedUp),
];

describe('filters of items', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await newDatabase();
    db = openDb({ url: database.url, poolSize: 1, applicationName: 'test' });
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const plan = async (name: string, condition: string): Promise<PlanNode> => {
    const { prepared, names } = namedStatement(`test.${name}`, () => `select 1 from items i where ${condition}`);
    await db.raw(`prepare ${name} as ${prepared.text}`);
    const { rows } = await db.raw<{ rows: { 'QUERY PLAN': { Plan: PlanNode }[] }[] }>(
      `explain (format json) execute ${name}${names.length === 0 ? '' : `(${names.map(() => 'null').join(', ')})`}`,
    );
    const [found] = rows[0]?.['QUERY PLAN'] ?? [];
    if (found === undefined) throw new Error(`No plan of ${name}.`);
    return found.Plan;
  };

  for (const [name, condition] of Object.entries(filterConditions))
    it(`${name}: no index is chosen for it`, async () => {
      expect(lookedUp(await plan(name, condition))).to.deep.equal([]);
    });

  it('would be found out if one were', async () => {
    expect(lookedUp(await plan('plain', 'i.env = $env and i.last_seen >= $seenFrom::bigint'))).to.have.length(1);
  });
});
