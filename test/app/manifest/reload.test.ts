/** A reload of the directory: of the environments it reads only those again that have changed. */
import { expect } from 'chai';
import type { Environment } from '../../../shared/app/manifest/definition.ts';
import { newSealKey } from '../../../shared/platform/listing/seal.ts';
import { newWorld, type World } from '../../support/world.ts';

describe('a reload of the directory', () => {
  let world: World;
  before(async () => {
    world = await newWorld({ server: false, workers: false });
    await world.sql("insert into environments (name, seal_key, created_at) values ('other', $1, 0)", [newSealKey()]);
  });
  after(() => world.close());

  /** Changes something as another process does, and returns the environments from then on. */
  const changedBy = async (
    sql: string,
    values: unknown[] = [],
  ): Promise<Record<'demo' | 'other', Environment | undefined>> => {
    await world.sql(sql, values);
    await world.sql('update revisions set n = n + 1');
    await world.deps.directory.refresh();
    const { directory } = world.deps;
    return { demo: directory.environment('demo'), other: directory.environment('other') };
  };

  it('keeps environments when a role, a person or another environment changes', async () => {
    const before = await changedBy('select 1');
    expect(before.demo).to.not.equal(undefined);
    const roles = await changedBy(
      `insert into roles (id, name, grants, created_at, updated_at) values ('rol_1', 'late', '[]', 0, 0)`,
    );
    expect(world.deps.directory.role('rol_1')?.name).to.equal('late');
    expect(roles.demo).to.equal(before.demo);
    const other = await changedBy(`update environments set epoch = epoch + 1 where name = 'other'`);
    expect(other.demo).to.equal(before.demo);
    expect(other.other?.epoch).to.equal((before.other?.epoch ?? 0) + 1);
  });

  it('reads an environment whose definition has changed, and whose rules have, also by one that is gone', async () => {
    const demo = world.deps.directory.environment('demo')?.id;
    const first = await changedBy('select 1');
    const declared = await changedBy('update definitions set updated_at = updated_at + 1 where env = $1', [demo]);
    expect(declared.demo).to.not.equal(first.demo);
    expect(declared.other).to.equal(first.other);
    const added = await changedBy(
      `insert into definition_rules (env, type, name, rule, at) values ($1, 'action', 'gone', '{}', 0), ($1, 'action', 'late', '{}', 0)`,
      [demo],
    );
    expect(added.demo).to.not.equal(declared.demo);
    const changed = await changedBy(`update definition_rules set at = 1 where name = 'late'`);
    expect(changed.demo).to.not.equal(added.demo);
    const removed = await changedBy(`delete from definition_rules where name = 'gone'`);
    expect(removed.demo).to.not.equal(changed.demo);
    expect(removed.other).to.equal(first.other);
  });

  it('adds an environment that is new', async () => {
    const before = world.deps.directory.environment('demo');
    await changedBy("insert into environments (name, seal_key, created_at) values ('new', $1, 0)", [newSealKey()]);
    expect(world.deps.directory.environments().map(({ name }) => name)).to.deep.equal(['demo', 'other', 'new']);
    expect(world.deps.directory.environment('demo')).to.equal(before);
  });
});
