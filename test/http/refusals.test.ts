/** Repeated refusals in the audit log: the first at once, the others of a minute as one entry with their number. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { clerkGrants } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

interface Entry {
  readonly verb: string;
  readonly actor: { readonly id: string; readonly name: string };
  readonly outcome: string;
  readonly count: number;
  readonly at: number;
  readonly after: Readonly<Record<string, unknown>> | null;
}

describe('repeated refusals in the audit log', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let item: string;

  before(async () => {
    world = await newWorld();
    await world.role('clerk', clerkGrants);
    admin = await world.agent('admin');
    clerk = await world.agent('clerk');
  });
  after(() => world.close());
  beforeEach(async () => {
    item = (await admin.post('/items', { inbox: 'secret', title: 'Hidden' })).body.item.id;
  });

  const denied = async (target = item): Promise<Entry[]> =>
    (await admin.get(`/audit?target=${target}&limit=200`)).body.entries.filter(
      ({ outcome }: Entry) => outcome === 'denied',
    );
  const shown = (entries: readonly Entry[]): [string, number][] => entries.map(({ verb, count }) => [verb, count]);

  it('stand there once at once, and the others as one entry with count when the minute is over', async () => {
    const from = world.clock.now();
    await Promise.all(Array.from({ length: 200 }, () => clerk.post(`/items/${item}/notes`, { text: 'x' })));
    expect(shown(await denied())).to.deep.equal([['item.note', 1]]);
    world.clock.advance(60_000);
    const [counted, first] = await until('the minute is over', async () => {
      const entries = await denied();
      return entries.length === 2 ? entries : null;
    });
    expect([counted?.count, first?.count]).to.deep.equal([199, 1]);
    expect(counted?.actor).to.deep.include({ id: clerk.id, name: 'clerk agent' });
    expect(counted?.after).to.include({ code: 'not_found', count: 199 });
    expect(counted?.after?.['from']).to.be.within(from, world.clock.now());
    expect(counted?.after?.['to']).to.be.within(Number(counted?.after?.['from']), counted?.at ?? 0);
    await clerk.post(`/items/${item}/notes`, { text: 'x' });
    expect(shown(await denied())).to.deep.equal([
      ['item.note', 1],
      ['item.note', 199],
      ['item.note', 1],
    ]);
  });

  it('are counted for each principal, target and verb', async () => {
    const other = await world.agent('clerk', { name: 'other' });
    const second = (await admin.post('/items', { inbox: 'secret', title: 'Hidden too' })).body.item.id as string;
    for (let n = 0; n < 2; n++) {
      await clerk.post(`/items/${item}/notes`, { text: 'x' });
      await clerk.post(`/items/${item}/state`, { state: 'closed' });
      await other.post(`/items/${item}/notes`, { text: 'x' });
      await clerk.post(`/items/${second}/notes`, { text: 'x' });
    }
    const entries = await denied();
    expect(entries.map(({ verb, actor }) => `${verb} ${actor.name}`)).to.have.members([
      'item.note clerk agent',
      'item.state clerk agent',
      'item.note other',
    ]);
    expect(await denied(second)).to.have.length(1);
  });

  it('take no row for each, however many come', async () => {
    const size = async (): Promise<number> => (await world.sql('select 1 from events')).length;
    const before = await size();
    for (let n = 0; n < 20; n++)
      await Promise.all(Array.from({ length: 25 }, () => clerk.post(`/items/${item}/notes`, { text: 'x' })));
    expect((await size()) - before).to.equal(1);
  });

  it('are seen by those who see their inbox, counted or not', async () => {
    await world.role('auditor', [
      { on: 'audit', can: ['see'] },
      { on: 'inbox:mail', can: ['see'] },
    ]);
    const auditor = await world.agent('auditor');
    await clerk.post(`/items/${item}/notes`, { text: 'x' });
    await clerk.post(`/items/${item}/notes`, { text: 'x' });
    world.clock.advance(60_000);
    await until('the minute is over', async () => (await denied()).length === 2);
    expect((await auditor.get(`/audit?target=${item}`)).body.entries).to.deep.equal([]);
  });
});

describe('the events', () => {
  it('can’t be emptied, by their owner neither', async () => {
    const world = await newWorld({ workers: false });
    try {
      const refusal = await world.sql('truncate events cascade').then(
        () => 'emptied',
        (error: unknown) => String(error),
      );
      expect(refusal).to.include('append-only');
    } finally {
      await world.close();
    }
  });
});
