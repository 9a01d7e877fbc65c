/** The console through the official client of the Model Context Protocol: listed, read, changed, acted on. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { withIsoTimes } from '../../api/mcp/answers/times.ts';
import { never, type FakeApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { connectTools, eras, type Tools } from './client.ts';
import { clerkGrants, manifest } from './manifest.ts';

describe('tools', () => {
  let world: World;
  let admin: Client;
  let clerk: Client;
  let person: Client;
  let app: FakeApp;
  const open: Tools[] = [];
  /** What the app does when it is called to run an action. */
  let outcome: (params: { action: string; input: unknown; record: { id: string } | null }) => unknown = () => ({
    message: 'Done.',
    blocks: [],
  });

  const toolsOf = async (...given: Parameters<typeof connectTools>): Promise<Tools> => {
    const tools = await connectTools(...given);
    open.push(tools);
    return tools;
  };
  const online = async (): Promise<void> => {
    app = await world.app({
      'action.run': (params: Parameters<typeof outcome>[0]) => outcome(params),
      'reply.send': () => ({}),
    });
  };
  const ranOf = (action: string): unknown[] =>
    app.received.filter(
      ({ method, params }) => method === 'action.run' && (params as { action: string }).action === action,
    );
  const make = async (client: Client = clerk, more: object = {}): Promise<string> =>
    (await client.post('/items', { inbox: 'mail', title: 'A question', ...more })).body.item.id as string;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerkGrants);
    await world.role('nothing', []);
    admin = await world.agent('admin');
    clerk = await world.agent('clerk');
    person = await world.person('operator', 'Ana Lind');
    await world.records('customer', [
      { id: 'c1', title: 'Ada', fields: { email: 'ana@example.com', seats: 3 } },
      { id: 'c2', title: 'Bo', fields: { seats: 9 } },
    ]);
    await world.records('order', [{ id: 'o1', title: 'Order 1', fields: { customer: 'c1' } }]);
    await online();
    await until(
      'the records are found',
      async () => (await clerk.get('/resources/customer?q=ad')).body.records.length === 1,
    );
  });
  after(async () => {
    for (const tools of open) await tools.close();
    await app.close();
    await world.close();
  });
  beforeEach(() => {
    outcome = () => ({ message: 'Done.', blocks: [] });
  });

  for (const era of eras) {
    describe(`of a client with the ${era} revision`, () => {
      let tools: Tools;
      before(async () => {
        tools = await toolsOf(clerk, era);
      });

      it('says what it is and how to begin', () => {
        expect(tools.client.getServerVersion()).to.include({ name: 'console-api' });
        expect(tools.client.getServerCapabilities()).to.deep.equal({ tools: {}, resources: {}, prompts: {} });
        expect(tools.client.getInstructions()).to.include('get_me').and.include('demo');
        expect(tools.client.getProtocolEra()).to.equal(era === 'stateless' ? 'modern' : 'legacy');
      });

      it('reads what the role sees', async () => {
        const id = await make(clerk, { data: { email: 'x@example.com' }, tags: [era], key: `reads ${era}` });
        await make(clerk, { data: { email: 'y@example.com' }, key: `reads ${era}` });
        const { body, isError, texts } = await tools.call('list_items', { inbox: 'mail', tags: [era], limit: 1 });
        expect(isError).to.equal(false);
        expect(body.items.map((item: { id: string }) => item.id)).to.deep.equal([id]);
        expect(JSON.parse(texts[0] ?? '')).to.deep.equal(body);
        expect((await tools.call('get_item', { id })).body.item.fields).to.deep.equal({ email: 'x@example.com' });
        expect((await tools.call('get_item', { id })).body.latestOccurrence.data).to.deep.equal({
          email: 'y@example.com',
        });
        const said = (await tools.call('get_item_occurrences', { id })).body.occurrences as { data: object }[];
        expect(said.map(({ data }) => data)).to.deep.equal([{ email: 'y@example.com' }, { email: 'x@example.com' }]);
        const types = (await tools.call('get_item_timeline', { id })).body.entries.map(
          (one: { type: string }) => one.type,
        );
        expect(types).to.deep.equal(['occurred', 'created']);
        expect(
          (await tools.call('list_records', { resource: 'customer', filters: { seats: { gte: 5 } } })).body.records.map(
            (record: { id: string }) => record.id,
          ),
        ).to.deep.equal(['c2']);
        expect((await tools.call('search_records', { resource: 'customer', q: 'ad' })).body.records[0].id).to.equal(
          'c1',
        );
        expect((await tools.call('get_record', { resource: 'customer', id: 'c1' })).body.record.title).to.equal('Ada');
        expect(
          (await tools.call('get_related_records', { resource: 'customer', id: 'c1', relation: 'orders' })).body
            .records[0].id,
        ).to.equal('o1');
        expect((await tools.call('get_page', { page: 'overview', params: { q: 'Ada' } })).body.blocks[0].text).to.equal(
          'About Ada',
        );
        expect((await tools.call('list_flags')).body.flags.map(({ flag }: { flag: string }) => flag)).to.deep.equal([
          'asks',
          'banner',
          'checkout',
        ]);
        expect((await tools.call('get_me')).body.principal.id).to.equal(clerk.id);
        expect(
          (
            await tools.call('available_actions', { refs: [{ resource: 'customer', id: 'c1' }] })
          ).body.available[0].actions.map(({ action }: { action: string }) => action),
        ).to.include('greet');
      });

      it('answers of each tool that only reads what the same request answers', async () => {
        const id = await make();
        /** Without the time of the answer, which is another one each time, and without how many more there are. */
        const atNoTime = ({ now: _, more: __, ...body }: Record<string, unknown>): object => body;
        const pairs: readonly [string, object, string][] = [
          ['get_me', {}, '/me'],
          ['list_inboxes', {}, '/inboxes'],
          ['list_views', {}, '/views'],
          ['list_people', { inbox: 'mail' }, '/people?inbox=mail'],
          ['list_items', { search: 'question', limit: 2 }, '/items?search=question&limit=2'],
          ['get_item', { id }, `/items/${id}`],
          ['get_item_timeline', { id }, `/items/${id}/timeline`],
          ['get_item_occurrences', { id, limit: 1 }, `/items/${id}/occurrences?limit=1`],
          ['list_resources', {}, '/resources'],
          ['search_records', { resource: 'customer' }, '/resources/customer'],
          ['list_records', { resource: 'customer', sort: '-seats' }, '/resources/customer/list?sort=-seats'],
          ['get_record', { resource: 'customer', id: 'c1' }, '/resources/customer/c1'],
          ['list_actions', {}, '/actions'],
          ['list_runs', { status: 'failed' }, '/runs?status=failed'],
          ['list_pages', {}, '/pages'],
          ['list_flags', {}, '/flags'],
          ['get_flag', { flag: 'checkout' }, '/flags/checkout'],
          ['get_flag_history', { flag: 'checkout' }, '/flags/checkout/history'],
          ['list_approvals', { status: 'rejected' }, '/approvals?status=rejected'],
        ];
        for (const [name, given, path] of pairs)
          expect(atNoTime((await tools.call(name, { ...given, detail: 'full' })).body), name).to.deep.equal(
            atNoTime(withIsoTimes((await clerk.get(path)).body, true) as Record<string, unknown>),
          );
      });

      it('changes an item in every way, and answers what was changed', async () => {
        const created = await tools.call('create_item', {
          inbox: 'mail',
          title: 'New',
          data: { email: 'a@example.com' },
        });
        const id = created.body.item.id as string;
        expect((await tools.call('set_item_state', { id, state: 'waiting' })).body).to.deep.include({ changed: true });
        expect((await tools.call('set_item_state', { id, state: 'waiting' })).body.changed).to.equal(false);
        expect((await tools.call('assign_item', { id, assignee: person.id })).body.item.assignee).to.equal(person.id);
        expect((await tools.call('tag_item', { id, add: ['a', 'b'] })).body.item.tags).to.deep.equal(['a', 'b']);
        expect(
          (await tools.call('snooze_item', { id, until: Date.now() + 3_600_000 })).body.item.snoozedUntil,
        ).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect((await tools.call('add_note', { id, text: 'Noted.' })).body.entry.type).to.equal('note');
        const reply = await tools.call('reply_to_item', { id, subject: 'Hello', text: 'There' });
        expect(reply.body.entry.status).to.equal('sending');
        expect(reply.body.next).to.include('get_item_timeline').and.include(reply.body.entry.id);
        expect((await tools.call('triage_item', { id, answers: { spam: 'no' } })).body.changed).to.equal(true);
        const timeline = (await admin.get(`/items/${id}`)).body.timeline as { actor: { id: string } }[];
        expect(new Set(timeline.map(({ actor }) => actor.id))).to.deep.equal(new Set([clerk.id]));
      });

      it('runs an action: done, running, pending, and what is dangerous only when confirmed', async () => {
        outcome = ({ input }) => ({
          message: `Said ${String((input as { words?: string }).words)}.`,
          blocks: [{ type: 'text', text: 'Well.' }],
        });
        const item = await make();
        // Each revision does the same once more.
        const idempotencyKey = `runs ${era}`;
        const greeting = { record_: 'c1', words: 'hello', style: 'warm', item };
        const done = await tools.call('action_greet', { ...greeting, idempotencyKey });
        expect(done.body).to.deep.include({ message: 'Said hello.' });
        expect(done.body.blocks).to.have.length(1);
        expect((await tools.call('get_run', { id: done.body.run })).body.run).to.deep.include({
          status: 'succeeded',
          record: 'c1',
          item,
          input: { words: 'hello', style: 'warm' },
        });

        const running = await tools.call('action_reindex', { idempotencyKey: `${idempotencyKey} reindex` });
        expect(running.body.running).to.equal(true);
        expect(running.body.next).to.include('get_run').and.include(running.body.run);
        await until(
          'it has ended',
          async () => (await tools.call('get_run', { id: running.body.run })).body.run.status === 'succeeded',
        );

        const pending = await tools.call('action_refund', { record: 'c1' });
        expect(pending.body.pending).to.equal(true);
        expect(pending.body.next).to.include('get_approval').and.include(pending.body.approval);
        expect((await tools.call('get_approval', { id: pending.body.approval })).body.approval.status).to.equal(
          'pending',
        );
        expect((await tools.call('cancel_approval', { id: pending.body.approval })).body.approval.status).to.equal(
          'cancelled',
        );

        const bold = await toolsOf(admin, era);
        const refused = await bold.call('action_erase', { record: 'c1', idempotencyKey });
        expect([refused.isError, refused.body.status, refused.body.code]).to.deep.equal([
          true,
          409,
          'confirmation_required',
        ]);
        expect(
          (await bold.call('action_erase', { record: 'c1', confirmed: true, idempotencyKey })).body.message,
        ).to.be.a('string');
      });

      it('queues an action while the app is offline, and takes it back', async () => {
        await app.close();
        await until(
          'the app is gone',
          async () => (await clerk.post('/actions', { action: 'reindex' })).body.queued === true,
        );
        const name = (await tools.names()).find((each) => each.startsWith('action_slow_one')) ?? '';
        const { body } = await tools.call(name);
        expect(body.queued).to.equal(true);
        expect(body.next).to.include('get_run').and.include('cancel_run');
        expect((await tools.call('cancel_run', { id: body.run })).body.run.status).to.equal('cancelled');
        await online();
        await world.settled();
      });

      it('refuses with code, sentence, status and the places in its arguments', async () => {
        const id = await make();
        const cases: readonly [string, object, string, readonly string[]][] = [
          ['set_item_state', { id, state: 'nosuch' }, '400 invalid', ['state']],
          ['set_item_state', { id, state: 1 }, '400 invalid', ['state']],
          ['set_item_state', { id: 5, state: 'open' }, '404 not_found', []],
          ['set_item_state', { id: {}, state: 'open' }, '400 invalid', ['id']],
          ['set_item_state', { state: 'open' }, '400 invalid', ['id']],
          ['set_item_state', { id, state: 'open', colour: 'red' }, '400 invalid', ['colour']],
          ['list_items', { limit: 'ten' }, '400 invalid', ['limit']],
          ['list_items', { tags: [{}] }, '400 invalid', ['tags.0']],
          ['list_items', { detail: 'more' }, '400 invalid', ['detail']],
          ['list_items', { overdue: 'perhaps' }, '400 invalid', ['overdue']],
          ['snooze_item', { id, until: 'soon' }, '400 invalid', ['until']],
          ['list_items', { nosuch: 1 }, '400 invalid', ['nosuch']],
          ['list_items', { cursor: 'x' }, '400 bad_cursor', []],
          ['list_records', { resource: 'customer', filters: 'x' }, '400 invalid', ['filters']],
          ['list_records', { resource: 'customer', filters: { nosuch: 1 } }, '400 invalid', ['filters.nosuch']],
          ['get_item', { id: 'nosuch' }, '404 not_found', []],
          ['get_item', { id: '' }, '400 invalid', ['id']],
          ['get_record', { resource: 'vault', id: 'x' }, '404 not_found', []],
          ['set_item_state', { id, state: 'open', version: 1.5 }, '400 invalid', ['version']],
          ['set_item_state', { id, state: 'closed', version: 99 }, '412 version_conflict', []],
          ['add_note', { id, text: 'x', idempotencyKey: ' ' }, '400 invalid', ['idempotencyKey']],
          ['action_greet', { record_: 'c1' }, '400 invalid', ['words']],
          ['action_greet', { record_: 'c1', words: 'x', more: 1 }, '400 invalid', ['more']],
          ['action_greet', { words: 'x' }, '400 invalid', ['record_']],
          ['action_greet', { record_: 'nosuch', words: 'x' }, '404 not_found', []],
          ['action_greet', { record_: {}, words: 'x' }, '400 invalid', ['record_']],
          ['action_either', { input: {}, more: 1 }, '400 invalid', ['more']],
          ['action_either', { input: { a: 'x' } }, '400 invalid', ['input.a']],
          ['change_flag', { flag: 'checkout', change: {} }, '400 invalid', []],
          ['change_flag', { flag: 'unseen', change: { value: true } }, '404 not_found', []],
          ['snooze_item', { id, until: 1 }, '400 invalid', ['until']],
        ];
        for (const [name, given, wanted, paths] of cases) {
          const { isError, body, texts } = await tools.call(name, given as Record<string, unknown>);
          const what = `${name} ${JSON.stringify(given)} ${JSON.stringify(body)}`;
          expect([isError, `${String(body.status)} ${String(body.code)}`], what).to.deep.equal([true, wanted]);
          expect(body.error, what).to.match(/[.]$/);
          expect(JSON.parse(texts[0] ?? ''), what).to.deep.equal(body);
          if (paths.length > 0)
            expect(
              (body.details as { path: string }[]).map(({ path }) => path),
              what,
            ).to.deep.equal(paths);
        }
        const conflict = await tools.call('set_item_state', { id, state: 'closed', version: 99 });
        expect(conflict.body.current.id).to.equal(id);
        outcome = () => {
          throw new Error('No.');
        };
        expect(
          (await tools.call('action_either', { input: { a: 1 }, idempotencyKey: `either ${era}` })).body.code,
        ).to.be.oneOf(['action_failed', 'app_error']);
      });
    });
  }

  it('are done once under an idempotency key, together with the same request over HTTP', async () => {
    const tools = await toolsOf(clerk);
    const id = await make();
    const given = { id, text: 'Äpfel: once', idempotencyKey: 'note-1', detail: 'full' };
    const [first, second] = [await tools.call('add_note', given), await tools.call('add_note', given)];
    const { next, ...repeated } = second.body;
    expect(repeated).to.deep.equal(first.body);
    expect(next).to.include('nothing was done now');
    expect([first.meta['idempotent-replayed'], second.meta['idempotent-replayed']]).to.deep.equal([undefined, true]);
    const overHttp = await clerk.post(
      `/items/${id}/notes`,
      { text: 'Äpfel: once' },
      { headers: { 'idempotency-key': 'note-1' } },
    );
    expect([overHttp.headers.get('idempotent-replayed'), withIsoTimes(overHttp.body, true)]).to.deep.equal([
      'true',
      first.body,
    ]);
    expect((await tools.call('add_note', { ...given, text: 'other' })).body.code).to.equal('idempotency_mismatch');
    expect(
      ((await clerk.get(`/items/${id}/timeline`)).body.entries as { type: string }[]).filter(
        ({ type }) => type === 'note',
      ),
    ).to.have.length(1);

    const ran = ranOf('greet').length;
    const greet = { record_: 'c2', words: 'once', idempotencyKey: 'greet-1' };
    const [one, two] = [await tools.call('action_greet', greet), await tools.call('action_greet', greet)];
    expect(two.body).to.deep.equal({ ...one.body, next });
    expect(ranOf('greet')).to.have.length(ran + 1);
  });

  it('of many parallel calls with one key have one effect', async () => {
    const tools = await toolsOf(clerk);
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        tools.call('create_item', { inbox: 'mail', title: 'Parallel', idempotencyKey: 'parallel' }),
      ),
    );
    expect(new Set(made.map(({ body }) => body.item.id as string)).size).to.equal(1);
  });

  it('change an item only as it was seen', async () => {
    const tools = await toolsOf(clerk);
    const id = await make();
    expect((await tools.call('tag_item', { id, add: ['x'], version: 1 })).body.item.version).to.equal(2);
    expect((await tools.call('tag_item', { id, add: ['y'], version: 1 })).body.code).to.equal('version_conflict');
  });

  it('change many items in the background, and take it back', async () => {
    const tools = await toolsOf(clerk);
    const ids = [await make(), await make()];
    const operation = { type: 'tags', add: ['bulky'], remove: [] };
    expect((await tools.call('bulk_items', { ids, operation, dryRun: true })).body.wouldChange).to.equal(2);
    const { body } = await tools.call('bulk_items', { ids, operation });
    const id = body.bulk.id as string;
    expect(body.next).to.include('get_bulk').and.include(id);
    await until('it is done', async () => (await tools.call('get_bulk', { id })).body.bulk.status === 'done');
    expect((await tools.call('get_bulk_results', { id, outcome: 'changed' })).body.results).to.have.length(2);
    expect((await tools.call('undo_bulk', { id })).body.bulk.total).to.equal(2);
  });

  it('replace a running ramp only when they say so', async () => {
    const tools = await toolsOf(clerk);
    const ramp = (to: number): Record<string, unknown> => ({
      flag: 'checkout',
      change: { ramp: { to, over: 3_600_000, every: 60_000 } },
    });
    expect((await tools.call('change_flag', ramp(50))).body).to.have.keys('flag', 'changed');
    for (const given of [{}, { replace: false }, { dryRun: true }]) {
      const { isError, body } = await tools.call('change_flag', { ...ramp(80), ...given });
      expect([isError, (body as { code: string }).code]).to.deep.equal([true, 'conflict']);
      expect((body as { details: object[] }).details).to.deep.equal([
        { path: 'replace', message: 'must be true to replace the running ramp' },
      ]);
    }
    const waiting = await tools.call('change_flag', {
      flag: 'asks',
      change: { ramp: { to: 5, over: 1000, every: 1000 } },
    });
    expect(waiting.body).to.include({ pending: true });
    const replaced = (await tools.call('change_flag', { ...ramp(80), replace: true })).body as { replaced: object };
    expect(replaced.replaced).to.include({ to: 50, status: 'running' });
    const stopped = await tools.call('change_flag', { flag: 'checkout', change: { ramp: null } });
    expect(stopped.body).to.have.keys('flag', 'changed');
  });

  it('change flags, at once or after an approval', async () => {
    const tools = await toolsOf(clerk);
    expect((await tools.call('change_flag', { flag: 'checkout', change: { value: true } })).body).to.deep.include({
      changed: true,
    });
    const asked = await tools.call('change_flag', { flag: 'asks', change: { value: true } });
    expect(asked.body.pending).to.equal(true);
    expect((await tools.call('list_approvals')).body.approvals.map(({ id }: { id: string }) => id)).to.include(
      asked.body.approval,
    );
  });

  it('tell what has changed', async () => {
    const tools = await toolsOf(clerk);
    let after = (await tools.call('list_changes')).body.cursor as string;
    const id = await make();
    // Messages about earlier changes of others may come first.
    await until('the item is told of', async () => {
      const { changes, cursor } = (await tools.call('list_changes', { after, wait: 5_000 })).body as {
        changes: { type: string; item?: { id: string } }[];
        cursor: string;
      };
      after = cursor;
      return changes.some(({ type, item }) => type === 'item' && item?.id === id);
    });
  });

  it('ask a person for each change of a supervised agent', async () => {
    const supervised = await world.agent('clerk', { mode: 'supervised' });
    const tools = await toolsOf(supervised);
    const id = await make();
    const ran = ranOf('greet').length;
    const asked = [
      await tools.call('create_item', { inbox: 'mail', title: 'New' }),
      await tools.call('set_item_state', { id, state: 'closed' }),
      await tools.call('tag_item', { id, add: ['x'] }),
      await tools.call('add_note', { id, text: 'x' }),
      await tools.call('reply_to_item', { id, subject: 'x', text: 'y' }),
      await tools.call('action_greet', { record_: 'c1', words: 'x' }),
      await tools.call('change_flag', { flag: 'checkout', change: { value: false } }),
      await tools.call('bulk_items', { ids: [id], operation: { type: 'state', state: 'closed' } }),
    ];
    for (const { body } of asked) {
      expect(body.pending, JSON.stringify(body)).to.equal(true);
      expect(body.next).to.include('get_approval').and.include(body.approval);
    }
    expect(ranOf('greet')).to.have.length(ran);
    expect((await admin.get(`/items/${id}`)).body.item.version).to.equal(1);
    await person.post(`/approvals/${String(asked[1]?.body.approval)}/approve`);
    expect((await tools.call('get_approval', { id: asked[1]?.body.approval })).body.approval.status).to.equal(
      'approved',
    );
    expect((await admin.get(`/items/${id}`)).body.item.state).to.equal('closed');
  });

  it('are those that the role can use, in the same order each time', async () => {
    const namesFor = async (client: Client): Promise<string[]> => (await toolsOf(client)).names();
    const [all, some, seeing, none, reading] = [
      await namesFor(admin),
      await namesFor(clerk),
      await namesFor(await world.agent('viewer')),
      await namesFor(await world.agent('nothing')),
      await namesFor(await world.agent('clerk', { mode: 'readonly' })),
    ];
    expect(none).to.deep.equal(['get_me', 'list_changes']);
    expect(seeing)
      .to.include.members(['list_items', 'get_item', 'list_records', 'get_page', 'list_flags'])
      .and.not.include.members(['create_item', 'action_greet', 'change_flag']);
    for (const name of [
      'create_item',
      'set_item_state',
      'bulk_items',
      'list_actions',
      'change_flag',
      'list_approvals',
      'list_people',
    ])
      expect(seeing, name).not.to.include(name);
    expect(some).to.include.members([
      'create_item',
      'triage_item',
      'bulk_items',
      'action_greet',
      'action_reindex',
      'change_flag',
      'cancel_approval',
    ]);
    for (const name of ['action_erase', 'action_wipe', 'action_unlock', 'action_bare'])
      expect(some, name).not.to.include(name);
    for (const name of ['create_item', 'action_greet', 'change_flag', 'cancel_run', 'bulk_items', 'cancel_approval'])
      expect(reading, name).not.to.include(name);
    expect(all)
      .to.include.members(['action_erase', 'action_unlock', 'action_bare'])
      .and.not.include.members(['action_wipe']);
    expect(await namesFor(person)).to.include('action_wipe');
    expect(await namesFor(clerk)).to.deep.equal(some);
    expect(new Set(all).size).to.equal(all.length);
    for (const name of all) expect(name).to.match(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it('say in a schema that clients take what they need and what they answer', async () => {
    const ajv = new Ajv2020({ strict: false });
    for (const { name, description, inputSchema, outputSchema, annotations } of await (await toolsOf(admin)).list()) {
      expect(description, name).to.match(/[.]/);
      expect(inputSchema['type'], name).to.equal('object');
      expect(JSON.stringify(inputSchema), name).not.to.include('x-mcp-header');
      for (const keyword of ['anyOf', 'oneOf', 'allOf', '$ref'])
        expect(inputSchema, name).not.to.have.property(keyword);
      expect(ajv.validateSchema(inputSchema), `${name} ${ajv.errorsText()}`).to.equal(true);
      expect(() => ajv.compile(inputSchema), name).not.to.throw();
      expect(outputSchema?.['type'], name).to.equal('object');
      expect(() => ajv.compile(outputSchema ?? {}), name).not.to.throw();
      expect(annotations?.['readOnlyHint'], name).to.be.a('boolean');
      if (annotations?.['readOnlyHint'] !== true)
        expect(annotations, name).to.include.keys('destructiveHint', 'idempotentHint');
      if (name.startsWith('action_')) continue;
      expect(JSON.stringify(inputSchema), name).not.to.match(/comma-separated|"const":|"properties":\{\}/);
    }
  });

  it('say in their schemas what the endpoints say in theirs', async () => {
    const found = (await (await toolsOf(admin)).list()).find(({ name }) => name === 'list_items');
    const properties = found?.inputSchema.properties as Record<string, { type?: string; enum?: string[] }>;
    expect(properties['sort']?.enum).to.include.members(['-lastSeen', 'due']);
    expect(properties['state']?.type).to.equal('array');
    expect(properties['overdue']?.type).to.equal('boolean');
  });

  it('take the input of an action as it was declared, with what a run needs beside it', async () => {
    const tools = new Map((await (await toolsOf(admin)).list()).map((tool) => [tool.name, tool.inputSchema]));
    expect(tools.get('action_greet')).to.deep.include({
      required: ['record_', 'words'],
      additionalProperties: false,
      $defs: { style: { enum: ['warm', 'cool'] } },
    });
    const beside = ['item', 'reason', 'idempotencyKey', 'dryRun'];
    const ofGreet = ['record_', 'words', 'record', 'style', ...beside];
    expect(tools.get('action_greet')?.properties).to.have.all.keys(ofGreet);
    expect(tools.get('action_erase')?.properties).to.have.all.keys(['record', 'confirmed', ...beside]);
    // What holds for the whole input would hold for the other arguments too.
    expect(tools.get('action_either')?.properties).to.have.all.keys(['input', ...beside]);
    const ajv = new Ajv2020({ strict: false });
    const check = ajv.compile(tools.get('action_either') ?? {});
    expect([check({ input: { b: 1 } }), check({ input: { b: 'x' } }), check({ input: {} })]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('that take long end when the client goes away, and leave the run', async () => {
    outcome = never;
    const tools = await connectTools(clerk);
    const before = (await clerk.get('/runs?action=greet&limit=200')).body.runs.length as number;
    const gone = tools.call('action_greet', { record_: 'c1', words: 'long' }).catch(() => undefined);
    await until(
      'it has begun',
      async () => ((await clerk.get('/runs?action=greet&limit=200')).body.runs.length as number) > before,
    );
    await tools.close();
    await gone;
    expect((await clerk.get('/runs?action=greet&limit=1')).body.runs[0].status).to.equal('running');
  });
});
