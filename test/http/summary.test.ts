/** `GET /items/summary`: groups against a naive grouping of everything that the role sees. */
import { expect } from 'chai';
import { readDocuments } from '../support/documented.ts';
import type { Client } from '../support/http.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { newWorld, type World } from '../support/world.ts';

interface Listed {
  readonly id: string;
  readonly inbox: string;
  readonly title: string;
  readonly state: string;
  readonly tags: readonly string[];
  readonly assignee: string | null;
  readonly record: { readonly resource: string; readonly id: string } | null;
  readonly occurrences: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Group {
  readonly key: string | null;
  readonly label: string | null;
  readonly count: number;
  readonly occurrences: number;
  readonly unassigned: number;
  readonly overdue: number;
  readonly oldest: number;
  readonly newest: number;
  readonly example: { readonly id: string; readonly title: string };
}

const day = (time: number): string => new Date(time).toISOString().slice(0, 10);

const scalar = (value: unknown): string | null =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;

const keysBy: Readonly<Record<string, (item: Listed) => readonly (string | null)[]>> = {
  inbox: ({ inbox }) => [inbox],
  state: ({ state }) => [state],
  tag: ({ tags }) => (tags.length === 0 ? [null] : tags),
  assignee: ({ assignee }) => [assignee],
  record: ({ record }) => [record === null ? null : `${record.resource}:${record.id}`],
  day: ({ firstSeen }) => [day(firstSeen)],
  'fields.plan': ({ fields }) => [scalar(fields['plan'])],
};

/** Groups as the documents say, from what a list shows. */
const naive = (items: readonly Listed[], by: string): Omit<Group, 'label' | 'overdue' | 'example'>[] => {
  const groups = new Map<string | null, Listed[]>();
  for (const item of items)
    for (const key of keysBy[by]?.(item) ?? []) groups.set(key, [...(groups.get(key) ?? []), item]);
  return [...groups].map(([key, all]) => ({
    key,
    count: all.length,
    occurrences: all.reduce((sum, { occurrences }) => sum + occurrences, 0),
    unassigned: all.filter(({ assignee }) => assignee === null).length,
    oldest: Math.min(...all.map(({ firstSeen }) => firstSeen)),
    newest: Math.max(...all.map(({ lastSeen }) => lastSeen)),
  }));
};

const byKey = (a: { key: string | null }, b: { key: string | null }): number =>
  String(a.key) < String(b.key) ? -1 : String(a.key) > String(b.key) ? 1 : 0;

const manifest = {
  ...testManifest,
  inboxes: testManifest.inboxes.map((inbox) =>
    inbox.name === 'mail'
      ? { ...inbox, fields: { type: 'object', properties: { plan: {}, note: { type: 'string' } } } }
      : inbox,
  ),
};

describe('a summary of items', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let person: string;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerkGrants);
    const documents = await readDocuments(world.base);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    person = (await world.person('admin', 'Ana Lind')).id;
    await world.records('customer', [
      { id: 'ada', title: 'Ada' },
      { id: 'bo:b', title: 'Bob' },
    ]);
    await world.records('vault', [{ id: 'v1', title: 'Vault' }]);
    const records = [
      undefined,
      { resource: 'customer', id: 'ada' },
      { resource: 'customer', id: 'bo:b' },
      { resource: 'vault', id: 'v1' },
    ];
    const plans = ['pro', 'free', 7, true, null, ['pro'], undefined, '["pro"]', '{', { pro: 1 }, 'null'];
    for (let n = 0; n < 60; n++) {
      const inbox = ['mail', 'mail', 'bugs', 'secret'][n % 4] ?? 'mail';
      const record = records[n % records.length];
      const { status, text, body } = await admin.post('/items', {
        inbox,
        title: `Item ${String(n)}`,
        tags: ['vip', 'late', 'new'].slice(n % 3, (n % 3) + (n % 4)),
        ...(record === undefined ? {} : { record }),
        ...(inbox === 'mail'
          ? { data: plans[n % plans.length] === undefined ? {} : { plan: plans[n % plans.length] } }
          : {}),
      });
      expect(status, text).to.equal(201);
      if (n % 5 === 0) await admin.post(`/items/${String(body.item.id)}/assign`, { assignee: person });
    }
    await world.settled();
  });
  after(() => world.close());

  const listed = async (client: Client, query: string): Promise<Listed[]> => {
    const { status, body, text } = await client.get(`/items?limit=200&${query}`);
    expect(status, text).to.equal(200);
    return body.items as Listed[];
  };

  it('has the groups, counts and times of everything that the role sees, by everything', async () => {
    for (const client of [admin, clerk])
      for (const filter of ['', 'inbox=mail', 'tags=vip', 'assignee=none', 'q=item', 'record=customer:ada'])
        for (const by of Object.keys(keysBy)) {
          const items = await listed(client, filter);
          const { status, body, text } = await client.get(`/items/summary?by=${by}&limit=100&${filter}`);
          expect(status, text).to.equal(200);
          const groups = (body.groups as Group[]).map(({ label: _l, overdue: _o, example: _e, ...rest }) => rest);
          expect(groups.toSorted(byKey), `by ${by} ${filter}`).to.deep.equal(naive(items, by).toSorted(byKey));
          expect(groups.map(({ count }) => count)).to.deep.equal(
            groups.map(({ count }) => count).toSorted((a, b) => b - a),
          );
          expect([body.total, body.sampled, body.of, body.more]).to.deep.equal([items.length, false, items.length, 0]);
          const largest = await client.get(`/items/summary?by=${by}&limit=1&${filter}`);
          expect(largest.body.groups).to.deep.equal(body.groups.slice(0, 1));
          expect(largest.body.more).to.equal(Math.max(0, body.groups.length - 1));
          for (const { key, example } of body.groups as Group[]) {
            const item = items.find(({ id }) => id === example.id);
            expect(item?.title).to.equal(example.title);
            expect(item === undefined ? [] : keysBy[by]?.(item)).to.include(key);
          }
        }
  });

  it('groups by anything and the day at once', async () => {
    for (const client of [admin, clerk])
      for (const by of Object.keys(keysBy).filter((one) => one !== 'day')) {
        const items = await listed(client, 'inbox=mail');
        const { status, body, text } = await client.get(`/items/summary?by=${by},day&limit=100&inbox=mail`);
        expect(status, text).to.equal(200);
        const wanted = items.flatMap((item) =>
          (keysBy[by]?.(item) ?? []).map((key) => JSON.stringify([key, day(item.firstSeen)])),
        );
        const groups = body.groups as (Group & { day: string })[];
        const found = groups.flatMap(({ key, day: on, count }) =>
          Array.from({ length: count }, () => JSON.stringify([key, on])),
        );
        expect(found.sort(), by).to.deep.equal(wanted.sort());
        const first = groups.find(({ key }) => key !== null);
        expect(first?.label, 'the label is that of the first').to.be.a('string');
        expect([body.total, body.sampled]).to.deep.equal([items.length, false]);
      }
  });

  it('labels groups as people read them, and a record that the role does not see not at all', async () => {
    const labels = async (client: Client, by: string): Promise<Record<string, string | null>> =>
      Object.fromEntries(
        ((await client.get(`/items/summary?by=${by}`)).body.groups as Group[]).map(({ key, label }) => [
          String(key),
          label,
        ]),
      );
    expect((await labels(admin, 'record'))['customer:bo:b']).to.equal('Bob');
    expect((await labels(admin, 'assignee'))[person]).to.equal('Ana Lind');
    expect(Object.keys(await labels(admin, 'record'))).to.include('vault:v1');
    expect(Object.keys(await labels(clerk, 'record'))).not.to.include('vault:v1');
    expect(Object.keys(await labels(clerk, 'inbox'))).not.to.include('secret');
  });

  it('refuses what it can’t group by, and names what it can', async () => {
    const refused = async (query: string): Promise<unknown> => {
      const { status, body } = await clerk.get(`/items/summary?${query}`);
      return [status, body.code, body.details?.[0]?.path];
    };
    expect(await refused('by=colour')).to.deep.equal([400, 'invalid', 'by']);
    expect(await refused('by=fields.nosuch')).to.deep.equal([400, 'invalid', 'by']);
    for (const by of ['day,day', ',day', 'state,tag', 'state,day,day'])
      expect(await refused(`by=${by}`), by).to.deep.equal([400, 'invalid', 'by']);
    expect(await refused('')).to.deep.equal([400, 'invalid', 'by']);
    expect(await refused('by=tag&limit=101')).to.deep.equal([400, 'invalid', 'limit']);
    expect((await clerk.get('/items/summary?by=tag&inbox=secret')).status).to.equal(404);
  });
});
