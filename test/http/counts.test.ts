/** `GET /counts`, and the same on the live stream: compared with a naive count of all items and approvals, for several roles. */
import { expect } from 'chai';
import { readDocuments } from '../support/documented.ts';
import type { Client } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

interface Item {
  readonly id: string;
  readonly inbox: string;
  readonly state: string;
  readonly assignee: string | null;
  readonly claim: object | null;
  readonly dueAt: number | null;
  readonly snoozedUntil: number | null;
  readonly triaged: boolean;
}

const manifest = {
  ...testManifest,
  inboxes: [...testManifest.inboxes, { name: 'late', responseTime: 1 }],
};
const defaultStates = [
  { name: 'open', kind: 'open' },
  { name: 'waiting', kind: 'waiting' },
  { name: 'closed', kind: 'closed' },
];
const statesOf = (inbox: string): readonly { readonly name: string; readonly kind: string }[] =>
  testManifest.inboxes.flatMap((known) => (known.name === inbox && 'states' in known ? [known.states] : []))[0] ??
  defaultStates;
const day = 86_400_000;

/** What the counts of an inbox should be. */
const naive = (inbox: string, items: readonly Item[], now: number): object => {
  const states = statesOf(inbox);
  const own = items.filter((item) => item.inbox === inbox);
  const kindOf = ({ state }: Item): string => states.find(({ name }) => name === state)?.kind ?? '';
  const ofKind = (kind: string): number => own.filter((item) => kindOf(item) === kind).length;
  const active = own.filter((item) => kindOf(item) !== 'closed' && item.snoozedUntil === null);
  const isLate = (item: Item): boolean => item.dueAt !== null && item.dueAt < now && kindOf(item) !== 'closed';
  return {
    total: own.length,
    open: ofKind('open'),
    waiting: ofKind('waiting'),
    closed: ofKind('closed'),
    byState: Object.fromEntries(states.map(({ name }) => [name, own.filter(({ state }) => state === name).length])),
    unassigned: own.filter(({ assignee }) => assignee === null).length,
    unclaimed: own.filter(({ claim }) => claim === null).length,
    overdue: own.filter(isLate).length,
    snoozed: own.filter(({ snoozedUntil }) => snoozedUntil !== null).length,
    triaged: own.filter(({ triaged }) => triaged).length,
    active: {
      total: active.length,
      unassigned: active.filter(({ assignee }) => assignee === null).length,
      overdue: active.filter(isLate).length,
    },
  };
};

