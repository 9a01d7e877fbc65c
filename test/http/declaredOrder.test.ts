/** The order in which an app declares members: every answer, message and tool has it, whatever order values come in. */
import { expect } from 'chai';
import { connectApp, type FakeApp } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { newRandom } from '../support/random.ts';
import { callTool, rpc } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';

const random = newRandom(Number(process.env['SEED'] ?? Date.now()));
/** Names of many lengths, which `jsonb` sorts by their length first. */
const names = random.shuffled(
  Array.from({ length: 24 }, (_, n) => `${'zyxwabcd'[n % 8] ?? ''}${'o'.repeat(random.int(0, 12))}_${String(n)}`),
);
const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
const schema = {
  type: 'object',
  properties: {
    ...properties,
    deep_member: { type: 'object', properties },
    list: { type: 'array', items: { type: 'object', properties } },
  },
};
const fields = names.map((name) => ({ name, type: 'text', search: true }));
const manifest = {
  resources: [
    { name: 'thing', source: 'stored', fields, relations: [{ name: 'others', resource: 'thing', field: names[0] }] },
    { name: 'served', source: 'app', fields },
  ],
  inboxes: [
    { name: 'mail', fields: schema, onOccurrence: { keep: null } },
    { name: 'gone', fields: schema },
  ],
  actions: [
    { name: 'act', resource: 'thing', input: schema, defaults: properties },
    { name: 'ask', resource: 'thing', input: schema, approval: true },
  ],
  pages: [{ name: 'all', blocks: [{ type: 'record', source: 'records', query: { resource: 'thing', id: 't1' } }] }],
};

/** Members in another order than the declared one. */
const values = Object.fromEntries([...names].sort().map((name) => [name, 'moss']));
const data = { list: [values], deep_member: values, ...values };

/** Returns the places of a value whose members have another order than the declared one, and how many places there are. */
const places = (value: unknown): { seen: number; wrong: string[] } => {
  const found = { seen: 0, wrong: [] as string[] };
  const walk = (one: unknown, path: string): void => {
    if (typeof one !== 'object' || one === null) return;
    const own = Array.isArray(one)
      ? one.flatMap((each: { name?: unknown } | null) =>
          typeof each?.name === 'string' && names.includes(each.name) ? [each.name] : [],
        )
      : Object.keys(one).filter((name) => names.includes(name));
    if (own.length > 1) {
      found.seen++;
      if (own.join() !== names.filter((name) => own.includes(name)).join()) found.wrong.push(path);
    }
    for (const [name, each] of Object.entries(one)) walk(each, `${path}/${name}`);
  };
  walk(value, '');
  return found;
};

