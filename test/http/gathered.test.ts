/** Changes that come at once share statements: each keeps its own caller, entry, answer and failure, and waits for nobody else's item. */
import { expect } from 'chai';
import { deferred } from '../support/deferred.ts';
import type { Client, Reply } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

interface Entry {
  readonly verb: string;
  readonly actor: { readonly name: string };
  readonly requestId: string;
}

const note = { text: 'Seen.' };

describe('changes that come at once', () => {
  let world: World;
  let admin: Client;
  const agents: Client[] = [];

  before(async () => {
    world = await newWorld();
    admin = await world.agent('admin');
    for (let i = 0; i < 4; i++) agents.push(await world.agent('admin', { name: `Agent ${String(i)}` }));
  });
  after(() => world.close());

  const agent = (i: number): Client => agents[i % agents.length] ?? admin;
  const make = async (title: string): Promise<string> =>
    (await admin.post('/items', { inbox: 'mail', title })).body.item.id as string;
  const makeMany = (count: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => make(`Item ${String(i)}`)));
  const versionOf = async (item: string): Promise<number> =>
    (await admin.get(`/items/${item}`)).body.item.version as number;
  const transactionsOf = async (items: readonly string[], verbs: readonly string[]): Promise<number> => {
    const [row] = await world.sql<{ count: number }>(
      'select count(distinct xmin::text)::int as count from events where target = any($1) and verb = any($2)',
      [items, verbs],
    );
    return row?.count ?? 0;
  };
  const expectAll = (replies: readonly Reply[], status: number): void => {
    for (const { status: own, text } of replies) expect(own, text).to.equal(status);
  };

  it('share commits, and each is on record under who made it', async () => {
    const items = await makeMany(60);
    const replies = await Promise.all(
      items.map((item, i) =>
        i % 3 === 0
          ? agent(i).post(`/items/${item}/state`, { state: 'closed' })
          : i % 3 === 1
            ? agent(i).post(`/items/${item}/tags`, { add: ['late'] })
            : agent(i).post(`/items/${item}/notes`, { text: `Of ${item}.` }),
      ),
    );
    for (const { status, text } of replies) expect(status, text).to.be.below(300);
    const verbs = ['item.state', 'item.tags', 'item.note'];
    expect(await transactionsOf(items, verbs)).to.be.below(items.length);
    for (const [i, item] of items.entries()) {
      const { body } = await admin.get(`/audit?target=${item}`);
      const [entry, created, ...others] = body.entries as Entry[];
      expect([entry?.verb, created?.verb, others.length]).to.deep.equal([verbs[i % 3], 'item.create', 0]);
      expect(entry?.actor.name).to.equal(`Agent ${String(i % 4)}`);
      expect(entry?.requestId).to.equal(replies[i]?.headers.get('x-request-id'));
    }
  });

  it('keep their answers under their own idempotency keys, and lose none to a key that two send at once', async () => {
    const items = await makeMany(24);
    const send = (i: number): Promise<Reply> =>
      agent(i).post(
        `/items/${items[i] ?? ''}/tags`,
        { add: ['kept'] },
        { headers: { 'idempotency-key': `k${String(i)}` } },
      );
    const all = [...items.keys()];
    const [first, twins] = await Promise.all([Promise.all(all.map(send)), Promise.all(all.map(send))]);
    for (const i of all) {
      const answers = [first[i], twins[i]];
      const done = answers.filter((reply) => reply?.status === 200);
      expect(done.length, JSON.stringify(answers)).to.be.above(0);
      for (const reply of answers) expect(reply?.status, reply?.text).to.be.oneOf([200, 409]);
      const later = await send(i);
      expect(later.status).to.equal(200);
      expect(later.text).to.equal(done[0]?.text);
      expect(await versionOf(items[i] ?? '')).to.equal(2);
    }
  });

  it('fail alone: what PostgreSQL refuses of one is written of all others', async () => {
    const items = await makeMany(30);
    const [bad = ''] = items.slice(7);
    await world.sql(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`);
    await world.sql(
      `create trigger refuse before update on items for each row when (old.id = '${bad}') execute function refuse()`,
    );
    try {
      const replies = await Promise.all(items.map((item, i) => agent(i).post(`/items/${item}/notes`, note)));
      for (const [i, { status, text }] of replies.entries())
        expect(status, text).to.equal(items[i] === bad ? 500 : 201);
    } finally {
      await world.sql('drop trigger refuse on items; drop function refuse()');
    }
    expect(await Promise.all(items.map(versionOf))).to.deep.equal(items.map((item) => (item === bad ? 1 : 2)));
  });

  it('wait for nobody else’s item', async () => {
    const items = await makeMany(30);
    const [held = '', ...others] = items;
    const locked = deferred<undefined>();
    const release = deferred<undefined>();
    const holder = world.deps.db.transaction(async (tx) => {
      await tx.raw('select 1 from items where id = ? for update', [held]);
      locked.resolve(undefined);
      await release.promise;
    });
    await locked.promise;
    const waiting = agent(0).post(`/items/${held}/notes`, note);
    try {
      expectAll(await Promise.all(others.map((item, i) => agent(i).post(`/items/${item}/notes`, note))), 201);
      expect(await versionOf(held)).to.equal(1);
    } finally {
      release.resolve(undefined);
      await holder;
    }
    expect((await waiting).status).to.equal(201);
    expect(await versionOf(held)).to.equal(2);
  });

  it('of one item happen one after the other, none is lost', async () => {
    const item = await make('Wanted');
    const tags = Array.from({ length: 20 }, (_, i) => `tag-${String(i)}`);
    expectAll(await Promise.all(tags.map((tag, i) => agent(i).post(`/items/${item}/tags`, { add: [tag] }))), 200);
    const { body } = await admin.get(`/items/${item}`);
    expect(body.item.version).to.equal(tags.length + 1);
    expect(body.item.tags).to.have.members(tags);
    expect((body.timeline as { type: string }[]).filter(({ type }) => type === 'tags')).to.have.length(tags.length);
  });
});
