/** How titles, tags and keys are stored: composed, trimmed and without signs that nobody sees, so that what looks the same is the same. */
import { expect } from 'chai';
import fc from 'fast-check';
import { cleanText } from '../../shared/platform/words/texts.ts';
import type { FakeApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  resources: [{ name: 'customer', source: 'stored' }],
  inboxes: [{ name: 'mail' }],
  views: [{ name: 'cafe', inbox: 'mail', tags: 'cafe\u0301' }],
};

describe('texts that name something', () => {
  let world: World;
  let admin: Client;
  let app: FakeApp;

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
    app = await world.app();
  });
  after(() => world.close());

  const make = async (body: object): Promise<{ id: string; title: string; tags: string[]; occurrences: number }> => {
    const reply = await admin.post('/items', { inbox: 'mail', title: 'x', ...body });
    expect(reply.status, reply.text).to.be.oneOf([200, 201]);
    return reply.body.item;
  };
  const listed = async (query: Record<string, string>): Promise<string[]> =>
    ((await admin.get(`/items?${new URLSearchParams(query).toString()}`)).body.items as { id: string }[]).map(
      ({ id }) => id,
    );

  it('are cleaned once for all, and keep what joins the signs beside it', () => {
    for (const [text, clean] of [
      [' cafe\u0301 ', 'café'],
      ['\u200bvip\u200d\u00ad\ufeff', 'vip'],
      ['a\u200db\u0007\u202ec', 'abc'],
      ['👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3', '👩\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3'],
      ['می\u200cخواهم', 'می\u200cخواهم'],
      ['क्\u200dष', 'क्\u200dष'],
      ['\u3164\u2800\u115f', ''],
    ] as const)
      expect(cleanText(text), JSON.stringify(text)).to.equal(clean);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(cleanText(cleanText(text))).to.equal(cleanText(text));
        expect(cleanText(text.normalize('NFD'))).to.equal(cleanText(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('of which nothing is seen are refused, of whatever plane', async () => {
    const id = (await make({ title: 'Seen' })).id;
    for (const sign of ['\u200b', '\ufff9', '\u{e0001}', '\u{e0041}', '\u{e0100}', '\u{1d173}']) {
      const tagged = await admin.post(`/items/${id}/tags`, { add: [sign] });
      const made = await admin.post('/items', { inbox: 'mail', title: 'Tagged', tags: [sign] });
      const titled = await admin.post('/items', { inbox: 'mail', title: sign });
      const statuses = [tagged.status, made.status, titled.status];
      expect(statuses, JSON.stringify(sign)).to.deep.equal([400, 400, 400]);
    }
  });

  it('are one key and one tag, however they are sent, also in reports of the app', async () => {
    const first = await make({
      key: 'cafe\u0301 1',
      title: ' Caf\u0065\u0301\u200b ',
      tags: ['cafe\u0301', ' vip', 'vip\u200b'],
    });
    expect([first.title, first.tags]).to.deep.equal(['Café', ['café', 'vip']]);
    const turned = await make({ title: 'invoice\u202efdp.exe\u00ad \u2067a\u2069\u0007' });
    expect(turned.title, 'reads as it is').to.equal('invoicefdp.exe a');
    const again = await make({ key: ' café\u200b 1' });
    expect([again.id, again.occurrences]).to.deep.equal([first.id, 2]);
    const report = { inbox: 'mail', title: 'Reported\u200b', key: 'caf\u0065\u0301 1' };
    expect(await app.request('items.report', report)).to.deep.include({ item: first.id, created: false });
    for (const tags of ['café', 'cafe\u0301', ' caf\u00e9\u200b'])
      expect(await listed({ tags }), tags).to.deep.equal([first.id]);
    expect(await listed({ view: 'cafe' })).to.deep.equal([first.id]);
    const same = await admin.post(`/items/${first.id}/tags`, { add: ['vip\u00ad'] });
    expect(same.body.changed, same.text).to.equal(false);
    const both = await admin.post(`/items/${first.id}/tags`, { add: ['new'], remove: ['new\u200b'] });
    expect(both.body.details[0].path).to.equal('add.0');
    const { body } = await callTool(admin, 'list_items', { inbox: 'mail', tags: ['cafe\u0301'] });
    expect((body.items as { id: string }[]).map(({ id }) => id)).to.deep.equal([first.id]);
    const bulk = await admin.post('/bulk', { ids: [first.id], operation: { type: 'tags', remove: ['vip\u200b'] } });
    expect(bulk.status, bulk.text).to.equal(202);
    await until('the tag is gone', async () => (await listed({ tags: 'vip' })).length === 0);
  });

  it('are refused where nothing of them is seen, or too much has become of them', async () => {
    for (const [body, path] of [
      [{ title: '\u200b\u00ad ' }, 'title'],
      [{ title: '\u3164\u{e0041}' }, 'title'],
      [{ title: '\u202e\u200e' }, 'title'],
      [{ title: '\ufb2c'.repeat(500) }, 'title'],
      [{ key: '\u200b' }, 'key'],
      [{ tags: ['\u2060'] }, 'tags.0'],
    ] as const) {
      const reply = await admin.post('/items', { inbox: 'mail', title: 'x', ...body });
      expect([reply.status, reply.body.details?.[0]?.path], JSON.stringify(body)).to.deep.equal([400, path]);
    }
    const failed = await app
      .request('items.report', { inbox: 'mail', title: '\u200b' })
      .then(() => null)
      .catch((error: unknown) => error);
    expect(String(failed)).to.include('title');
    const unseen = await app
      .request('records.put', { resource: 'customer', records: [{ id: 'c', title: '\u200b' }] })
      .then(() => null)
      .catch((error: unknown) => error);
    expect(String(unseen)).to.include('title');
    await app.request('records.put', { resource: 'customer', records: [{ id: 'c', title: ' Zoe\u0308\u200b' }] });
    expect((await admin.get('/resources/customer/c')).body.record.title).to.equal('Zoë');
  });

  it('are tidied where the release before has stored them, with the counts of tags', async () => {
    const item = await make({ key: 'twin', tags: ['old'] });
    await world.settled();
    await world.sql(
      `update items set tags = array[U&'cafe\\0301', 'old', U&'old\\200b'], key = U&'twin\\200b' where id = $1`,
      [item.id],
    );
    await world.sql(
      `insert into tag_counts select env, inbox, t, 1 from items, unnest(array[U&'cafe\\0301', U&'old\\200b']) t where id = $1`,
      [item.id],
    );
    const counts = async (): Promise<Record<string, number>> =>
      Object.fromEntries(
        ((await admin.get('/tags?inbox=mail')).body.tags as { tag: string; count: number }[]).map(({ tag, count }) => [
          tag,
          count,
        ]),
      );
    const before = await counts();
    await world.sql('update item_words_progress set recut_walks = 0, recut_at = null, recut_place = null');
    await until('the tags are tidied', async () => (await listed({ tags: 'café,old' })).includes(item.id));
    expect((await admin.get(`/items/${item.id}`)).body.item.tags).to.deep.equal(['café', 'old']);
    const after = await counts();
    expect(after['café']).to.equal((before['café'] ?? 0) + 1);
    expect(after['old']).to.equal(before['old']);
    expect(Object.keys(after)).not.to.include('cafe\u0301').and.not.to.include('old\u200b');
    expect((await make({ key: 'twin' })).id).to.equal(item.id);
  });
});