describe(`the declared order of members, with seed ${String(random.seed)}`, () => {
  let world: World;
  let admin: Client;
  let person: Client;
  let key: Client;
  let app: FakeApp;
  let item: string;

  const ordered = (what: string, value: unknown, least = 1): void => {
    const { seen, wrong } = places(value);
    expect(wrong, what).to.deep.equal([]);
    expect(seen, `places in ${what}`).to.be.at.least(least);
  };
  const made = (reply: Reply): Reply => {
    expect(reply.status, reply.text).to.be.oneOf([200, 201, 202]);
    return reply;
  };
  const orderedAt = async (path: string, least = 1): Promise<void> => {
    ordered(path, made(await admin.get(path)).body, least);
  };
  const connected = (declared: unknown = manifest): Promise<FakeApp> =>
    connectApp(key, {
      manifest: declared,
      handlers: {
        'action.run': () => ({ message: 'Done.' }),
        'records.get': ({ ids }: { ids: string[] }) => ({
          records: ids.map((id) => ({ id, title: id, fields: values })),
        }),
        'records.search': () => ({ records: [{ id: 's1', title: 's1', fields: values }] }),
        'records.list': () => ({ records: [{ id: 's1', title: 's1', fields: values }] }),
      },
    });

  before(async () => {
    world = await newWorld({ manifest });
    admin = await world.agent('admin');
    person = await world.person('admin');
    key = await world.appKey();
    app = await connected();
    const records = ['t1', 't2'].map((id) => ({ id, title: id, fields: { ...values, [names[0] ?? '']: 't1' } }));
    made(await key.post('/resources/thing/records', { records }));
    const record = { resource: 'thing', id: 't1' };
    item = made(await admin.post('/items', { inbox: 'mail', title: 'moss', data, record, key: 'k' })).body.item.id;
    made(await admin.post('/items', { inbox: 'mail', title: 'moss again', data, record, key: 'k' }));
  });
  after(async () => {
    await app.close();
    await world.close();
  });

  it('is that of what is declared: fields, inputs, defaults, and the schemas of tools', async () => {
    await orderedAt('/resources', 2);
    await orderedAt('/inboxes', 6);
    await orderedAt('/actions', 6);
    ordered(
      'POST /available',
      made(await admin.post('/available', { refs: [{ resource: 'thing', id: 't1' }] })).body,
      7,
    );
    ordered('tools/list', (await rpc(admin, 'tools/list')).body, 6);
  });

  it('is that of the values of records, whoever keeps them', async () => {
    for (const path of [
      '/resources/thing?q=moss',
      '/resources/thing/list',
      '/resources/thing/list?q=t1',
      '/resources/thing/t1',
      '/resources/thing/t1/related/others',
      '/resources/served?q=s',
      '/resources/served/list',
      '/resources/served/s1',
      '/search?q=moss&types=records',
      '/pages/all',
    ])
      await orderedAt(path);
    ordered('get_record', (await callTool(admin, 'get_record', { resource: 'thing', id: 't1' })).body);
  });

  it('is that of the data of items and occurrences', async () => {
    await orderedAt('/items?inbox=mail', 3);
    await orderedAt(`/items/${item}`, 8);
    await orderedAt(`/items/${item}/occurrences`, 6);
    ordered('get_item', (await callTool(admin, 'get_item', { id: item })).body, 3);
    const { item: reported } = await app.request('items.report', { inbox: 'mail', title: 'told', data });
    await orderedAt(`/items/${String(reported)}`, 3);
  });

  it('is that of inputs: of runs, of what the app is given, of requests, their targets and their sentences', async () => {
    const run = { record: 't1', input: data };
    ordered('a dry run', made(await admin.post('/actions', { action: 'act', ...run, dryRun: true })).body, 3);
    const { run: id } = made(await admin.post('/actions', { action: 'act', ...run })).body as { run: string };
    await orderedAt(`/runs/${id}`, 3);
    await orderedAt('/runs', 3);
    ordered('action.run', app.received.find(({ method }) => method === 'action.run')?.params, 4);
    const { approval } = made(await admin.post('/actions', { action: 'ask', ...run })).body as { approval: string };
    await orderedAt('/approvals?status=pending', 5);
    const read = made(await admin.get(`/approvals/${approval}`)).body.approval as { sentence: string };
    ordered('the request', read, 5);
    const said = [...read.sentence.matchAll(/[ ,](\w+_\d+) "/g)].map(([, name]) => name);
    expect(said, read.sentence).to.deep.equal(names.slice(0, said.length));
    expect(said).to.have.length.at.least(10);
    ordered('the decision', made(await person.post(`/approvals/${approval}/reject`, {})).body, 3);
    const supervised = await world.agent('admin', { mode: 'supervised' });
    made(await supervised.post('/items', { inbox: 'mail', title: 'asked', data }));
    await orderedAt('/approvals?status=pending', 3);
  });

  it('is that of messages', async () => {
    const live = await openLive(admin);
    const start = live.offset();
    made(await admin.post('/items', { inbox: 'mail', title: 'once more', data, key: 'k' }));
    const values = { record: 't1', input: { ...data, list: [] } };
    for (const action of ['act', 'ask']) made(await admin.post('/actions', { action, ...values }));
    for (const type of ['item', 'timeline', 'run', 'approval'])
      ordered(type, await live.next(type, (message) => message.type === type), 2);
    await world.settled();
    ordered('/changes', made(await admin.get(`/changes?after=${start}`)).body, 10);
    await live.close();
  });

  it('follows the app when it declares another one, and is kept for an inbox that it leaves out', async () => {
    const kept = names.splice(0);
    names.push(...[...kept].reverse());
    const reversed = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const turned = { ...schema, properties: { ...reversed, deep_member: { type: 'object', properties: reversed } } };
    await app.close();
    app = await connected({
      ...manifest,
      resources: [{ ...manifest.resources[0], fields: [...fields].reverse() }],
      inboxes: manifest.inboxes.map((inbox) => ({ ...inbox, fields: turned })),
      actions: [{ name: 'act', resource: 'thing', input: turned }],
    });
    await orderedAt('/actions', 2);
    await orderedAt('/resources/thing/list', 2);
    await app.close();
    app = await connected({ ...manifest, resources: [{ ...manifest.resources[0], fields }], inboxes: [], pages: [] });
    await orderedAt('/inboxes', 4);
  });
});
