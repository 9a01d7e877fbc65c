/** Flags that an app declares as another kind: they fall back to their default, on record and for every client, and lose nothing. */
import { expect } from 'chai';
import { connectApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const declaring = (...flags: object[]): object => ({ inboxes: [{ name: 'mail' }], flags });
const text = (value: string): object => ({ key: 'tone', kind: 'string', default: value });
const number = (value: number): object => ({ key: 'tone', kind: 'number', default: value });

describe('flags of another kind than before', () => {
  let world: World;
  let key: Client;
  let admin: Client;

  const declare = async (manifest: object): Promise<readonly string[]> => {
    const app = await connectApp(key, { manifest });
    await app.close();
    return app.registered.warnings;
  };
  const change = async (value: unknown): Promise<void> => {
    const { status, text: told } = await admin.post('/flags/tone', { change: { value } });
    expect(status, told).to.equal(200);
  };
  const flag = async () => (await admin.get('/flags/tone')).body.flag;

  before(async () => {
    world = await newWorld({ manifest: declaring(text('calm')) });
    key = await world.appKey();
    admin = await world.agent('admin');
  });
  after(() => world.close());

  it('have their new default until they are changed, or declared as before', async () => {
    await change('loud');
    await declare(declaring(number(5)));
    expect(await flag()).to.deep.include({ kind: 'number', value: 5 });
    await declare(declaring(text('calm')));
    expect(await flag()).to.deep.include({ kind: 'string', value: 'loud' });
    await declare(declaring(number(5)));
    await change(7);
    await declare(declaring(text('calm')));
    expect(await flag()).to.deep.include({ kind: 'string', value: 'calm' });
    await declare(declaring(number(5)));
    expect(await flag()).to.deep.include({ kind: 'number', value: 7 });
  });

  it('have a version of their own, so that a change decided on the former value is refused', async () => {
    const { version } = await flag();
    await declare(declaring(text('calm')));
    const now = await flag();
    expect(now.version).to.equal(version + 1);
    expect([now.updatedBy.type, now.updatedBy.id]).to.deep.equal(['app', key.id]);
    const late = await admin.post(
      '/flags/tone',
      { change: { value: 'x' } },
      { headers: { 'if-match': `"${String(version)}"` } },
    );
    expect([late.status, late.body.code]).to.deep.equal([412, 'version_conflict']);
  });

  it('are told to who follows the changes, and are in the history and the audit log', async () => {
    // The changes of the tests before have been told.
    await world.settled();
    const { cursor } = (await admin.get('/changes?wait=0')).body;
    await declare(declaring(number(3)));
    const { changes } = (await admin.get(`/changes?wait=5000&after=${String(cursor)}`)).body;
    const [told] = changes.filter(({ type }: { type: string }) => type === 'flag');
    expect([told.flag.flag, told.flag.kind, told.flag.value, told.by.id]).to.deep.equal(['tone', 'number', 7, key.id]);
    const [entry] = (await admin.get('/flags/tone/history?limit=1')).body.entries;
    expect([entry.type, entry.by.id, entry.before.value, entry.after.value]).to.deep.equal([
      'change',
      key.id,
      'calm',
      7,
    ]);
    const { entries } = (await admin.get(`/audit?verb=flag.change&actor=${key.id}&limit=1`)).body;
    expect([entries[0].after, entries[0].reason]).to.deep.equal([{ value: 7 }, 'It is declared as number now.']);
  });

  it('keep their targets and rollout for the version of the app that is rolled back to, also if they were hidden meanwhile', async () => {
    const boolean = { key: 'tone', kind: 'boolean', default: false };
    await declare(declaring(boolean));
    await admin.post('/flags/tone', { change: { rollout: 50, targets: { c1: true } } });
    await declare(declaring(text('new')));
    expect(await flag()).to.deep.include({ value: 'new', rollout: null, targets: {}, rules: [], ramp: null });
    await declare(declaring(boolean));
    expect(await flag()).to.deep.include({ value: false, rollout: 50, targets: { c1: true } });
    await declare(declaring());
    expect((await admin.get('/flags/tone')).status).to.equal(404);
    await declare(declaring(text('back')));
    expect(await flag()).to.deep.include({ value: 'back', rollout: null, targets: {} });
    await declare(declaring(boolean));
    expect(await flag()).to.deep.include({ value: false, rollout: 50, targets: { c1: true } });
  });

  it('keep their value and version while only other members of the declaration change', async () => {
    await change(true);
    const { version } = await flag();
    await declare(declaring({ key: 'tone', kind: 'boolean', default: false, description: 'Another one.' }));
    expect(await flag()).to.deep.include({ value: true, version, description: 'Another one.' });
  });
});
