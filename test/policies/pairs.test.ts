/**
 * Hidden reads like never existed: two environments in which the same happens, but that in one of them it also happens to
 * things that the readers do not see. Every view answers both alike.
 */
import { expect } from 'chai';
import { rpcError } from '../support/app.ts';
import { readDocuments, type Documents } from '../support/documented.ts';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const seenManifest = {
  resources: [{ name: 'customer', source: 'stored', fields: [{ name: 'email', search: true }] }],
  inboxes: [{ name: 'mail', reply: { via: 'app' } }],
  actions: [
    { name: 'greet', label: 'Greet', resource: 'customer', input: { type: 'object' } },
    { name: 'fail', label: 'Fail', resource: 'customer' },
    { name: 'ask', label: 'Ask', resource: 'customer', approval: true, input: { type: 'object' } },
    { name: 'look', label: 'Look' },
  ],
  flags: [{ key: 'known', kind: 'boolean', default: false }],
};
const hiddenManifest = {
  resources: [{ name: 'vault', source: 'stored' }],
  inboxes: [{ name: 'secret', reply: { via: 'app' } }],
  actions: [
    { name: 'open', label: 'Open', resource: 'vault' },
    { name: 'failToOpen', label: 'Fail to open', resource: 'vault' },
    { name: 'askToOpen', label: 'Ask to open', resource: 'vault', approval: true },
    { name: 'sweep', label: 'Sweep' },
    { name: 'askToSweep', label: 'Ask to sweep', approval: true },
  ],
  flags: [{ key: 'covert', kind: 'boolean', default: false, resource: 'vault' }],
};
type Manifest = Readonly<Record<string, readonly object[]>>;
const merged = (one: Manifest, other: Manifest): Manifest =>
  Object.fromEntries(Object.entries(one).map(([key, list]) => [key, [...list, ...(other[key] ?? [])]]));

const seenGrants = [
  { on: 'inbox:mail', can: ['*'] },
  { on: 'resource:customer', can: ['see'] },
  ...['greet', 'fail', 'ask', 'look'].map((name) => ({ on: `action:${name}`, can: ['run'] })),
  { on: 'flag:known', can: ['*'] },
  { on: 'approvals', can: ['see'] },
];
const auditGrant = { on: 'audit', can: ['see'] };
const readers = {
  auditor: [auditGrant],
  watcher: [...seenGrants, auditGrant],
  manager: [...seenGrants, auditGrant, { on: 'settings', can: ['manage'] }],
};

/** Hidden names, and names of the same form that were never declared. */
const unheardOf = { sweep: 'swoop', open: 'opon', covert: 'covirt', secret: 'sacred' };
const absentItem = 'itm_01jd0000000000000000000000';

/** An answer with its ids, times, positions and secrets in a form that both environments have. */
const comparable = (text: string): string => {
  const names = new Map<string, string>();
  return text
    .replace(/\b([a-z]{3})_[0-9a-z]{26}\b/g, (id, prefix: string) => {
      const name = names.get(id) ?? `${prefix}_${String(names.size)}`;
      names.set(id, name);
      return name;
    })
    .replace(/\b1[6-9]\d{11}\b/g, '0')
    .replace(/"(cursor|historyCursor|timelineCursor|offset|prev|requestId|delivery|digest)":"[^"]*"/g, '"$1":"-"')
    .replaceAll('/api/env/mixed', '/api/env/plain')
    .replaceAll('"mixed"', '"plain"');
};