describe('counts', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let ana: Client;
  let bot: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', [...clerkGrants, { on: 'inbox:late', can: ['*'] }]);
    await world.role('lead', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'approvals', can: ['see', 'decide'] },
    ]);
    const documents = await readDocuments(world.base);
    admin = documents.of(await world.agent('admin'));
    clerk = documents.of(await world.agent('clerk'));
    ana = documents.of(await world.person('admin', 'Ana Lind'));
    bot = await world.agent('operator', { mode: 'supervised' });
  });
  after(() => world.close());

  const allItems = async (): Promise<Item[]> => {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const reply = await admin.get(`/items?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`);
      items.push(...(reply.body.items as Item[]));
      cursor = reply.body.cursor as string | null;
    }
    return items;
  };
  const expected = async (inboxes: readonly string[]): Promise<object> => {
    const items = await allItems();
    return Object.fromEntries(inboxes.map((inbox) => [inbox, naive(inbox, items, world.clock.now())]));
  };
  const counted = async (client: Client): Promise<object> => (await client.get('/counts')).body.inboxes as object;

  it('are those of a naive count, right after each change, and leave out what the role does not see', async () => {
    const random = (n: number): number => Math.floor(Math.random() * n);
    const inboxes = ['mail', 'refunds', 'bugs', 'secret', 'late'];
    for (let i = 0; i < 60; i++) {
      const inbox = inboxes[random(inboxes.length)] ?? '';
      const { item } = (await admin.post('/items', { inbox, title: `Item ${String(i)}` })).body;
      const change = (verb: string, body: object) => admin.post(`/items/${item.id as string}/${verb}`, body);
      if (random(3) === 0) await change('assign', { assignee: ana.id });
      if (random(3) === 0) await change('snooze', { until: world.clock.now() + 30 * day });
      if (random(3) === 0) await change('state', { state: statesOf(inbox)[1]?.name });
      if (random(4) === 0) await change('state', { state: statesOf(inbox)[2]?.name });
      if (random(6) === 0)
        await change('triage', { answers: {}, ...(inbox === 'refunds' ? { state: 'declined' } : { close: true }) });
      if (random(5) === 0) await change('snooze', { until: null });
    }
    // What is overdue is up to a second old.
    await until('the overdue ones are counted', async () => {
      const wanted = (await expected(inboxes)) as Record<string, { overdue: number }>;
      const found = (await counted(admin)) as typeof wanted;
      return found['late']?.overdue === wanted['late']?.overdue;
    });
    expect(await counted(admin)).to.deep.equal(await expected(['mail', 'refunds', 'bugs', 'secret', 'late']));
    expect(await counted(clerk)).to.deep.equal(await expected(['mail', 'refunds', 'bugs', 'late']));
    expect(Object.keys(await counted(await world.agent('lead')))).to.deep.equal(['mail']);
    const [open] = (await admin.get('/items?inbox=late&snoozed=0&assignee=none&overdue=1')).body.items as Item[];
    if (open !== undefined) {
      await admin.post(`/items/${open.id}/snooze`, { until: world.clock.now() + 30 * day });
      expect(await counted(admin)).to.deep.equal(await expected(inboxes));
    }
  });

  it('have the items of a change in flight: a change is counted as soon as it is answered', async () => {
    for (let i = 0; i < 20; i++) {
      const { total } = ((await counted(admin)) as { mail: { total: number } }).mail;
      await admin.post('/items', { inbox: 'mail', title: 'One more' });
      expect(((await counted(admin)) as { mail: { total: number } }).mail.total).to.equal(total + 1);
    }
  });

  it('of tags say where rarer ones were not compared with what is searched', async () => {
    await world.sql(
      `insert into tag_counts select id, 'mail', 'tag ' || n, 20002 - n from environments, generate_series(1, 20000) n where name = 'demo'`,
    );
    const found = async (q: string): Promise<unknown> => (await admin.get(`/tags?q=${encodeURIComponent(q)}`)).body;
    expect(await found('17777')).to.deep.equal({ tags: [{ tag: 'tag 17777', count: 2225 }] });
    await world.sql(`insert into tag_counts select id, 'mail', 'rare', 1 from environments where name = 'demo'`);
    expect(await found('rare')).to.deep.equal({ tags: [], incomplete: ['tags'] });
    expect(await found('17777')).to.deep.equal({ tags: [{ tag: 'tag 17777', count: 2225 }], incomplete: ['tags'] });
    // The most frequent ones that there can be are there.
    expect((await found('tag')) as object).to.have.all.keys('tags');
    expect((await admin.get('/tags')).body).to.have.all.keys('tags');
    await world.sql('delete from tag_counts');
  });

  it('take no parameters', async () => {
    const reply = await admin.get('/counts?inbox=mail');
    expect([reply.status, reply.body.code, reply.body.details[0].path]).to.deep.equal([400, 'invalid', 'inbox']);
  });

  describe('of approvals', () => {
    const approvals = async (client: Client): Promise<object> => (await client.get('/counts')).body.approvals as object;
    const ask = async (inbox: string): Promise<string> => {
      const { item } = (await admin.post('/items', { inbox, title: 'Asked about' })).body;
      return (await bot.post(`/items/${item.id as string}/notes`, { text: 'Please' })).body.approval as string;
    };

    it('are those that are seen, and of these what may be decided', async () => {
      const lead = await world.person('lead', 'Lea');
      const approver = await world.agent('lead');
      for (const client of [ana, lead, bot])
        expect(await approvals(client)).to.deep.equal({ pending: 0, decidable: 0, questions: 0 });
      const [mail] = [await ask('mail'), await ask('bugs'), await ask('secret')];
      expect(await approvals(ana)).to.deep.equal({ pending: 3, decidable: 3, questions: 0 });
      expect(await approvals(lead)).to.deep.equal({ pending: 1, decidable: 1, questions: 0 });
      expect(await approvals(bot)).to.deep.equal({ pending: 3, decidable: 0, questions: 0 });
      expect(await approvals(approver)).to.deep.equal({ pending: 1, decidable: 0, questions: 0 });
      expect(await approvals(clerk)).to.deep.equal({ pending: 0, decidable: 0, questions: 0 });
      for (const client of [ana, lead, bot, approver, clerk])
        expect((await client.get('/approvals')).body.approvals).to.have.length(
          ((await approvals(client)) as { pending: number }).pending,
        );
      expect((await lead.post(`/approvals/${mail}/reject`)).status).to.equal(200);
      expect(await approvals(lead)).to.deep.equal({ pending: 0, decidable: 0, questions: 0 });
      expect(await approvals(ana)).to.deep.equal({ pending: 2, decidable: 2, questions: 0 });
    });

    it('agree with who may decide where approvals are to be independent', async () => {
      const maker = await world.person('admin', 'Maker', { fresh: true });
      const made = await world.person('admin', 'Made', { fresh: true });
      expect((await maker.call('PATCH', '/settings/environments/demo', { independentApproval: true })).status).to.equal(
        200,
      );
      await world.sql('insert into rights_changes values ($1, $2, $3), ($4, $5, $3)', [
        bot.id,
        maker.id,
        world.clock.now(),
        made.id,
        maker.id,
      ]);
      const before = (await approvals(ana)) as { pending: number; decidable: number };
      const id = await ask('mail');
      expect(await approvals(ana)).to.deep.equal({
        pending: before.pending + 1,
        decidable: before.decidable + 1,
        questions: 0,
      });
      for (const held of [maker, made]) {
        expect(await approvals(held)).to.deep.equal({
          pending: before.pending + 1,
          decidable: before.decidable,
          questions: 0,
        });
        expect((await held.post(`/approvals/${id}/approve`)).status).to.equal(403);
      }
      expect((await ana.post(`/approvals/${id}/approve`)).status).to.equal(200);
    });

    it('are told on the live stream, to each by what it sees, with the counts of items', async () => {
      const lead = await world.person('lead', 'Lena');
      const streams = { ana: await openLive(ana), lead: await openLive(lead) };
      for (const [stream, client] of [
        [streams.ana, ana],
        [streams.lead, lead],
      ] as const) {
        const [hello] = stream.messages;
        const { inboxes, approvals: had } = (await client.get('/counts')).body;
        expect({ inboxes: hello.counts, approvals: hello.approvals }).to.deep.equal({ inboxes, approvals: had });
      }
      const before = (await approvals(ana)) as { pending: number };
      await ask('secret');
      const more = await streams.ana.next(
        'the approval is counted',
        (message) => message.type === 'counts' && message.approvals?.pending === before.pending + 1,
      );
      expect(more).to.deep.include({ inboxes: {} });
      await ask('mail');
      await streams.lead.next(
        'that of mail',
        (message) => message.type === 'counts' && message.approvals?.pending === 1,
      );
      // That of the unseen inbox has told the lead nothing.
      expect(
        streams.lead.messages.filter((message) => message.type === 'counts' && message.approvals !== null),
      ).to.have.length(1);
      for (const message of streams.ana.messages.filter(({ type }) => type === 'counts'))
        expect(message).to.include.all.keys('inboxes', 'approvals');
      for (const stream of Object.values(streams)) await stream.close();
    });
  });
});
