/** Items over HTTP: all about one, and its timeline. */
import { expect } from 'chai';
import type { Client, Reply } from '../../support/http.ts';
import type { World } from '../../support/world.ts';
import { openItemsWorld, refused, type Entry, type ItemsWorld } from './itemsWorld.ts';

describe('items over HTTP: reading', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let viewer: Client;
  let ana: Client;
  let make: ItemsWorld['make'];
  let done: ItemsWorld['done'];
  let detail: ItemsWorld['detail'];

  before(async () => {
    ({ world, admin, clerk, viewer, ana, make, done, detail } = await openItemsWorld());
  });
  after(() => world.close());

  describe('the detail', () => {
    it('fills the inbox’s blocks, and carries linked records in their order', async () => {
      const body = {
        inbox: 'desk',
        data: { email: 'ada@example.com', seats: 3 },
        record: { resource: 'customer', id: 'c 1/ä' },
        links: [
          { resource: 'customer', id: 'c2' },
          { resource: 'customer', id: 'c 1/ä' },
          { resource: 'customer', id: 'nobody' },
        ],
      };
      const item = await make(body, await world.appKey());
      const { blocks, linked, appOffline, triage, timelineCursor } = await detail(item);
      expect(blocks).to.deep.equal([
        { type: 'text', title: 'From', text: 'From ada@example.com about Ada', plain: true },
        { type: 'stat', title: 'Seats', value: 3, unit: null, change: null },
      ]);
      expect(linked.map((record: { id: string; title: string }) => [record.id, record.title])).to.deep.equal([
        ['c 1/ä', 'Ada'],
        ['c2', 'Bo'],
        ['nobody', 'nobody'],
      ]);
      expect(linked[0]).to.have.all.keys('resource', 'id', 'title', 'subtitle', 'fields', 'updatedAt');
      expect({ appOffline, triage, timelineCursor }).to.deep.equal({
        appOffline: true,
        triage: null,
        timelineCursor: null,
      });
    });

    it('reads the item with its records, its occurrence and its timeline in one statement', async () => {
      const reads = async (): Promise<Record<string, number>> => {
        const text = await (await fetch(new URL('/metrics', world.base))).text();
        const found = text.matchAll(
          /^console_postgres_statements_total\{statement="((?:items|records|occurrences|timeline)\..+)"\} (\d+)$/gm,
        );
        return Object.fromEntries([...found].map(([, name = '', count]) => [name, Number(count)]));
      };
      const links = [{ resource: 'customer', id: 'c2' }];
      const record = { resource: 'customer', id: 'c 1/ä' };
      const body = { inbox: 'desk', data: { email: 'ada@example.com' }, record, links };
      const item = await make(body, await world.appKey());
      await done(item, 'notes', { text: 'Seen' });
      // The jobs of a new item read it, too. They have to end before the reads are counted.
      await world.settled();
      const before = await reads();
      const { linked, latestOccurrence, timeline } = await detail(item);
      const read = Object.entries(await reads()).filter(([name, count]) => count !== before[name]);
      expect(read).to.deep.equal([['items.detail', (before['items.detail'] ?? 0) + 1]]);
      expect(linked.map((one: { id: string }) => one.id)).to.deep.equal(['c 1/ä', 'c2']);
      expect(latestOccurrence.data).to.deep.equal({ email: 'ada@example.com' });
      expect(timeline.map(({ type }: Entry) => type)).to.deep.equal(['note', 'created']);
    });

    it('suggests only actions that hold, that the role may run and whose record it sees', async () => {
      const item = await make({
        inbox: 'desk',
        data: { email: 'ada@example.com', seats: 101 },
        record: { resource: 'customer', id: 'c 1/ä' },
      });
      expect((await detail(item)).suggestedActions).to.deep.equal([
        {
          action: 'refund',
          label: 'Refund',
          record: 'c 1/ä',
          input: { to: 'ada@example.com' },
          reason: 'On the team plan.',
        },
        { action: 'review', label: 'Review', record: null, input: {}, reason: null },
      ]);
      expect((await detail(item, viewer)).suggestedActions).to.deep.equal([]);
      const vault = await make(
        { inbox: 'desk', data: { email: 'a@b' }, record: { resource: 'vault', id: 'v1' } },
        admin,
      );
      expect((await detail(vault)).suggestedActions).to.deep.equal([]);
      expect(
        (await detail(vault, admin)).suggestedActions.map(({ action }: { action: string }) => action),
      ).to.deep.equal(['unlock', 'upgrade']);
    });

    it('reads a record of an unseen resource as null everywhere', async () => {
      const item = await make(
        {
          inbox: 'desk',
          data: { email: 'a@b' },
          record: { resource: 'vault', id: 'v1' },
          links: [
            { resource: 'vault', id: 'v1' },
            { resource: 'customer', id: 'c2' },
          ],
        },
        admin,
      );
      expect(item.record).to.deep.equal({ resource: 'vault', id: 'v1', title: 'Gold' });
      const seen = await detail(item);
      expect(seen.item.record).to.equal(null);
      expect(seen.linked.map((record: { id: string }) => record.id)).to.deep.equal(['c2']);
      expect(seen.blocks[0].text).to.equal('From a@b about ');
      expect((await done(item, 'notes', { text: 'x' })).record).to.equal(null);
      expect(
        (await clerk.get('/items?inbox=desk')).body.items.find((other: { id: string }) => other.id === item.id).record,
      ).to.equal(null);
      const stale = await clerk.post(`/items/${item.id}/notes`, { text: 'x' }, { headers: { 'if-match': '"1"' } });
      expect([stale.status, stale.body.current.record]).to.deep.equal([412, null]);
    });

    it('is told by lists word for word as by itself, whatever its texts hold', async () => {
      const texts = [
        '"',
        '\\',
        '\\u0041',
        '\t\n\r\b\f',
        '\u0001\u001f\u007f\u0085',
        '\u2028\u2029',
        '</script>',
        '😀 e\u0301',
        "'",
        '{"a":1}',
      ];
      await world.records(
        'customer',
        texts.map((text, n) => ({ id: `"${String(n)}\\`, title: `Of ${text}` })),
      );
      const made: Reply['body'][] = [];
      for (const text of texts)
        made.push(
          await make({
            title: `Texts ${text} end`,
            tags: ['quote"d', 'back\\slash', 'wörter'],
            data: { [text]: [text, { deep: text }], number: 1.5e-7, none: null },
            record: { resource: 'customer', id: `"${String(made.length)}\\` },
          }),
        );
      await done(made[0], 'assign', { assignee: ana.id });
      await done(made[1], 'snooze', { until: Date.now() + 3_600_000 });
      const { items } = (await clerk.get(`/items?inbox=mail&search=Texts&limit=200`)).body;
      expect(items).to.have.length(texts.length);
      for (const item of items) expect(item).to.deep.equal((await detail(item)).item);
      const seen = (await viewer.get(`/items?inbox=mail&search=Texts&limit=200`)).body.items;
      for (const item of seen) expect(item).to.deep.equal((await detail(item, viewer)).item);
    });

    it('pages the timeline newest first without a hole', async () => {
      const item = await make();
      for (let i = 0; i < 120; i++) await done(item, 'notes', { text: `note ${String(i)}` });
      const { timeline: first, timelineCursor } = await detail(item);
      expect(first).to.have.length(100);
      const rest: Entry[] = [];
      for (let cursor: string | null = timelineCursor; cursor !== null;) {
        const page = await clerk.get(`/items/${item.id}/timeline?limit=7&cursor=${cursor}`);
        expect(page.status, page.text).to.equal(200);
        rest.push(...page.body.entries);
        cursor = page.body.cursor;
      }
      const all = [...first, ...rest];
      expect(all.map((entry: Entry) => entry.data['text'] ?? entry.type)).to.deep.equal([
        ...Array.from({ length: 120 }, (_, i) => `note ${String(119 - i)}`),
        'created',
      ]);
      const whole = await clerk.get(`/items/${item.id}/timeline?limit=200`);
      expect(whole.body).to.deep.equal({ entries: all, cursor: null });
    });

    it('refuses a timeline cursor of another item', async () => {
      const [one, other] = [await make(), await make()];
      for (let i = 0; i < 2; i++) await done(one, 'notes', { text: 'x' });
      const {
        body: { cursor },
      } = await clerk.get(`/items/${one.id}/timeline?limit=1`);
      refused(await clerk.get(`/items/${other.id}/timeline?cursor=${String(cursor)}`), 400, 'bad_cursor');
    });
  });
});
