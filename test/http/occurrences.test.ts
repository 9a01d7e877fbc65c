/** Occurrences over HTTP: what each report of an item brought is kept, listed, shown and sent, as its inbox declares. */
import { expect } from 'chai';
import { limits } from '../../shared/catalogue/limits.ts';
import { readDocuments } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { openLive, type Message } from '../support/live.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const hour = 3_600_000;
const textField = (name: string) => ({ type: 'object', required: [name], properties: { [name]: { type: 'string' } } });

const manifest = {
  inboxes: [
    { name: 'mail', responseTime: hour, reply: { via: 'app' }, fields: textField('body') },
    { name: 'bugs', responseTime: hour, fields: textField('stack'), onOccurrence: { reopen: [] } },
    { name: 'few', onOccurrence: { keep: 3 } },
    { name: 'all', onOccurrence: { keep: null } },
    { name: 'moving', onOccurrence: { keep: 10, update: true } },
    { name: 'secret' },
  ],
};

interface Occurrence {
  readonly id: string;
  readonly at: number;
  readonly title: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly user: string | null;
}

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly data: { readonly occurrences: { from: number; to: number }; readonly occurrence: Occurrence | null };
}

describe('occurrences over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'inbox:bugs', can: ['see'] },
    ]);
    const documents = await readDocuments(world.base);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
  });
  after(() => world.close());

  const make = async (body: object): Promise<Reply['body']> => {
    const reply = await admin.post('/items', { title: 'Untitled', ...body });
    expect(reply.status, reply.text).to.be.oneOf([200, 201]);
    return reply.body.item;
  };
  const page = async (id: string, query = ''): Promise<{ occurrences: Occurrence[]; cursor: string | null }> => {
    const reply = await admin.get(`/items/${id}/occurrences${query}`);
    expect(reply.status, reply.text).to.equal(200);
    return reply.body;
  };
  const listed = async (id: string): Promise<Occurrence[]> => (await page(id, '?limit=200')).occurrences;
  const detail = async (id: string): Promise<Reply['body']> => (await admin.get(`/items/${id}`)).body;
  const occurred = async (id: string): Promise<Entry[]> =>
    ((await detail(id)).timeline as Entry[]).filter(({ type }) => type === 'occurred');
  const counts = (entries: readonly Entry[]): unknown[] => entries.map(({ data }) => data.occurrences);

  it('keep the title, the data and the user of each report, newest first, from the creation on', async () => {
    const first = await make({ inbox: 'mail', key: 'm', title: 'Charged twice', data: { body: 'Help!' }, user: 'ana' });
    const again = await make({ inbox: 'mail', key: 'm', title: 'Re: Charged twice', data: { body: 'Still.' } });
    expect(again).to.include({ id: first.id, title: 'Charged twice', occurrences: 2 });
    expect(again.fields).to.deep.equal({ body: 'Help!' });
    const [newest, oldest, ...others] = await listed(first.id);
    expect(others).to.deep.equal([]);
    expect(newest).to.deep.equal({
      id: newest?.id,
      at: again.lastSeen,
      title: 'Re: Charged twice',
      data: { body: 'Still.' },
      user: null,
    });
    expect(oldest).to.deep.equal({
      id: oldest?.id,
      at: first.firstSeen,
      title: 'Charged twice',
      data: { body: 'Help!' },
      user: 'ana',
    });
    for (const { id } of [newest, oldest] as Occurrence[]) expect(id).to.match(/^occ_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    expect((await detail(first.id)).latestOccurrence).to.deep.equal(newest);
  });

  it('have the creation as the latest one while there is no other', async () => {
    const { id, createdAt } = await make({ inbox: 'all', title: 'Alone' });
    const { latestOccurrence } = await detail(id);
    expect(latestOccurrence).to.include({ at: createdAt, title: 'Alone', user: null });
    expect(latestOccurrence.data).to.deep.equal({});
    expect(await listed(id)).to.deep.equal([latestOccurrence]);
  });

  it('page without a hole, and refuse the cursor of another item', async () => {
    const { id } = await make({ inbox: 'all', key: 'paged', title: '1' });
    for (let n = 2; n <= 5; n++) await make({ inbox: 'all', key: 'paged', title: String(n) });
    const titles: string[] = [];
    let cursor: string | null = null;
    do {
      const read: { occurrences: Occurrence[]; cursor: string | null } = await page(
        id,
        `?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      titles.push(...read.occurrences.map(({ title }) => title));
      cursor = read.cursor;
    } while (cursor !== null);
    expect(titles).to.deep.equal(['5', '4', '3', '2', '1']);
    const other = await make({ inbox: 'all', title: 'Other' });
    const taken = (await page(id, '?limit=2')).cursor ?? '';
    expect((await admin.get(`/items/${other.id}/occurrences?cursor=${taken}`)).body.code).to.equal('bad_cursor');
  });

  it('are refused when their data does not fit, like a creation', async () => {
    const { id } = await make({ inbox: 'mail', key: 'fits', data: { body: 'Fits' } });
    const reply = await admin.post('/items', { inbox: 'mail', title: 'x', key: 'fits', data: { body: 7 } });
    expect([reply.status, reply.body.code, reply.body.details[0].path]).to.deep.equal([400, 'invalid', 'data.body']);
    expect(await listed(id)).to.have.length(1);
  });

  it('are each an entry of a conversation, with what was said', async () => {
    const { id } = await make({ inbox: 'mail', key: 'talk', title: 'One', data: { body: '1' } });
    for (const n of ['2', '3']) await make({ inbox: 'mail', key: 'talk', title: `No. ${n}`, data: { body: n } });
    const entries = await occurred(id);
    expect(counts(entries)).to.deep.equal([
      { from: 2, to: 3 },
      { from: 1, to: 2 },
    ]);
    expect(entries.map(({ data }) => data.occurrence)).to.deep.equal((await listed(id)).slice(0, 2));
    expect((await admin.get(`/items/${id}/timeline?limit=2`)).body.entries).to.deep.equal(entries);
  });

  it('update one entry for ten minutes where a number of them is kept, which carries the newest', async () => {
    const { id } = await make({ inbox: 'bugs', key: 'e', title: '1', data: { stack: '1' } });
    for (const n of ['2', '3', '4']) await make({ inbox: 'bugs', key: 'e', title: n, data: { stack: n } });
    const [entry, ...others] = await occurred(id);
    expect(others).to.deep.equal([]);
    expect(entry?.data).to.deep.equal({ occurrences: { from: 1, to: 4 }, occurrence: (await listed(id))[0] });
    expect(entry?.data.occurrence).to.include({ title: '4' });

    world.clock.advance(limits.occurredEntryMs);
    await make({ inbox: 'bugs', key: 'e', title: '5', data: { stack: '5' } });
    const later = await occurred(id);
    expect(counts(later)).to.deep.equal([
      { from: 4, to: 5 },
      { from: 1, to: 4 },
    ]);
    expect(later[1]).to.deep.equal(entry);
  });

  it('show the newest ones that the inbox keeps at once, and a sweep removes the others', async () => {
    const { id } = await make({ inbox: 'few', key: 'f', title: '1' });
    for (let n = 2; n <= 7; n++) await make({ inbox: 'few', key: 'f', title: String(n) });
    expect((await listed(id)).map(({ title }) => title)).to.deep.equal(['7', '6', '5']);
    expect((await detail(id)).item.occurrences).to.equal(7);
    await until('the sweep', async () => {
      const stored = await world.sql('select title from occurrences where item = $1', [id]);
      return stored.length <= 4;
    });
    expect((await listed(id)).map(({ title }) => title)).to.deep.equal(['7', '6', '5']);
    const pages = [await page(id, '?limit=2')];
    pages.push(await page(id, `?limit=2&cursor=${pages[0]?.cursor ?? ''}`));
    expect(pages.map(({ occurrences }) => occurrences.map(({ title }) => title))).to.deep.equal([['7', '6'], ['5']]);
    expect(pages[1]?.cursor).to.equal(null);
  });

  it('replace title and fields only where the inbox declares it, as a change with its entry', async () => {
    const first = await make({ inbox: 'moving', key: 'u', title: 'Disk at 80 %', data: { used: 80 } });
    const again = await make({ inbox: 'moving', key: 'u', title: 'Disk at 90 %', data: { used: 90 } });
    expect(again).to.include({ id: first.id, title: 'Disk at 90 %', version: 2 });
    expect(again.fields).to.deep.equal({ used: 90 });
    expect((await admin.get('/items?inbox=moving&search=90')).body.items).to.have.length(1);
    expect((await admin.get('/items?inbox=moving&search=80')).body.items).to.have.length(0);
    expect((await admin.get('/items?inbox=moving&sort=title')).body.items[0].title).to.equal('Disk at 90 %');
    expect((await listed(first.id)).map(({ data }) => data)).to.deep.equal([{ used: 90 }, { used: 80 }]);
    const [audited] = (await admin.get(`/audit?target=${first.id}&verb=item.occur`)).body.entries;
    expect([audited.before.title, audited.after.title]).to.deep.equal(['Disk at 80 %', 'Disk at 90 %']);
  });

  it('set no deadline on an item that stays closed', async () => {
    const { id } = await make({ inbox: 'bugs', key: 'closed', data: { stack: '' } });
    expect((await admin.post(`/items/${id}/state`, { state: 'closed' })).body.item.dueAt).to.equal(null);
    expect(await make({ inbox: 'bugs', key: 'closed', data: { stack: '' } })).to.include({
      state: 'closed',
      dueAt: null,
      occurrences: 2,
    });
  });

  it('of an item from before content was kept are listed by their creation alone, without data', async () => {
    const item = await make({ inbox: 'few', key: 'old', title: 'Old' });
    await make({ inbox: 'few', key: 'old', title: 'Thrown away' });
    await world.sql('delete from occurrences where item = $1', [item.id]);
    const [only, ...others] = await listed(item.id);
    expect(others).to.deep.equal([]);
    expect(only).to.deep.equal({ id: only?.id, at: item.firstSeen, title: 'Old', data: null, user: null });
    expect((await detail(item.id)).latestOccurrence).to.deep.equal(only);
    expect((await occurred(item.id))[0]?.data.occurrence).to.equal(null);
    await make({ inbox: 'few', key: 'old', title: 'Kept' });
    expect((await listed(item.id)).map(({ title, data }) => [title, data])).to.deep.equal([
      ['Kept', {}],
      ['Old', null],
    ]);
  });

  it('are 404 for a role that does not see the inbox, and for an item that does not exist', async () => {
    const { id } = await make({ inbox: 'secret', title: 'Secret', key: 's' });
    const hidden = await clerk.get(`/items/${id}/occurrences`);
    expect(hidden.status).to.equal(404);
    const missing = await clerk.get('/items/itm_01jd0000000000000000000000/occurrences');
    expect({ ...missing.body }).to.deep.equal(hidden.body);
    expect((await clerk.get(`/items/${id}/occurrences?limti=1`)).status).to.equal(400);
  });

  it('come with their entries on the live stream and in GET /changes', async () => {
    const { id } = await make({ inbox: 'mail', key: 'live', title: 'One', data: { body: '1' } });
    const bug = await make({ inbox: 'bugs', key: 'live', title: '1', data: { stack: '1' } });
    await world.settled();
    const live = await openLive(clerk);
    const start = live.offset();
    await make({ inbox: 'mail', key: 'live', title: 'Two', data: { body: '2' } });
    for (const n of ['2', '3']) await make({ inbox: 'bugs', key: 'live', title: n, data: { stack: n } });
    const of = (item: string) => (message: Message) => message.type === 'timeline' && message.item === item;
    const said = await live.next('the entry', of(id));
    expect([said.change, said.entry]).to.deep.equal(['created', (await occurred(id))[0]]);
    const updated = await live.next('the update', (message) => of(bug.id)(message) && message.change === 'changed');
    expect(updated.entry).to.deep.equal((await occurred(bug.id))[0]);
    const { changes } = (await clerk.get(`/changes?after=${start}`)).body;
    expect(changes).to.deep.equal(live.messages.filter(({ type }) => type === 'item' || type === 'timeline'));
    await live.close();
  });
});
