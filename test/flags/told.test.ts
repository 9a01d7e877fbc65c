/** Who gets a flag's change, and flags that a person has to approve. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';
import { flagsManifest } from './manifest.ts';

describe('flags and others', () => {
  let world: World;
  let operator: Client;
  let viewer: Client;
  let ana: Client;

  before(async () => {
    world = await newWorld({ manifest: flagsManifest });
    operator = await world.agent('operator');
    viewer = await world.agent('viewer');
    ana = await world.person('operator', 'Ana Lind');
    await world.role('one flag', [{ on: 'flag:checkout', can: ['see'] }]);
  });
  after(() => world.close());

  const shown = async (flag: string): Promise<Readonly<Record<string, unknown>>> =>
    (await viewer.get(`/flags/${flag}`)).body.flag;

  it('a change is on the stream of those who see the flag, with who did it, after the offset of the answer before', async () => {
    const before = String((await viewer.get('/flags')).headers.get('x-live-offset'));
    const narrow = await world.agent('one flag');
    const from = (await narrow.get('/changes')).body.cursor;
    await operator.post('/flags/checkout', { change: { rollout: 5 } });
    await operator.post('/flags/words', { change: { value: 'told' } });
    const heard = async (
      client: Client,
      after: string,
      count: number,
    ): Promise<{ flag: { flag: string }; by: object }[]> => {
      const { changes } = (await client.get(`/changes?wait=5000&after=${encodeURIComponent(after)}`)).body;
      const told = changes.filter(({ type }: { type: string }) => type === 'flag');
      return told.length >= count ? told : heard(client, after, count);
    };
    const all = await heard(viewer, before, 2);
    expect(all.map(({ flag }) => flag.flag)).to.deep.equal(['checkout', 'words']);
    expect(all[0]?.flag).to.deep.equal(await shown('checkout'));
    expect(all[0]?.by).to.deep.equal({ type: 'agent', id: operator.id, name: 'operator agent' });
    expect((await heard(narrow, from, 1)).map(({ flag }) => flag.flag)).to.deep.equal(['checkout']);
  });

  it('a guard over an inbox that the role does not see is shown to nobody of that role: one flag, the list, its history, the stream', async () => {
    const narrow = await world.agent('one flag');
    const from = (await narrow.get('/changes')).body.cursor;
    const guard = { inbox: 'bugs', above: 5, within: 60_000, then: 'stop' };
    const started = await operator.post('/flags/checkout', {
      change: { ramp: { to: 50, over: 3_600_000, every: 60_000, at: null, guard } },
    });
    expect(started.body.flag.ramp.guard).to.deep.include({ inbox: 'bugs' });
    const heard = await narrow.get(`/changes?wait=5000&after=${encodeURIComponent(from)}`);
    const told = [
      await narrow.get('/flags/checkout'),
      await narrow.get('/flags'),
      await narrow.get('/flags/checkout/history'),
      heard,
    ];
    for (const { status, text } of told) {
      expect(status).to.equal(200);
      expect(text).to.include('"steps":60');
      expect(text).not.to.include('bugs');
    }
    await operator.post('/flags/checkout', { change: { ramp: null } });
  });

  it('targets by records of a resource that the role does not see are shown to nobody of that role', async () => {
    await world.role('no records', [{ on: 'flag:untouched', can: ['see'] }]);
    const narrow = await world.agent('no records');
    const from = (await narrow.get('/changes')).body.cursor;
    const { body } = await operator.post('/flags/untouched', { change: { targets: { cus_secret: true } } });
    expect(body.flag.targets).to.deep.equal({ cus_secret: true });
    const heard = await narrow.get(`/changes?wait=5000&after=${encodeURIComponent(from)}`);
    for (const { status, text } of [
      await narrow.get('/flags/untouched'),
      await narrow.get('/flags'),
      await narrow.get('/flags/untouched/history'),
      heard,
    ]) {
      expect(status).to.equal(200);
      expect(text).to.include('"targets":{}').and.not.include('cus_secret');
    }
  });

  it('an approved change is made as it was asked for, under the name of who asked, with who approved it', async () => {
    const { approval } = (
      await operator.post('/flags/agreed', {
        change: { rollout: 20, ramp: { to: 40, over: 3_600_000, every: 60_000, at: null } },
      })
    ).body;
    expect((await viewer.get('/flags/agreed')).body.flag.version).to.equal(1);
    const { status, body } = await ana.post(`/approvals/${String(approval)}/approve`);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.flag).to.include({ flag: 'agreed', rollout: 20, version: 2 });
    expect(await shown('agreed')).to.deep.equal(body.flag);
    const [entry] = (await viewer.get('/flags/agreed/history')).body.entries;
    expect(entry.by).to.include({ id: operator.id });
    expect(entry.approvedBy).to.include({ id: ana.id, name: 'Ana Lind' });
    await operator.post('/flags/agreed', { change: { ramp: null } });
  });

  it('an approval is stale once somebody else has changed the flag, and nothing is applied', async () => {
    const { approval } = (await operator.post('/flags/approved', { change: { value: true } })).body;
    const other = (await ana.post('/flags/approved', { change: { rollout: 3 } })).body.approval;
    const bo = await world.person('operator', 'Bo Ek');
    expect((await bo.post(`/approvals/${String(other)}/approve`)).status).to.equal(200);
    const refused = await bo.post(`/approvals/${String(approval)}/approve`);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'stale']);
    expect(await shown('approved')).to.include({ value: false, rollout: 3 });
  });

  it('what a supervised agent asks for is made once a person approves it', async () => {
    const supervised = await world.agent('operator', { mode: 'supervised' });
    await operator.post('/flags/words', { change: { value: 'told' } });
    const { approval } = (await supervised.post('/flags/words', { change: { value: 'supervised' } })).body;
    expect(await shown('words')).to.include({ value: 'told' });
    expect((await ana.post(`/approvals/${String(approval)}/approve`)).status).to.equal(200);
    expect(await shown('words')).to.include({ value: 'supervised' });
  });

  it('flags that are too large for one frame are listed to the app in several', async () => {
    const large = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`${'x'.repeat(80)}_${String(i)}`, true]));
    for (const flag of ['checkout', 'filled', 'told'])
      expect((await operator.post(`/flags/${flag}`, { change: { targets: large } })).status).to.equal(200);
    const app = await world.app();
    const keys: string[] = [];
    let pages = 0;
    for (let cursor: string | null | undefined; cursor !== null; pages++) {
      const page: { flags: { flag: string }[]; cursor: string | null } = await app.request(
        'flags.list',
        cursor === undefined ? {} : { cursor },
      );
      keys.push(...page.flags.map(({ flag }) => flag));
      ({ cursor } = page);
    }
    expect(pages).to.be.above(1);
    expect(keys).to.deep.equal(flagsManifest.flags.map(({ key }) => key).sort());
  });
});