describe('hidden against never existed', function () {
  this.timeout(120_000);
  let world: World;
  let documents: Documents;
  const clients = new Map<string, Client>();
  const made: Readonly<Record<'mixed' | 'plain', Record<string, string[]>>> = { mixed: {}, plain: {} };

  before(async () => {
    world = await newWorld({ manifest: seenManifest });
    documents = await readDocuments(world.base);
    const manifests = { plain: seenManifest, mixed: merged(seenManifest, hiddenManifest) };
    for (const [name, grants] of Object.entries(readers)) {
      await world.role(name, grants);
      clients.set(name, await world.person(name, name, { fresh: true }));
    }
    clients.set('agent', await world.agent('watcher', { environments: ['*'] }));
    const admin = await world.agent('admin', { environments: ['*'] });
    const boss = await world.person('admin', 'Boss', { fresh: true });
    const supervised = await world.agent('admin', { environments: ['*'], mode: 'supervised' });
    for (const env of ['plain', 'mixed'] as const) {
      await world.environment(env, manifests[env]);
      const key = await world.appKey(env);
      await world.app(
        {
          'action.run': ({ action }: { action: string }) => {
            if (action === 'fail' || action === 'failToOpen') throw rpcError(-32001, 'It failed.');
            return { message: 'Done.', blocks: [] };
          },
          'reply.send': () => ({}),
        },
        { manifest: manifests[env], base: key.base, headers: { authorization: `Bearer ${key.token}` } },
      );
      const here = (client: Client): Client => world.elsewhere(client, env);
      await happen(env, here, { admin, boss, supervised, agent: clients.get('agent') ?? admin });
    }
    await world.settled();
  });
  after(() => world.close());

  /** Everything that can happen, to what is seen and, in `mixed`, to what is hidden. */
  const happen = async (
    env: 'mixed' | 'plain',
    here: (client: Client) => Client,
    who: Readonly<Record<'admin' | 'boss' | 'supervised' | 'agent', Client>>,
  ): Promise<void> => {
    const admin = here(who.admin);
    const supervised = here(who.supervised);
    const boss = here(who.boss);
    const agent = here(who.agent);
    const isMixed = env === 'mixed';
    const keep = (kind: string, id: string): string => {
      (made[env][kind] ??= []).push(id);
      return id;
    };
    const create = async (inbox: string, record: object, key: string): Promise<string> =>
      (await admin.post('/items', { inbox, title: `About ${inbox}`, key, record, tags: ['a'] })).body.item.id;
    await world.records('customer', [{ id: 'c1', title: 'Ada' }], env);
    if (isMixed) await world.records('vault', [{ id: 'v1', title: 'Gold' }], env);
    const seen = keep('items', await create('mail', { resource: 'customer', id: 'c1' }, 'k'));
    const hidden = isMixed ? await create('secret', { resource: 'vault', id: 'v1' }, 'k') : null;
    const items = hidden === null ? [seen] : [seen, hidden];
    for (const id of items) {
      await admin.post(`/items/${id}/notes`, { text: 'Seen.' });
      await admin.post(`/items/${id}/tags`, { add: ['b'] });
      await admin.post(`/items/${id}/reply`, { subject: 'Hello', text: 'Hello' });
      await admin.post(`/items/${id}/triage`, { answers: { spam: 'no' } });
      await supervised.post(`/items/${id}/state`, { state: 'waiting' });
      await supervised.post(`/items/${id}/notes`, { text: 'Asked.' });
    }
    await supervised.post('/items', { inbox: 'mail', title: 'Asked for', data: {} });
    if (isMixed) await supervised.post('/items', { inbox: 'secret', title: 'Asked for', data: {} });
    const act = async (client: Client, action: string, more: object = {}): Promise<void> => {
      await client.post('/actions', { action, ...more });
    };
    for (const client of [admin, supervised]) {
      await act(client, 'greet', { record: 'c1' });
      await act(client, 'fail', { record: 'c1' });
      await act(client, 'look');
      await act(client, 'ask', { record: 'c1', item: seen });
      if (!isMixed) continue;
      await act(client, 'open', { record: 'v1' });
      await act(client, 'open', { record: 'v1', item: hidden });
      await act(client, 'failToOpen', { record: 'v1' });
      await act(client, 'askToOpen', { record: 'v1' });
      await act(client, 'sweep');
      await act(client, 'askToSweep');
    }
    await admin.post('/flags/known', { change: { value: true } });
    if (isMixed) await admin.post('/flags/covert', { change: { value: true, targets: { v1: true } } });
    const bulk = async (client: Client, ids: readonly string[], operation: object): Promise<void> => {
      const { body } = await client.post('/bulk', { ids, operation });
      if (body.bulk?.id !== undefined && ids.includes(seen)) keep('bulk', body.bulk.id);
    };
    // Of both kinds, of seen items alone and, in `mixed`, of hidden ones alone.
    for (const ids of [items, [seen], ...(hidden === null ? [] : [[hidden]])])
      for (const tag of ['c', 'd']) {
        await bulk(admin, ids, { type: 'tags', add: [tag], remove: [] });
        await world.settled();
      }
    await bulk(admin, items, { type: 'action', action: 'greet', input: {} });
    if (hidden !== null) await bulk(admin, [hidden], { type: 'action', action: 'open', input: {} });
    if (hidden !== null) await bulk(supervised, [hidden], { type: 'tags', add: ['e'], remove: [] });
    await world.settled();
    for (const { id, kind } of (await boss.get('/approvals?limit=200')).body.approvals)
      await boss.post(`/approvals/${String(id)}/${kind === 'item' ? 'approve' : 'reject'}`, { note: 'Decided.' });
    await world.settled();
    // The readers' own refusals: of a hidden thing here, of one that never existed there.
    const refused = hidden ?? absentItem;
    for (const [path, body] of [
      ['notes', { text: 'x' }],
      ['state', { state: 'closed' }],
      ['tags', { add: ['x'] }],
      ['claim', {}],
      ['release', {}],
    ] as const)
      await agent.post(`/items/${refused}/${path}`, body);
    await agent.post('/actions', { action: isMixed ? 'sweep' : unheardOf.sweep });
    await agent.post('/actions', { action: isMixed ? 'open' : unheardOf.open, record: 'v1' });
    await agent.post(`/flags/${isMixed ? 'covert' : unheardOf.covert}`, { change: { value: true } });
    await agent.post('/items', { inbox: isMixed ? 'secret' : unheardOf.secret, title: 'x' });
    await world.settled();
  };

  /** Returns what one environment answers and the other does not: of a list its elements, of other answers the text. */
  const alike = async (client: Client, path: string): Promise<string | null> => {
    const others = client === clients.get('agent') ? '' : (clients.get('agent')?.id ?? '');
    const answers = await Promise.all(
      (['mixed', 'plain'] as const).map(async (env) => {
        const [, kind = '', n = ''] = /\{(\w+)\.(\d)\}/.exec(path) ?? [];
        const id = made[env][kind]?.[Number(n)] ?? '';
        const { status, body, text } = await world.elsewhere(client, env).get(path.replace(/\{\w+\.\d\}/, id));
        const list = Object.values((body ?? {}) as object).find((member) => Array.isArray(member)) as
          | unknown[]
          | undefined;
        // What others were refused is what they named, seen or not.
        const own = list?.map((each) => JSON.stringify(each)).filter((each) => !isRefusedTo(each, others));
        return (own ?? [text]).map((each) => `${String(status)} ${named(each)}`);
      }),
    );
    const [mixed = [], plain = []] = answers;
    const without = (some: readonly string[], taken: readonly string[]): string[] => {
      const left = [...taken];
      return some.filter((each) => {
        const at = left.indexOf(each);
        if (at >= 0) left.splice(at, 1);
        return at < 0;
      });
    };
    const [more, less] = [without(mixed, plain), without(plain, mixed)];
    const isAlike = more.length === 0 && less.length === 0;
    return isAlike
      ? null
      : [path, ...more.map((each) => `  + ${each}`), ...less.map((each) => `  - ${each}`)].join('\n');
  };
  const isRefusedTo = (entry: string, principal: string): boolean =>
    principal !== '' && entry.includes(principal) && entry.includes('"outcome":"denied"');
  const named = (text: string): string =>
    Object.entries(unheardOf).reduce((all, [hidden, absent]) => all.replaceAll(absent, hidden), comparable(text));

  /** The calls without a parameter in the path, and those of things that are seen. */
  const paths = (): string[] => {
    const bare = documents.operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'));
    const skipped = [
      '/live',
      '/app',
      '/sign-in/oidc',
      '/changes',
      '/me',
      '/audit',
      '/settings/usage',
      '/settings/environments',
      '/settings/loosenings',
    ];
    return [
      ...bare.flatMap(({ path }) => (skipped.includes(path) ? [] : [path])),
      '/audit?limit=200',
      '/audit?verb=item.note&limit=200',
      '/audit?record=customer:c1&limit=200',
      '/audit?actorKind=agent&limit=200',
      '/bulk?limit=200',
      '/bulk?status=done',
      '/runs?limit=200',
      '/approvals?status=rejected',
      '/approvals?status=approved',
      '/counts',
      '/items/summary?by=tag',
      '/items/summary?by=record',
      '/items/summary?by=inbox',
      '/tags',
      ...[0, 1, 2, 3, 4].flatMap((n) => [`/bulk/{bulk.${String(n)}}`, `/bulk/{bulk.${String(n)}}/results`]),
      '/items/{items.0}',
      '/resources/customer/c1',
      '/flags/known/history',
    ];
  };

  for (const name of ['auditor', 'watcher', 'manager', 'agent'])
    it(`answers ${name} alike`, async () => {
      const client = clients.get(name);
      if (client === undefined) throw new Error(`There is no ${name}.`);
      const different: string[] = [];
      for (const path of paths()) {
        const difference = await alike(client, path);
        if (difference !== null) different.push(difference);
      }
      expect(different.join('\n\n')).to.equal('');
    });
});
