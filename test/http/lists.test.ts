/** `GET /items`: each parameter compared with the same filter and sort in JavaScript, and pages that neither repeat nor skip. */
import { expect } from 'chai';
import { readDocuments } from '../support/documented.ts';
import { withoutNames, type Client, type Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { grants, makeItems, manifest, ordered, sorts, type Item, type Sort } from './listedItems.ts';

describe('lists of items over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let ana: Client;
  let all: Item[] = [];

  const idsOf = (reply: Reply): string[] => (reply.body.items as Item[]).map((item) => item.id);
  const list = async (query: string, client = clerk): Promise<Reply> => {
    const reply = await client.get(`/items${query}`);
    expect(reply.status, `${query} ${reply.text.slice(0, 300)}`).to.equal(200);
    return reply;
  };
  const pages = async (
    query: string,
    limit: number,
    client = clerk,
    between?: () => Promise<unknown>,
  ): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const reply: Reply = await list(
        `?limit=${String(limit)}${query}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        client,
      );
      expect(reply.body.items.length).to.be.at.most(limit);
      ids.push(...idsOf(reply));
      cursor = reply.body.cursor;
      await between?.();
    }
    return ids;
  };
  const same = async (query: string, fits: (item: Item) => boolean, client = clerk): Promise<void> => {
    const wanted = all.filter((item) => item.inbox !== 'secret' && fits(item));
    const reply = await list(`?limit=200&count=1${query}`, client);
    expect(idsOf(reply), query).to.deep.equal(ordered(wanted, 'lastSeen', true));
    expect(reply.body.total, query).to.equal(wanted.length);
    expect(reply.body).not.to.have.property('totalIsMinimum');
  };

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', grants);
    const documents = await readDocuments(world.base);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    ana = documents.of(await world.person('clerk', 'Ana Lind'));
    await makeItems(admin, ana);
    const ids = (await world.sql<{ id: string }>('select id from items')).map((row) => row.id);
    await until(
      'all of late is past its deadline',
      () => Date.now() > Math.max(...all.map((item) => item.lastSeen)) + 5,
    );
    all = await Promise.all(ids.map(async (id) => (await admin.get(`/items/${id}`)).body.item as Item));
    expect(all).to.have.length(120);
  });
  /** Removes the items that a test has made, and reads again those that it has changed. */
  const restoreAll = async (): Promise<void> => {
    const ids = all.map((item) => item.id);
    await world.sql('delete from items where id <> all($1)', [ids]);
    all = await Promise.all(ids.map(async (id) => (await admin.get(`/items/${id}`)).body.item as Item));
  };
  after(() => world.close());

  it('shows every inbox that the role sees, newest activity first, 50 at a time', async () => {
    const reply = await list('');
    const seen = all.filter((item) => item.inbox !== 'secret');
    expect(idsOf(reply)).to.deep.equal(ordered(seen, 'lastSeen', true).slice(0, 50));
    expect(reply.body).to.have.all.keys('items', 'cursor');
    expect(idsOf(await list('?limit=200', admin))).to.deep.equal(ordered(all, 'lastSeen', true));
  });

  it('shows each item as its own page does', async () => {
    const { items } = (await list('?limit=200')).body;
    for (const item of items) expect(item).to.deep.equal(all.find((other) => other.id === item.id));
  });

  describe('filters', () => {
    it('by inbox', () => same('&inbox=late', (item) => item.inbox === 'late'));
    it('by state, any of those named', () =>
      same('&state=waiting,approved', (item) => ['waiting', 'approved'].includes(item.state)));
    it('by tags, all of those named', () =>
      same('&tags=billing,late%20fee', (item) => item.tags.includes('billing') && item.tags.includes('late fee')));
    it('by a tag that nothing has', () => same('&tags=nothing', () => false));
    it('by person', () => same(`&assignee=${ana.id}`, (item) => item.assignee === ana.id));
    it('by me, for persons', () => same('&assignee=me', (item) => item.assignee === ana.id, ana));
    it('by nobody', () => same('&assignee=none', (item) => item.assignee === null));
    it('by a person who doesn’t exist: an empty page', () =>
      same('&assignee=per_01jd0000000000000000000000', () => false));
    it('by being overdue', async () => {
      const late = (item: Item) => item.dueAt !== null && item.dueAt < Date.now() && item.state !== 'closed';
      await same('&overdue=1', late);
      await same('&overdue=0', (item) => !late(item));
    });
    it('by being triaged', async () => {
      await same('&triaged=1', (item) => item.triaged);
      await same('&triaged=0', (item) => !item.triaged);
    });
    it('by being snoozed', async () => {
      await same('&snoozed=1', (item) => item.snoozedUntil !== null);
      await same('&snoozed=0', (item) => item.snoozedUntil === null);
    });
    it('together: all have to hold', () =>
      same(
        '&inbox=mail&state=open&tags=billing&assignee=none&snoozed=0&search=item',
        (item) =>
          item.inbox === 'mail' &&
          item.state === 'open' &&
          item.tags.includes('billing') &&
          item.assignee === null &&
          item.snoozedUntil === null &&
          /\bitem/i.test(item.title),
      ));

    it('counts a past snooze that nobody has woken yet as not snoozed', async () => {
      const item = all.find((other) => other.inbox === 'plain' && other.snoozedUntil === null && other.state === 'new');
      const id = item?.id ?? '';
      await world.sql('update items set snoozed_until = 1 where id = $1', [id]);
      expect(idsOf(await list('?snoozed=1&limit=200'))).not.to.include(id);
      await until('the sweep wakes it', async () => (await clerk.get(`/items/${id}`)).body.item.snoozedUntil === null);
      await restoreAll();
    });
  });

  describe('search', () => {
    const cases: readonly [string, (title: string) => boolean][] = [
      ['item', (title) => /^item/i.test(title)],
      ['ITEM o', (title) => /^item one/i.test(title)],
      ['one item', (title) => /^item one/i.test(title)],
      ['tem', () => false],
      ['änd', (title) => title.startsWith('Ä')],
      ['A\u0308nderung', (title) => title.startsWith('Ä')],
      ['100', (title) => title.includes('100%')],
      ['100%', (title) => title.includes('100%')],
      ['1%', () => false],
      ['%', () => false],
      ['_', () => false],
      ['a_b', (title) => title.startsWith('a_b')],
      ['a', (title) => title.startsWith('a_b') || title.startsWith('Ä')],
      ['\\', () => false],
      ['c\\d', (title) => title.includes('c\\d')],
      ['d', (title) => title.includes('c\\d') || title.startsWith('D')],
      ["'", () => false],
      ["it's", (title) => title.startsWith("It's")],
      ['&', (title) => title.includes('&')],
      ['a & ! b', () => false],
      ['5 & !6', (title) => title.startsWith("It's")],
      ['"', () => false],
      ['届', (title) => title.startsWith('注文')],
      ['文が', (title) => title.startsWith('注文')],
      ['届注', () => false],
      ['😀', (title) => title.startsWith('😀')],
      ['deja', (title) => title.startsWith('Déjà')],
      ['DÉJÀ', (title) => title.startsWith('Déjà')],
    ];
    for (const [query, fits] of cases) {
      it(`finds ${query} literally, as beginnings of words`, () =>
        same(`&search=${encodeURIComponent(query)}`, (item) => fits(item.title)));
    }

    it('takes + as a space', () => same('&search=item+one', (item) => /^item one/i.test(item.title)));
  });

  describe('sorting and paging', () => {
    for (const sort of Object.keys(sorts) as Sort[]) {
      for (const descending of [false, true]) {
        const name = `${descending ? '-' : ''}${sort}`;
        it(`by ${name}: each item once, ties by id, at every page size`, async () => {
          const wanted = ordered(
            all.filter((item) => item.inbox !== 'secret'),
            sort,
            descending,
          );
          for (const limit of [1, 7, 50, 200]) {
            if (limit === 1 && sort !== 'due') continue;
            expect(await pages(`&sort=${name}`, limit), `limit ${String(limit)}`).to.deep.equal(wanted);
          }
        });
      }
    }

    it('pages filtered lists, and the page size may differ between pages', async () => {
      const query = '&inbox=mail&tags=billing&sort=-occurrences';
      const wanted = ordered(
        all.filter((item) => item.inbox === 'mail' && item.tags.includes('billing')),
        'occurrences',
        true,
      );
      const first = await list(`?limit=2${query}`);
      const second = await list(`?limit=200${query}&cursor=${first.body.cursor}`);
      expect([...idsOf(first), ...idsOf(second)]).to.deep.equal(wanted);
      expect(second.body.cursor).to.equal(null);
    });

    it('says null at the end, also when the last page is full', async () => {
      const some = all.filter((item) => item.inbox === 'late').length;
      expect((await list(`?inbox=late&limit=${String(some)}`)).body.cursor).to.equal(null);
      expect((await list(`?inbox=late&limit=${String(some - 1)}`)).body.cursor).to.be.a('string');
    });

    it('neither repeats nor skips an item that doesn’t change while others do', async () => {
      const touched = all.filter((item) => item.inbox === 'refunds');
      const untouched = new Set(
        all.filter((item) => item.inbox !== 'secret' && item.inbox !== 'refunds').map((item) => item.id),
      );
      let turn = 0;
      const writers = async (): Promise<void> => {
        turn += 1;
        const item = touched[turn % touched.length];
        await admin.post('/items', { inbox: 'refunds', title: 'x', key: `k${String(all.length)}` });
        await admin.post(`/items/${item?.id ?? ''}/tags`, { add: [`turn${String(turn)}`] });
        await admin.post('/items', { inbox: 'refunds', title: `new ${String(turn)}` });
      };
      for (const sort of ['-lastSeen', 'title', 'due', '-users']) {
        const ids = (await pages(`&sort=${sort}`, 9, clerk, writers)).filter((id) => untouched.has(id));
        expect(ids, sort).to.have.length(untouched.size);
        expect(new Set(ids), sort).to.deep.equal(untouched);
      }
      await restoreAll();
    });
  });

  describe('cursors', () => {
    const refused = async (query: string, client = clerk): Promise<void> => {
      const reply = await client.get(`/items?${query}`);
      expect([reply.status, reply.body.code], `${query} ${reply.text}`).to.deep.equal([400, 'bad_cursor']);
    };

    it('are bad_cursor when they are made up, however long, and so are offsets of the stream', async () => {
      for (const made of ['x', 'A'.repeat(19), 'A'.repeat(20), 'x'.repeat(5000)]) {
        await refused(`cursor=${made}`);
        expect((await clerk.get(`/changes?after=${made}`)).body.code).to.equal('bad_cursor');
      }
      expect((await clerk.get('/changes?after=')).body.code).to.equal('bad_cursor');
    });

    it('belong to the query that made them', async () => {
      const { cursor } = (await list('?inbox=mail&limit=2')).body;
      await refused(`cursor=${cursor}`);
      await refused(`inbox=late&cursor=${cursor}`);
      await refused(`inbox=mail&sort=title&cursor=${cursor}`);
      await refused(`inbox=mail&sort=lastSeen&cursor=${cursor}`);
      await refused(`inbox=mail&search=item&cursor=${cursor}`);
      await refused(`inbox=mail&overdue=0&cursor=${cursor}`);
      await list(`?inbox=mail&sort=-lastSeen&cursor=${cursor}`);
    });

    it('belong to the role', async () => {
      const { cursor } = (await list('?limit=2', admin)).body;
      await refused(`cursor=${cursor}`);
    });

    it('can’t be changed, cut, made up or taken from elsewhere', async () => {
      const { cursor } = (await list('?limit=2')).body as { cursor: string };
      for (let i = 0; i < cursor.length; i++) {
        const changed = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1);
        await refused(`cursor=${changed}`);
      }
      await refused(`cursor=${cursor.slice(0, -1)}`);
      await refused(`cursor=${cursor}A`);
      await refused(`cursor=${Buffer.from('{"id":1}').toString('base64')}`);
      await refused(`cursor=${Buffer.from('{"id":1}').toString('base64url').repeat(10)}`);
      await refused(`cursor=${(await clerk.get('/inboxes?limit=1')).body.cursor}`);
    });
  });

  describe('views', () => {
    it('lay their filters under the parameters', async () => {
      const wanted = all.filter((item) => item.inbox === 'mail' && item.tags.includes('billing'));
      expect(idsOf(await list('?view=billing&limit=200'))).to.deep.equal(ordered(wanted, 'title', false));
    });

    it('are beaten by explicit parameters, one by one', async () => {
      const wanted = all.filter((item) => item.inbox === 'late' && item.tags.includes('billing'));
      expect(idsOf(await list('?view=billing&inbox=late&sort=-users&limit=200'))).to.deep.equal(
        ordered(wanted, 'users', true),
      );
      expect(idsOf(await list('?view=lateOnes&overdue=0&limit=200'))).not.to.deep.equal(
        idsOf(await list('?view=lateOnes&limit=200')),
      );
    });

    it('of whoever asks, where they say me', async () => {
      expect(idsOf(await list('?view=mine&limit=200', ana))).to.deep.equal(
        ordered(
          all.filter((item) => item.assignee === ana.id && item.inbox !== 'secret'),
          'lastSeen',
          true,
        ),
      );
      const agent = await clerk.get('/items?view=mine');
      expect([agent.status, agent.body.code]).to.deep.equal([400, 'invalid']);
    });

    it('that are unknown, or of an inbox that the role can’t see, answer the same 404, whatever else is asked', async () => {
      const texts = await Promise.all(
        [
          'view=nosuch',
          'view=secrets',
          'view=secrets&inbox=mail',
          'view=nosuch&inbox=mail',
          'inbox=secret',
          'inbox=nosuch',
          'view=__proto__',
        ].map((query) => clerk.get(`/items?${query}`)),
      );
      expect(
        new Set(
          texts.map((reply) => `${String(reply.status)} ${withoutNames(reply.text).replaceAll('"inbox"', '"view"')}`),
        ).size,
      ).to.equal(1);
      expect(texts[0]?.status).to.equal(404);
      await list('?view=secrets', admin);
    });
  });

  describe('totals', () => {
    it('are counted when asked for, for the whole list and not for the page', async () => {
      const reply = await list('?count=1&limit=3&inbox=mail');
      expect(reply.body.total).to.equal(all.filter((item) => item.inbox === 'mail').length);
      const next = await list(`?count=1&limit=3&inbox=mail&cursor=${reply.body.cursor}`);
      expect(next.body.total).to.equal(reply.body.total);
    });

    it('are exact up to 10,000 and a minimum beyond', async () => {
      const {
        body: { item },
      } = await admin.post('/items', { inbox: 'crowd', title: 'many' });
      const columns = (
        await world.sql<{ name: string }>(
          `select column_name as name from information_schema.columns where table_name = 'items' and column_name <> 'id' order by ordinal_position`,
        )
      )
        .map((row) => row.name)
        .join(', ');
      const copy = (from: number, to: number) =>
        world.sql(
          `insert into items (id, ${columns}) select 'itm_0' || lpad(n::text, 25, '0'), ${columns} from items, generate_series($2::int, $3::int) n where id = $1`,
          [item.id, from, to],
        );
      await copy(2, 10_000);
      expect((await list('?inbox=crowd&count=1&limit=1')).body).to.deep.include({ total: 10_000 });
      expect((await list('?inbox=crowd&count=1&limit=1')).body).not.to.have.property('totalIsMinimum');
      await copy(10_001, 10_001);
      for (const query of ['', '&search=many', '&state=open', '&assignee=none', '&snoozed=0']) {
        expect((await list(`?inbox=crowd&count=1&limit=1${query}`)).body, query).to.deep.include({
          total: 10_000,
          totalIsMinimum: true,
        });
      }
      expect((await list('?inbox=crowd&count=1&state=closed')).body).to.deep.include({ total: 0 });
      await world.sql(`delete from items where inbox = 'crowd'`);
    });
  });

  describe('refusals', () => {
    const wrong: readonly [string, string][] = [
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['limit=1&limit=1', 'limit'],
      ['stat=open', 'stat'],
      ['state=nosuch', 'state'],
      ['state=open,', 'state.1'],
      ['tags=a,,b', 'tags.1'],
      ['assignee=None', 'assignee.0'],
      ['assignee=me', 'assignee'],
      ['overdue=true', 'overdue'],
      ['sort=created', 'sort'],
      ['count=0', 'count'],
      ['search=', 'search'],
      [`search=${'a%20'.repeat(11)}`, 'search'],
      ['inbox=', 'inbox'],
      ['cursor=', 'cursor'],
      ['view=', 'view'],
    ];
    for (const [query, path] of wrong) {
      it(`answers 400 to ${query.slice(0, 30)} and names ${path}`, async () => {
        const reply = await clerk.get(`/items?${query}`);
        expect([reply.status, reply.body.code], reply.text).to.deep.equal([400, 'invalid']);
        expect(reply.body.details.map((place: { path: string }) => place.path)).to.include(path);
      });
    }

    it('names every offending parameter at once, unknown ones too', async () => {
      const { body } = await clerk.get('/items?limt=5&limit=0&sort=x&overdue=2&search=%00');
      expect(body.details.map((place: { path: string }) => place.path)).to.have.members([
        'limt',
        'limit',
        'sort',
        'overdue',
        'search',
      ]);
    });

    it('names the states that there are in the visible inboxes and no others', async () => {
      const { text } = await clerk.get('/items?state=nosuch');
      for (const state of ['open', 'requested', 'declined', 'done']) expect(text).to.include(state);
    });
  });

  describe('offsets', () => {
    it('carries the stream’s offset from before it was read', async () => {
      const reply = await list('?limit=1');
      let after = reply.headers.get('x-live-offset') ?? '';
      const {
        body: { item },
      } = await admin.post('/items', { inbox: 'mail', title: 'after the list' });
      const heard = await until('the change comes', async () => {
        const { body } = await clerk.get(`/changes?after=${after}&wait=2000`);
        after = body.cursor as string;
        return (body.changes as { type: string; item?: { id: string } }[]).find(
          (change) => change.type === 'item' && change.item?.id === item.id,
        );
      });
      expect(heard).to.be.an('object');
      await restoreAll();
    });
  });
});
