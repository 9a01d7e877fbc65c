/** Bulks over HTTP: starting, watching, trying out, cancelling and undoing them. */
import { expect } from 'chai';
import { readDocuments } from '../support/documented.ts';
import type { CallOptions, Client, Reply } from '../support/http.ts';
import { openLive, type Message } from '../support/live.ts';
import { clerkGrants, testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const hour = 3_600_000;
const unknown = 'itm_01jd0000000000000000000000';

const manifest = {
  ...testManifest,
  inboxes: [
    ...testManifest.inboxes,
    {
      name: 'oneWay',
      states: [
        { name: 'new', kind: 'open' },
        { name: 'old', kind: 'waiting' },
      ],
      transitions: { new: ['old'], old: [] },
    },
  ],
  actions: [
    ...testManifest.actions,
    { name: 'ping' },
    { name: 'refund', resource: 'customer', danger: 'high' },
    { name: 'greet', resource: 'customer' },
    { name: 'sign', resource: 'customer', freshSignIn: true },
    { name: 'forbidden', resource: 'customer' },
    { name: 'unlock', resource: 'vault' },
  ],
};
const grants = [
  ...clerkGrants,
  { on: 'inbox:oneWay', can: ['*'] },
  ...['ping', 'refund', 'greet', 'sign', 'unlock'].map((name) => ({ on: `action:${name}`, can: ['run'] })),
];

interface Result {
  readonly id: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly code: string | null;
}

describe('bulks over HTTP', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let viewer: Client;
  let ana: Client;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', grants);
    await world.role('auditor', [
      { on: 'audit', can: ['see'] },
      { on: 'inbox:mail', can: ['see'] },
    ]);
    const documents = await readDocuments(world.base);
    const documented = async (client: Promise<Client>): Promise<Client> => documents.of(await client);
    admin = await documented(world.agent('admin'));
    clerk = await documented(world.agent('clerk'));
    viewer = await documented(world.agent('viewer'));
    ana = await documented(world.person('clerk', 'Ana Lind'));
  });
  after(() => world.close());

  let made = 0;
  const make = async (more: object = {}, client = admin): Promise<Reply['body']> => {
    made += 1;
    const reply = await client.post('/items', { inbox: 'mail', title: `Item ${String(made)}`, ...more });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body.item;
  };
  const many = (count: number, more: object = {}): Promise<Reply['body'][]> =>
    Promise.all(Array.from({ length: count }, () => make(more)));
  /** Copies of one item: a thousand calls would take longer than all the rest. */
  const copies = async (count: number): Promise<string[]> => {
    const { id } = await make();
    await world.sql(
      `insert into items select c.* from items i, generate_series(1, $2::int) n,
      jsonb_populate_record(i, jsonb_build_object('id', left(i.id, 20) || lpad(n::text, 10, '0'))) c where i.id = $1`,
      [id, count],
    );
    return (
      await world.sql<{ id: string }>('select id from items where id like $1', [`${(id as string).slice(0, 20)}00%`])
    ).map((row) => row.id);
  };
  const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);
  const ask = (
    ids: readonly unknown[],
    operation: unknown,
    client = clerk,
    options: CallOptions = {},
  ): Promise<Reply> => client.post('/bulk', { ids, operation }, options);
  const finished = (id: string, client = admin): Promise<Reply['body']> =>
    until(`${id} is finished`, async () => {
      const { body } = await client.get(`/bulk/${id}`);
      return body.bulk.finishedAt === null ? null : body.bulk;
    });
  const run = async (ids: readonly string[], operation: unknown, client = clerk): Promise<Reply['body']> => {
    const reply = await ask(ids, operation, client);
    expect(reply.status, reply.text).to.equal(202);
    return finished(reply.body.bulk.id, client);
  };
  const undo = async (id: string, client = clerk): Promise<Reply['body']> => {
    const reply = await client.post(`/bulk/${id}/undo`);
    expect(reply.status, reply.text).to.equal(202);
    return finished(reply.body.bulk.id);
  };
  const results = async (id: string, query = '', client = clerk): Promise<Result[]> =>
    (await client.get(`/bulk/${id}/results?limit=200${query}`)).body.results;
  const outcomes = async (id: string): Promise<string[]> => (await results(id)).map(({ outcome }) => outcome);
  const read = async ({ id }: { id: string }): Promise<Reply['body']> => (await admin.get(`/items/${id}`)).body;
  const item = async (one: { id: string }): Promise<Reply['body']> => (await read(one)).item;
  const refused = (reply: Reply, status: number, code: string, ...paths: string[]): void => {
    expect([reply.status, reply.body.code], reply.text).to.deep.equal([status, code]);
    if (paths.length > 0) expect(reply.body.details.map((place: { path: string }) => place.path)).to.deep.equal(paths);
  };

  describe('running', () => {
    it('answers 202 at once and gives each id its own outcome, hidden like unknown, duplicates once', async () => {
      const [own, closed, readOnly, hidden] = [
        await make(),
        await make(),
        await make({ inbox: 'bugs' }),
        await make({ inbox: 'secret' }),
      ];
      await admin.post(`/items/${closed.id}/state`, { state: 'closed' });
      const reply = await ask([own.id, hidden.id, own.id, unknown, closed.id, readOnly.id, 'no id at all'], {
        type: 'state',
        state: 'closed',
      });
      expect(reply.status).to.equal(202);
      const by = { type: 'agent', id: clerk.id, name: 'clerk agent' };
      expect(reply.body.bulk).to.deep.include({
        status: 'queued',
        operation: { type: 'state', state: 'closed' },
        total: 6,
        done: 0,
        changed: 0,
        unchanged: 0,
        failed: 0,
        startedAt: null,
        finishedAt: null,
        by,
      });
      const bulk = await finished(reply.body.bulk.id, clerk);
      expect(bulk).to.deep.include({
        id: reply.body.bulk.id,
        status: 'done',
        total: 6,
        done: 6,
        changed: 1,
        unchanged: 1,
        failed: 4,
        by,
      });
      expect(bulk.startedAt).to.be.at.most(bulk.finishedAt);
      const found = await results(bulk.id);
      expect(found.map(({ id, outcome }) => [id, outcome])).to.deep.equal([
        [own.id, 'changed'],
        [hidden.id, 'not_found'],
        [unknown, 'not_found'],
        [closed.id, 'unchanged'],
        [readOnly.id, 'forbidden'],
        ['no id at all', 'not_found'],
      ]);
      expect({ ...found[1], id: unknown }).to.deep.equal(found[2]);
      expect(found[0]).to.deep.equal({ id: own.id, outcome: 'changed', error: null, code: null });
      expect(await item(own)).to.include({ state: 'closed', version: 2 });
      expect(await item(hidden)).to.include({ version: 1 });
    });

    it('tells failures by their own code: states of other inboxes, transitions, people who cannot see the inbox', async () => {
      const [mail, refund] = [await make(), await make({ inbox: 'refunds' })];
      const states = await results((await run([mail.id, refund.id], { type: 'state', state: 'paid' })).id);
      expect(states.map(({ outcome, code }) => [outcome, code])).to.deep.equal([
        ['failed', 'invalid'],
        ['failed', 'invalid_transition'],
      ]);
      expect(states[0]?.error).to.include('open, waiting, closed');
      for (const dryRun of [true, false]) {
        const nowhere = await admin.post('/bulk', {
          ids: [mail.id],
          operation: { type: 'state', state: 'nowhere' },
          dryRun,
        });
        expect([nowhere.status, nowhere.body.code, nowhere.body.details[0].path]).to.deep.equal([
          400,
          'invalid',
          'operation.state',
        ]);
        expect(nowhere.body.details[0].message).to.include('open').and.include('paid');
      }
      const assigned = await results(
        (await run([mail.id], { type: 'assign', assignee: 'per_01jd0000000000000000000000' })).id,
      );
      expect(assigned.map(({ outcome, code }) => [outcome, code])).to.deep.equal([['failed', 'invalid']]);
      await admin.post(`/items/${mail.id}/state`, { state: 'closed' });
      const snooze = { type: 'snooze', until: Date.now() + hour };
      const snoozed = await results((await run([mail.id], snooze)).id);
      expect(snoozed.map(({ outcome, code }) => [outcome, code])).to.deep.equal([['failed', 'conflict']]);
      const dry = await clerk.post('/bulk', { ids: [mail.id], operation: snooze, dryRun: true });
      expect(dry.body).to.include({ wouldChange: 0, failed: 1 });
    });

    it('assigns, tags and snoozes as the calls for one item do', async () => {
      const one = await make({ tags: ['a', 'b'] });
      const until = Date.now() + hour;
      await run([one.id], { type: 'assign', assignee: ana.id });
      const tags = await run([one.id], { type: 'tags', add: ['c'], remove: ['a'] });
      expect(tags.operation).to.deep.equal({ type: 'tags', add: ['c'], remove: ['a'] });
      await run([one.id], { type: 'snooze', until });
      expect(await item(one)).to.deep.include({ assignee: ana.id, tags: ['b', 'c'], snoozedUntil: until, version: 4 });
      expect((await run([one.id], { type: 'tags', remove: ['zzz'] })).operation).to.deep.equal({
        type: 'tags',
        add: [],
        remove: ['zzz'],
      });
      await run([one.id], { type: 'snooze', until: null });
      expect((await read(one)).timeline.map((entry: { type: string }) => entry.type)).to.deep.equal([
        'woken',
        'snoozed',
        'tags',
        'assigned',
        'created',
      ]);
    });

    it('leaves the same timeline entry, audit entry and live messages as a single call', async () => {
      const fields = { title: 'Twins', data: { email: 'a@example.com' } };
      const [single, bulked] = [await make(fields, clerk), await make(fields, clerk)];
      const live = await openLive(clerk);
      const one = await clerk.post(`/items/${single.id}/state`, { state: 'closed' });
      const reply = await ask([bulked.id], { type: 'state', state: 'closed' });
      await finished(reply.body.bulk.id);
      const ids = [single.id, bulked.id];
      const about = ({ item, entry }: Message): string => (item?.id ?? entry?.item) as string;
      const told = (message: Message, id: string): boolean =>
        about(message) === id && (message.entry?.type ?? message.change) !== 'created';
      for (const id of ids)
        await live.next('both messages', (message) => message.type === 'timeline' && told(message, id));
      await live.close();
      const plain = (value: unknown, which: number): unknown =>
        JSON.parse(JSON.stringify(value).replaceAll(ids[which] ?? '', 'ITEM'), (key, inner: unknown) =>
          ['id', 'at', 'offset', 'prev', 'createdAt', 'updatedAt', 'firstSeen', 'lastSeen', 'dueAt'].includes(key) &&
          typeof inner !== 'object' &&
          inner !== clerk.id
            ? key
            : inner,
        ) as unknown;
      const same = (pair: unknown[]): void => {
        expect(plain(pair[1], 1)).to.deep.equal(plain(pair[0], 0));
      };
      const heard = ids.map((id) => live.messages.filter((message) => told(message, id)));
      same(heard);
      expect(heard.map((messages) => messages.map(({ type }) => type))).to.deep.equal([
        ['item', 'timeline'],
        ['item', 'timeline'],
      ]);
      same(await Promise.all([single, bulked].map(async (each) => (await read(each)).timeline)));
      const audits = await Promise.all(
        ids.map(async (id) => (await admin.get(`/audit?target=${id}&verb=item.state`)).body.entries),
      );
      expect(audits.map((entries) => entries[0].requestId)).to.deep.equal([
        one.headers.get('x-request-id'),
        reply.headers.get('x-request-id'),
      ]);
      same(audits.map(([entry]) => ({ ...entry, requestId: 'REQUEST' })));
      expect(audits.map((entries) => entries.length)).to.deep.equal([1, 1]);
    });

    it('tells its author and who sees the audit log of its progress, and nobody else', async () => {
      const ids = await copies(1200);
      const streams = {
        clerk: await openLive(clerk, '?types=bulk'),
        admin: await openLive(admin, '?types=bulk'),
        viewer: await openLive(viewer, '?types=bulk'),
      };
      const bulk = await run(ids, { type: 'tags', add: ['many'] });
      expect(bulk).to.include({ status: 'done', total: 1200, done: 1200, changed: 1200 });
      for (const live of [streams.clerk, streams.admin]) {
        const last = await live.next(
          'the end',
          (message) => message.type === 'bulk' && message.bulk.finishedAt !== null,
        );
        expect(last.bulk).to.deep.equal(bulk);
        const told = live.messages.filter((message) => message.type === 'bulk');
        expect(told[0].bulk).to.include({ status: 'queued', done: 0 });
        expect(
          told.filter((message) => message.offset !== message.prev).map((message) => message.bulk.status),
        ).to.deep.equal(['queued', 'done']);
      }
      expect(streams.viewer.messages.filter((message) => message.type === 'bulk')).to.deep.equal([]);
      for (const live of Object.values(streams)) await live.close();
    });
  });

  describe('asking', () => {
    it('does it once under one idempotency key, and answers the same bytes', async () => {
      const one = await make({ tags: ['once'] });
      const options = { headers: { 'idempotency-key': `bulk-${one.id}` } };
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => ask([one.id], { type: 'tags', remove: ['once'] }, clerk, options)),
      );
      expect(new Set(replies.map(({ status, text }) => `${String(status)} ${text}`)).size).to.equal(1);
      const bulk = await finished(replies[0]?.body.bulk.id);
      expect((await ask([one.id], { type: 'tags', remove: ['once'] }, clerk, options)).text).to.equal(replies[0]?.text);
      expect(await item(one)).to.include({ version: 2 });
      expect((await admin.get(`/audit?verb=bulk.create&target=${bulk.id as string}`)).body.entries).to.have.length(1);
      refused(await ask([one.id], { type: 'tags', remove: ['other'] }, clerk, options), 422, 'idempotency_mismatch');
    });

    it('refuses what is not of the right form, naming the place, and does nothing', async () => {
      const one = await make();
      const state = { type: 'state', state: 'closed' };
      refused(await ask([], state), 400, 'invalid', 'ids');
      refused(
        await ask(
          Array.from({ length: 100_001 }, () => one.id),
          state,
        ),
        400,
        'invalid',
        'ids',
      );
      refused(await clerk.post('/bulk', { ids: one.id, operation: state }), 400, 'invalid', 'ids');
      refused(await ask([one.id, null, 1, {}], state), 400, 'invalid', 'ids.1', 'ids.2', 'ids.3');
      refused(
        await ask(
          Array.from({ length: 140_000 }, () => one.id),
          state,
        ),
        413,
        'too_large',
      );
      refused(await ask([one.id], { type: 'delete' }), 400, 'invalid', 'operation.type');
      refused(await ask([one.id], { type: '__proto__' }), 400, 'invalid', 'operation.type');
      refused(await ask([one.id], { type: 'constructor' }), 400, 'invalid', 'operation.type');
      refused(await ask([one.id], { state: 'closed' }), 400, 'invalid', 'operation.type');
      refused(await ask([one.id], 'state'), 400, 'invalid', 'operation');
      refused(await ask([one.id], { type: 'state', add: ['a'] }), 400, 'invalid', 'operation.state', 'operation.add');
      refused(await ask([one.id], { ...state, more: 1 }), 400, 'invalid', 'operation.more');
      refused(await ask([one.id], { type: 'state', state: ['closed'] }), 400, 'invalid', 'operation.state');
      refused(await ask([one.id], { type: 'assign', assignee: '' }), 400, 'invalid', 'operation.assignee');
      refused(await ask([one.id], { type: 'tags' }), 400, 'invalid', 'operation.add');
      refused(await ask([one.id], { type: 'tags', add: ['x'], remove: ['x'] }), 400, 'invalid', 'operation.add.0');
      refused(await ask([one.id], { type: 'snooze', until: 1.7e9 }), 400, 'invalid', 'operation.until');
      refused(await clerk.post('/bulk', { ids: [one.id], operation: state, dryRun: 'yes' }), 400, 'invalid', 'dryRun');
      refused(await clerk.post('/bulk', { ids: [one.id], operation: state, extra: 1 }), 400, 'invalid', 'extra');
      refused(await clerk.post('/bulk', { ids: [one.id] }), 400, 'invalid', 'operation');
      expect(await item(one)).to.include({ version: 1 });
    });

    it('counts an id that is given a thousand times once', async () => {
      const one = await make();
      const bulk = await run(
        Array.from({ length: 1000 }, () => one.id),
        { type: 'state', state: 'waiting' },
      );
      expect(bulk).to.include({ total: 1, changed: 1 });
      expect(await item(one)).to.include({ version: 2 });
    });

    it('refuses agents that may change nothing, and app keys', async () => {
      const { id } = await make();
      refused(
        await ask([id], { type: 'state', state: 'closed' }, await world.agent('clerk', { mode: 'readonly' })),
        403,
        'forbidden',
      );
      refused(await ask([id], { type: 'state', state: 'closed' }, await world.appKey()), 403, 'forbidden');
    });

    it('lets what a supervised agent asks for wait for a person, once for the same request', async () => {
      const { id } = await make();
      const supervised = await world.agent('clerk', { mode: 'supervised' });
      const reply = await ask([id], { type: 'state', state: 'closed' }, supervised);
      expect(reply.status, reply.text).to.equal(202);
      expect(reply.body).to.deep.include({ pending: true });
      expect(reply.body.bulk).to.include({ status: 'pending', total: 1, done: 0 });
      expect((await ask([id], { type: 'state', state: 'closed' }, supervised)).body).to.deep.equal(reply.body);
      const keyed = { headers: { 'idempotency-key': 'asked again' } };
      const again = await ask([id], { type: 'state', state: 'closed' }, supervised, keyed);
      expect((await supervised.post(`/bulk/${String(reply.body.bulk.id)}/cancel`)).body.bulk.status).to.equal(
        'cancelled',
      );
      const replayed = await ask([id], { type: 'state', state: 'closed' }, supervised, keyed);
      expect([replayed.text, replayed.headers.get('idempotent-replayed')]).to.deep.equal([again.text, 'true']);
      expect((await ask([id], { type: 'state', state: 'closed' }, supervised)).body.approval).not.to.equal(
        reply.body.approval,
      );
      expect(await item({ id })).to.include({ version: 1 });
    });

    it('answers for actions what stands before running them', async () => {
      const { id } = await make();
      const act = (action: string, more: object = {}, client = clerk): Promise<Reply> =>
        ask([id], { type: 'action', action, ...more }, client);
      const missing = await act('nosuch');
      refused(missing, 404, 'not_found');
      const unseen = await act('unlock');
      expect([unseen.status, unseen.body.code, unseen.body.error], 'of an unseen resource').to.deep.equal([
        missing.status,
        missing.body.code,
        missing.body.error,
      ]);
      refused(await act('forbidden'), 403, 'forbidden');
      refused(await act('sign'), 403, 'fresh_sign_in_required');
      refused(await act('ping'), 400, 'invalid', 'operation.action');
      refused(await act('refund'), 409, 'confirmation_required', 'operation.confirmed');
      refused(await act('refund', { confirmed: 'true' }), 400, 'invalid', 'operation.confirmed');
    });

    it('says with dryRun what would happen, and does nothing', async () => {
      const [own, closed, readOnly, hidden, oneWay] = [
        await make(),
        await make(),
        await make({ inbox: 'bugs' }),
        await make({ inbox: 'secret' }),
        await make({ inbox: 'oneWay' }),
      ];
      await admin.post(`/items/${closed.id}/state`, { state: 'closed' });
      const ids = [own.id, own.id, closed.id, readOnly.id, hidden.id, unknown, oneWay.id];
      const before = await world.sql(
        'select (select count(*) from bulks) as bulks, (select count(*) from events) as events',
      );
      const reply = await clerk.post('/bulk', { ids, operation: { type: 'state', state: 'closed' }, dryRun: true });
      expect(reply.status).to.equal(200);
      expect(reply.body).to.deep.equal({
        bulk: null,
        matched: 4,
        pending: false,
        would: 'run',
        wouldChange: 1,
        unchanged: 1,
        forbidden: 1,
        notFound: 2,
        failed: 1,
      });
      const reader = await world.agent('clerk', { mode: 'readonly' });
      expect(
        await world.sql('select (select count(*) from bulks) as bulks, (select count(*) from events) as events'),
      ).to.deep.equal(before);
      refused(
        await reader.post('/bulk', { ids, operation: { type: 'state', state: 'closed' }, dryRun: true }),
        403,
        'forbidden',
      );
      expect(await item(own)).to.include({ version: 1 });
    });
  });

  describe('reading', () => {
    it('pages through results, also of one outcome', async () => {
      const items = await many(5);
      const ids = [unknown, ...idsOf(items), 'other', 'third'];
      const { id } = await run(ids, { type: 'tags', add: ['paged'] });
      const pages: Result[] = [];
      let cursor: string | null = '';
      for (let turn = 0; cursor !== null; turn++) {
        const { body }: Reply = await clerk.get(
          `/bulk/${id as string}/results?limit=${String(turn + 1)}${cursor === '' ? '' : `&cursor=${cursor}`}`,
        );
        pages.push(...(body.results as Result[]));
        cursor = body.cursor as string | null;
      }
      expect(pages.map((result) => result.id)).to.deep.equal(ids);
      expect((await results(id, '&outcome=not_found')).map((result) => result.id)).to.deep.equal([
        unknown,
        'other',
        'third',
      ]);
      const first = await clerk.get(`/bulk/${id as string}/results?limit=1&outcome=not_found`);
      refused(
        await clerk.get(`/bulk/${id as string}/results?cursor=${first.body.cursor as string}`),
        400,
        'bad_cursor',
      );
      refused(await clerk.get(`/bulk/${id as string}/results?outcome=perhaps`), 400, 'invalid', 'outcome');
    });

    it('is seen by its author and by who sees the audit log, without results of items that they do not see', async () => {
      const [mail, refund] = [await make(), await make({ inbox: 'refunds' })];
      const { id } = await run([mail.id, unknown, refund.id], { type: 'tags', add: ['seen'] });
      const auditor = await world.agent('auditor');
      expect((await results(id, '', auditor)).map((result) => result.id)).to.deep.equal([mail.id, unknown]);
      expect((await auditor.get(`/bulk/${id as string}`)).body.bulk).to.include({ total: 3 });
      const colleague = await world.agent('clerk');
      const missing = await colleague.get(`/bulk/blk_01jd0000000000000000000000`);
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/results'],
        ['POST', '/cancel'],
        ['POST', '/undo'],
      ] as const) {
        const reply = await colleague.call(method, `/bulk/${id as string}${path}`);
        refused(reply, 404, 'not_found');
        expect(reply.text).to.equal(missing.text);
      }
      await world.environment('other');
      const elsewhere = await world.agent('admin', { environments: ['*'] });
      refused(await world.elsewhere(elsewhere, 'other').get(`/bulk/${id as string}`), 404, 'not_found');
    });
  });

  describe('undoing', () => {
    it('gives each changed item its former value back, with the deadline and the snooze that the change had cleared', async () => {
      const [snoozed, plain, same] = [await make(), await make({ inbox: 'oneWay' }), await make()];
      await admin.post(`/items/${snoozed.id}/snooze`, { until: Date.now() + hour });
      await admin.post(`/items/${same.id}/state`, { state: 'closed' });
      const before = await item(snoozed);
      const closing = await run([snoozed.id, same.id], { type: 'state', state: 'closed' });
      expect(await item(snoozed)).to.include({ state: 'closed', dueAt: null, snoozedUntil: null });
      const undone = await undo(closing.id);
      expect(undone).to.deep.include({
        operation: { type: 'undo', bulk: closing.id },
        total: 1,
        changed: 1,
        status: 'done',
      });
      expect(await item(snoozed)).to.include({
        state: 'open',
        dueAt: before.dueAt,
        snoozedUntil: before.snoozedUntil,
        version: 4,
      });
      expect(await item(same)).to.include({ state: 'closed' });
      expect((await read(snoozed)).timeline[0]).to.deep.include({
        type: 'state',
        data: { from: 'closed', to: 'open' },
      });
      const old = await run([plain.id], { type: 'state', state: 'old' });
      await undo(old.id);
      expect(await item(plain), 'whatever transitions say').to.include({ state: 'new' });
      expect((await admin.get(`/audit?verb=bulk.undo&target=${closing.id as string}`)).body.entries).to.have.length(1);
    });

    it('leaves an item alone whose value is no longer the one that the bulk set', async () => {
      const [kept, moved] = await many(2, { tags: ['old'] });
      const assigning = await run([kept.id, moved.id], { type: 'assign', assignee: ana.id });
      await admin.post(`/items/${moved.id}/assign`, { assignee: null });
      expect(await outcomes((await undo(assigning.id)).id)).to.deep.equal(['changed', 'conflict']);
      const tagging = await run([kept.id, moved.id], { type: 'tags', add: ['new'], remove: ['old'] });
      await admin.post(`/items/${kept.id}/tags`, { add: ['unrelated'] });
      await admin.post(`/items/${moved.id}/tags`, { remove: ['new'] });
      expect(await outcomes((await undo(tagging.id)).id)).to.deep.equal(['changed', 'conflict']);
      expect((await item(kept)).tags).to.deep.equal(['old', 'unrelated']);
      expect((await item(moved)).tags).to.deep.equal([]);
      const until = Date.now() + hour;
      const snoozing = await run([kept.id], { type: 'snooze', until });
      expect(await outcomes((await undo(snoozing.id)).id)).to.deep.equal(['changed']);
      expect(await item(kept)).to.include({ snoozedUntil: null });
    });

    it('refuses with 409 what cannot be undone, and with 403 who has not the verb', async () => {
      const one = await make();
      const bulk = await run([one.id], { type: 'state', state: 'closed' });
      const nothing = await run([one.id], { type: 'state', state: 'closed' });
      refused(await clerk.post(`/bulk/${nothing.id as string}/undo`), 409, 'conflict');
      refused(await (await world.agent('auditor')).post(`/bulk/${bulk.id as string}/undo`), 403, 'forbidden');
      const undone = await undo(bulk.id);
      refused(await clerk.post(`/bulk/${undone.id as string}/undo`), 409, 'conflict');
      refused(await clerk.post(`/bulk/${bulk.id as string}/undo`, { more: 1 }), 400, 'invalid', 'more');
      await world.sql('update bulks set finished_at = finished_at - $1 where id = $2', [7 * 24 * hour, bulk.id]);
      refused(await clerk.post(`/bulk/${bulk.id as string}/undo`), 409, 'conflict');
    });
  });

  describe('cancelling', () => {
    it('stops what has not begun, once, by its author alone', async () => {
      const idle = await newWorld({ workers: false });
      try {
        await idle.role('clerk', clerkGrants);
        const [author, auditor] = [await idle.agent('clerk'), await idle.agent('admin')];
        const {
          body: { item: one },
        } = await author.post('/items', { inbox: 'mail', title: 'Stays' });
        const {
          body: { bulk },
        } = await ask([one.id, unknown], { type: 'state', state: 'closed' }, author);
        const path = `/bulk/${bulk.id as string}`;
        refused(await author.post(`${path}/undo`), 409, 'conflict');
        refused(await auditor.post(`${path}/cancel`), 403, 'forbidden');
        const options = { headers: { 'idempotency-key': 'cancel' } };
        const reply = await author.post(`${path}/cancel`, undefined, options);
        expect(reply.status, reply.text).to.equal(200);
        expect(reply.body.bulk).to.deep.include({
          status: 'cancelled',
          total: 2,
          done: 2,
          changed: 0,
          failed: 2,
          startedAt: null,
        });
        expect((await author.get(path)).text).to.equal(reply.text);
        expect((await author.post(`${path}/cancel`, undefined, options)).text).to.equal(reply.text);
        refused(await author.post(`${path}/cancel`), 409, 'conflict');
        expect((await results(bulk.id, '', author)).map(({ outcome }) => outcome)).to.deep.equal([
          'cancelled',
          'cancelled',
        ]);
        expect(
          (await auditor.get(`/audit?target=${bulk.id as string}`)).body.entries.map(
            (entry: { verb: string; outcome: string }) => [entry.verb, entry.outcome],
          ),
        ).to.deep.equal([
          ['bulk.cancel', 'failed'],
          ['bulk.cancel', 'ok'],
          ['bulk.cancel', 'denied'],
          ['bulk.undo', 'failed'],
          ['bulk.create', 'ok'],
        ]);
        expect(await idle.sql('select 1 from staged_jobs where subject = $1', [bulk.id])).to.deep.equal([]);
      } finally {
        await idle.close();
      }
    });
  });
});
