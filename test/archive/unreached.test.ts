/** Months that an erasure did not reach: it says so until an erasure of the same record has, however often they are archived again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { erase } from '../../shared/erasure/erase.ts';
import { runAdmin } from '../../shared/tools/cli/run.ts';
import type { Client } from '../support/http.ts';
import { untilWaiting } from '../support/locks.ts';
import { monthBefore, newPastWorld, sweepPast } from '../support/past.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

interface Erased {
  readonly id: string;
  readonly archives: readonly string[];
}
interface Printed {
  readonly archives: readonly { readonly name: string; readonly file: string }[];
  readonly erasures: readonly { readonly id: string; readonly environment: string; readonly record: string }[];
}

describe('months that an erasure did not reach', () => {
  let world: World;
  let boss: Client;
  let folder: string;

  const succeed = async (...words: string[]): Promise<Printed> => {
    const { exitCode, text } = await runAdmin([...words, '--json'], {
      readConfig: () => world.config,
      readInput: () => Promise.resolve(''),
    });
    expect(exitCode, text).to.equal(0);
    return JSON.parse(text) as Printed;
  };
  const archive = async (): Promise<Printed['archives'][number]> => {
    await sweepPast(world);
    const { archives } = await succeed('archive', '--before', monthBefore(3), '--to', mkdtempSync(join(folder, 'a')));
    const [first] = archives;
    if (first === undefined || archives.length > 1) throw new Error('One month was archived.');
    return first;
  };
  const eraseAll = async (id: string, more: object = {}): Promise<string> => {
    const { status, body, text } = await boss.post('/settings/erasures', {
      record: { resource: 'customer', id },
      confirmed: true,
      ...more,
    });
    expect(status, text).to.equal(202);
    const erasure = body.erasure.id as string;
    await until('it is erased', async () => {
      await sweepPast(world);
      return (await erase(world.deps, erasure)) === null;
    });
    return erasure;
  };
  const unreached = async (): Promise<Record<string, readonly string[]>> =>
    Object.fromEntries(
      ((await boss.get('/settings/erasures')).body.erasures as Erased[]).map(({ id, archives }) => [id, archives]),
    );

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'unreached-'));
    ({ world } = await newPastWorld());
    boss = await world.person('admin', 'Boss', { fresh: true });
  });
  afterEach(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('stay named until one of the same record has, and restoring says whose they are', async () => {
    const { name, file } = await archive();
    const [first, other, wide] = [
      await eraseAll('cus_1'),
      await eraseAll('cus_2'),
      await eraseAll('cus_1', { users: ['usr_9'] }),
    ];
    // As the release before finishes one.
    await world.sql('update erasures set unreached = null where id = $1', [other]);
    const all = { [first]: [name], [other]: [name], [wide]: [name] };
    expect(await unreached()).to.deep.equal(all);

    const { erasures } = await succeed('archive', 'restore', file);
    expect(erasures.map(({ id, environment, record }) => [id, environment, record])).to.deep.equal([
      [first, 'demo', 'cus_1'],
      [other, 'demo', 'cus_2'],
      [wide, 'demo', 'cus_1'],
    ]);
    expect(await unreached()).to.deep.equal(all);
    const again = await archive();
    expect(await unreached()).to.deep.equal(all);
    const late = await eraseAll('cus_1', { users: ['usr_9'], linked: true });
    expect(await unreached()).to.deep.equal({ ...all, [late]: [name] });

    await succeed('archive', 'restore', again.file);
    const narrow = await eraseAll('cus_1');
    const reached = { ...all, [first]: [], [late]: [name], [narrow]: [] };
    expect(await unreached()).to.deep.equal(reached);
    await archive();
    expect(await unreached()).to.deep.equal(reached);
  });

  it('are searched where they are restored while an erasure is under way', async () => {
    const { file } = await archive();
    const { body } = await boss.post('/settings/erasures', {
      record: { resource: 'customer', id: 'cus_1' },
      confirmed: true,
    });
    const id = body.erasure.id as string;
    let next: Promise<number | null> = Promise.resolve(null);
    // Holds it up when it has searched, before it deletes the record.
    await world.deps.db.transaction(async (tx) => {
      await tx.raw('lock table records in share mode');
      next = erase(world.deps, id);
      await untilWaiting(world, 'delete from records', 1);
      await succeed('archive', 'restore', file);
    });
    expect(await next).to.be.a('number');
    await until('it is erased', async () => (await erase(world.deps, id)) === null);
    expect(await unreached()).to.deep.equal({ [id]: [] });
  });
});
