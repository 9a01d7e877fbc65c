/** The console through the official client of the Model Context Protocol, in each of its revisions: read, changed, acted on. */
import { expect } from 'chai';
import { withIsoTimes } from '../../api/mcp/answers/times.ts';
import { until } from '../support/until.ts';
import { eras, type Tools } from './client.ts';
import { useTools } from './toolsWorld.ts';

describe('tools', () => {
  const here = useTools();
  const { toolsOf, online, make } = here;

  for (const era of eras) {
    describe(`of a client with the ${era} revision`, () => {
      let tools: Tools;
      before(async () => {
        tools = await toolsOf(here.clerk, era);
      });

      it('says what it is and how to begin', () => {
        expect(tools.client.getServerVersion()).to.include({ name: 'console-api' });
        expect(tools.client.getServerCapabilities()).to.deep.equal({ tools: {}, resources: {}, prompts: {} });
        expect(tools.client.getInstructions()).to.include('get_me').and.include('demo');
        expect(tools.client.getProtocolEra()).to.equal(era === 'stateless' ? 'modern' : 'legacy');
      });

      it('reads what the role sees', async () => {
        const id = await make(here.clerk, { data: { email: 'x@example.com' }, tags: [era], key: `reads ${era}` });
        await make(here.clerk, { data: { email: 'y@example.com' }, key: `reads ${era}` });
        const { body, isError, texts } = await tools.call('list_items', { inbox: 'mail', tags: [era], limit: 1 });
        expect(isError).to.equal(false);
        expect(body.items.map((item: { id: string }) => item.id)).to.deep.equal([id]);
        expect(texts, 'the answer has one form').to.have.length(era === 'handshake' ? 1 : 0);
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
        expect((await tools.call('get_me')).body.principal.id).to.equal(here.clerk.id);
        expect(
          (
            await tools.call('available_actions', { refs: [{ resource: 'customer', id: 'c1' }] })
          ).body.available[0].actions.map(({ action }: { action: string }) => action),
        ).to.include('greet');
      });

      it('answers of each tool that only reads what the same request answers', async () => {
        const id = await make();
        /** Without the time of the answer, which is another one each time, and without how many more there are. */
        const atNoTime = ({ now: _, more: __, seen: ___, ...body }: Record<string, unknown>): object => body;
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
            atNoTime(withIsoTimes((await here.clerk.get(path)).body, true) as Record<string, unknown>),
          );
      });

      it('changes an item in every way, and answers what was changed', async () => {
        const created = await tools.call('create_item', {
          inbox: 'mail',
          title: `New ${era}`,
          data: { email: 'a@example.com' },
        });
        const id = created.body.item.id as string;
        expect((await tools.call('set_item_state', { id, state: 'waiting' })).body).to.deep.include({ changed: true });
        expect((await tools.call('set_item_state', { id, state: 'waiting' })).body.changed).to.equal(false);
        expect((await tools.call('assign_item', { id, assignee: here.person.id })).body.item.assignee).to.equal(
          here.person.id,
        );
        expect((await tools.call('tag_item', { id, add: ['a', 'b'] })).body.item.tags).to.deep.equal(['a', 'b']);
        expect(
          (await tools.call('snooze_item', { id, until: Date.now() + 3_600_000 })).body.item.snoozedUntil,
        ).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect((await tools.call('add_note', { id, text: 'Noted.' })).body.entry.type).to.equal('note');
        const reply = await tools.call('reply_to_item', { id, subject: 'Hello', text: 'There' });
        expect(reply.body.entry.status).to.equal('sending');
        expect(reply.body.next).to.include('get_item_timeline').and.include(reply.body.entry.id);
        expect((await tools.call('triage_item', { id, answers: { spam: 'no' } })).body.changed).to.equal(true);
        const timeline = (await here.admin.get(`/items/${id}`)).body.timeline as { actor: { id: string } }[];
        expect(new Set(timeline.map(({ actor }) => actor.id))).to.deep.equal(new Set([here.clerk.id]));
      });

      it('runs an action: done, running, pending, and what is dangerous only when confirmed', async () => {
        here.outcome = ({ input }) => ({
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

        const bold = await toolsOf(here.admin, era);
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
        await here.app.close();
        await until(
          'the app is gone',
          async () => (await here.clerk.post('/actions', { action: 'reindex' })).body.queued === true,
        );
        const name = (await tools.names()).find((each) => each.startsWith('action_slow_one')) ?? '';
        const { body } = await tools.call(name);
        expect(body.queued).to.equal(true);
        expect(body.next).to.include('get_run').and.include('cancel_run');
        expect((await tools.call('cancel_run', { id: body.run })).body.run.status).to.equal('cancelled');
        await online();
        await here.world.settled();
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
          expect(texts, what).to.have.length(era === 'handshake' ? 1 : 0);
          if (paths.length > 0)
            expect(
              (body.details as { path: string }[]).map(({ path }) => path),
              what,
            ).to.deep.equal(paths);
        }
        const conflict = await tools.call('set_item_state', { id, state: 'closed', version: 99 });
        expect(conflict.body.current.id).to.equal(id);
        here.outcome = () => {
          throw new Error('No.');
        };
        expect(
          (await tools.call('action_either', { input: { a: 1 }, idempotencyKey: `either ${era}` })).body.code,
        ).to.be.oneOf(['action_failed', 'app_error']);
      });
    });
  }
});
