/** What tools say and take where a model has half the words: names of people and arguments, times of records, and what to ask instead. */
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { callTool, listTools } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';
import { clerkGrants, manifest } from './manifest.ts';

const since = Date.parse('2026-10-01T08:00:00Z');

describe('tools for models', () => {
  let world: World;
  let clerk: Client;
  let person: Client;

  const answer = async (name: string, given: object = {}, client = clerk): Promise<Record<string, unknown>> => {
    const { status, body } = await callTool(client, name, given);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Record<string, unknown>;
  };
  const refusal = async (name: string, given: object, client = clerk): Promise<string> => {
    const { status, body } = await callTool(client, name, given);
    expect(status, JSON.stringify(body)).to.be.oneOf([400, 404]);
    return `${String(body.details[0].path)} ${String(body.details[0].message)}`;
  };
  const make = async (more: object = {}): Promise<string> =>
    (await clerk.post('/items', { inbox: 'mail', title: 'A question', ...more })).body.item.id as string;

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerkGrants);
    await world.role('debugger', [{ on: 'inbox:bugs', can: ['*'] }]);
    await world.role('both', [
      { on: 'inbox:mail', can: ['*'] },
      { on: 'inbox:bugs', can: ['*'] },
    ]);
    clerk = await world.agent('clerk');
    person = await world.person('operator', 'Daniel Novák');
    await world.person('debugger', 'Kenji Abe');
    await world.records('customer', [
      { id: 'c1', title: 'Ada', fields: { since, seats: 3 } },
      { id: 'c2', title: 'Bo', fields: { since: since - 86_400_000 } },
    ]);
  });
  after(() => world.close());

  it('find what somebody did by name, e-mail address or id, and refuse names that nobody has', async () => {
    const id = await make();
    expect((await callTool(person, 'add_note', { id, text: 'Mine.' })).status).to.equal(200);
    await world.settled();
    const [{ email }] = (await world.sql('select email from people where id = $1', [person.id])) as [{ email: string }];
    for (const by of ['daniel', 'Daniel Novak', email, person.id]) {
      const { changes } = await answer('list_changes', { since: '1h', by: [by], types: 'timeline' });
      expect(changes, by).to.have.length(1);
    }
    const ofAgents = await answer('list_changes', { since: '1h', by: 'clerk agent', types: 'timeline' });
    expect(ofAgents['changes']).to.have.length.above(0);
    expect(await refusal('list_changes', { since: '1h', by: ['me', 'Danial'] })).to.match(/^by\.1 .*Daniel Novák/);
  });

  it('take no letter or two for the beginning of a name', async () => {
    const id = await make();
    for (const assignee of ['d', 'Da']) {
      const { status, body } = await callTool(clerk, 'assign_item', { id, assignee });
      expect([status, body.details[0].path], assignee).to.deep.equal([400, 'assignee']);
    }
    await world.person('operator', 'Bo Yang');
    for (const assignee of ['dan', 'bo']) await answer('assign_item', { id, assignee });
  });

  it('say from when on what has changed is complete', async () => {
    expect(await answer('list_changes', { since: '30d' }), 'nothing is deleted yet').not.to.have.property(
      'completeSince',
    );
    await world.sql('update streams set trimmed = 1');
    // What is deleted is older than a day, and so is what follows it.
    await world.sql('update stream set at = at - 86400000');
    const partial = await answer('list_changes', { since: '30d' });
    expect(partial['completeSince']).to.match(/^\d{4}-.*Z$/);
    expect(await answer('list_changes', { since: 'now' })).not.to.have.property('completeSince');
  });

  it('take the arguments beside an action’s input that they list, a dry run among them', async () => {
    const listed = new Map((await listTools(clerk)).map((tool) => [tool.name, tool.inputSchema]));
    const greet = listed.get('action_greet')?.['properties'];
    expect(greet).to.include.keys('record_', 'item', 'reason', 'idempotencyKey', 'dryRun');
    const given = { record_: 'c1', words: 'Hello', dryRun: true, reason: 'To try it.', idempotencyKey: 'greet once' };
    expect(await answer('action_greet', given)).to.include({ dryRun: true });
    expect((await answer('list_runs'))['runs']).to.deep.equal([]);
    expect(await refusal('action_greet', { record_: 'c1', words: 'Hello', idempotencykey: 'x' })).to.match(
      /^idempotencykey is not known here; known: idempotencyKey, /,
    );
  });

  it('name the arguments nearest in spelling among all that there are', async () => {
    const id = await make();
    expect(await refusal('update_item', { id, state: 'open', reson: 'x' })).to.match(/^reson .*known: reason, /);
    expect(await refusal('update_item', { id, state: 'open', dryrun: true })).to.match(/^dryrun .*known: dryRun, /);
    expect(await refusal('get_item', { id, fields: 'title,stat' })).to.match(
      /among state, .* and \d+ more, not [a-z]+$/i,
    );
    expect(await refusal('update_item', { id, tags: ['vip'] })).to.match(/^tags must be object, with add, remove/);
    expect(await refusal('list_items', { record: 'customer' })).to.equal('record must be of the form <resource>:<id>');
    expect(await refusal('list_items', { sort: 'newest' })).to.match(/^sort must be one of [a-zA-Z, -]+ and 4 more$/);
    expect(await refusal('list_items', { state: 'opn' })).to.match(/^state must be among open, /);
    expect(await refusal('list_records', { resource: 'customer', filters: { seat: 3 } })).to.match(/known: seats, /);
    expect(await refusal('list_runs', { action: 'refnd' })).to.match(/^action .*known: refund, /);
    expect(await refusal('summarize_items', { by: 'fields.emial' })).to.equal('by must be among fields.email');
    expect(await refusal('list_items', { where: { emial: 'x' } })).to.match(/^where\.emial .*email/);
    expect(await refusal('list_changes', { since: 'soon' })).to.equal('since is not an offset of this stream');
    expect((await callTool(clerk, 'list_changes', { since: 'soon' })).body.error).to.match(/^since is not/);
    const ramp = {
      to: 50,
      over: '10m',
      every: '1m',
      guard: { inbox: 'mial', above: 3, within: '10m', then: 'rollback' },
    };
    expect(await refusal('change_flag', { flag: 'checkout', change: { ramp } })).to.match(
      /^change\.ramp\.guard\.inbox .*known: mail, bugs/,
    );
    const past = await refusal('update_item', { id, snooze: '-2h' });
    expect(past).to.equal('snooze must be in the future');
  });

  it('name those whom an item can be assigned to', async () => {
    const both = await world.agent('both');
    const id = await make();
    expect(await refusal('update_item', { id, assignee: 'Kenji' }, both)).to.match(
      /^assignee is nobody who can see mail; those who can: .*Daniel Novák/,
    );
    const { item, ...rest } = await answer('update_item', { id, assignee: 'daniel novak' });
    expect((item as { assignee: string }).assignee).to.equal(person.id);
    expect(rest).not.to.have.property('hint');
    await world.role('onlooker', [{ on: 'inbox:mail', can: ['see'] }]);
    await world.person('onlooker', 'Ruth Berg');
    expect((await answer('update_item', { id, assignee: 'Ruth' }))['hint']).to.match(/^Ruth Berg may only see mail, /);
  });

  it('have and take the times of records as ISO 8601', async () => {
    const iso = '2026-10-01T08:00:00Z';
    const { record } = await answer('get_record', { resource: 'customer', id: 'c1' });
    expect((record as { fields: object }).fields).to.include({ since: iso });
    const { records } = await answer('list_records', { resource: 'customer', filters: { since: { gte: iso } } });
    expect((records as { id: string; fields: object }[]).map(({ id, fields }) => ({ id, fields }))).to.deep.equal([
      { id: 'c1', fields: { since: iso, seats: 3 } },
    ]);
    const linked = await answer('get_item', { id: await make({ record: { resource: 'customer', id: 'c1' } }) });
    expect(JSON.stringify(linked['linked'])).to.include(iso).and.not.include(String(since));
    expect(await refusal('list_records', { resource: 'customer', filters: { since: 'soon' } })).to.match(
      /^filters\.since must be a time/,
    );
  });

  it('name the entry that an undo takes', async () => {
    const id = await make();
    const { entries } = await answer('update_item', { id, state: 'waiting', tags: { add: 'x' } });
    const [first] = entries as { id: string }[];
    expect(first?.id).to.match(/^ent_/);
    const timeline = (await answer('get_item_timeline', { id }))['entries'] as { id?: string; type: string }[];
    expect(timeline.find(({ type }) => type === 'state')?.id).to.equal(first?.id);
    const { item } = await answer('update_item', { id, undo: first?.id });
    expect((item as { state: string }).state).to.equal('open');
  });

  it('answer less with fields than without', async () => {
    const id = await make({ data: { email: 'a@example.com' }, record: { resource: 'customer', id: 'c1' } });
    const some = await answer('get_item', { id, fields: 'title,state' });
    expect(some['item']).to.have.all.keys('id', 'title', 'state');
    expect(JSON.stringify(some).length).to.be.below(JSON.stringify(await answer('get_item', { id })).length);
  });

  it('say how the rest is read where an answer had to be cut', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 100; n += 1)
      ids.push(await make({ title: `${String(n)} ${'x'.repeat(450)}`, tags: ['a', 'b', 'c', 'd'] }));
    const { items, itemsCut, rest } = await answer('get_items', { ids });
    const shown = items as { id: string }[];
    expect(shown.length + Number(itemsCut)).to.equal(100);
    expect(rest)
      .to.include(`those after ${String(shown.at(-1)?.id)}`)
      .and.include('fields');
    expect((await answer('get_items', { ids, fields: 'state' }))['items']).to.have.length(100);
  });

  it('group and change what list_items finds by where', async () => {
    await make({ data: { email: 'where@example.com' } });
    const where = { email: 'where@example.com' };
    expect(await answer('summarize_items', { by: 'state', where })).to.have.nested.property('groups[0].count', 1);
    const operation = { type: 'tags', add: ['z'], remove: [] };
    const dry = await answer('bulk_items', { query: { where }, operation, dryRun: true });
    expect(dry).to.include({ matched: 1, wouldChange: 1 });
    const wrong = (query: object): Promise<string> => refusal('bulk_items', { query, operation, dryRun: true });
    expect(await wrong({ where: { email: { like: 'x' } } })).to.match(/^query\.where\.email /);
    expect(await wrong({ fields: { email: { like: 'x' } } })).to.match(/^query\.fields\.email /);
  });

  it('go on page by page where a duration says from when, and refuse seconds', async () => {
    for (let n = 0; n < 3; n++) await make();
    const pages = async (tool: string, list: string, given: object): Promise<string[]> => {
      const ids: string[] = [];
      let cursor: unknown;
      do {
        const page = await answer(tool, { ...given, limit: 1, ...(cursor === undefined ? {} : { cursor }) });
        ids.push(...(page[list] as { id: string }[]).map(({ id }) => id));
        ({ cursor } = page);
      } while (cursor !== undefined && ids.length < 9);
      return ids;
    };
    const items = await pages('list_items', 'items', { inbox: 'mail', createdAfter: '7d', sort: 'title' });
    expect(new Set(items).size).to.be.greaterThan(2);
    const filters = { since: { gte: '20000d' } };
    for (const asked of [filters, JSON.stringify(filters)])
      expect((await pages('list_records', 'records', { resource: 'customer', filters: asked })).sort()).to.deep.equal([
        'c1',
        'c2',
      ]);
    expect(await refusal('list_items', { createdAfter: 1_764_000_000 })).to.match(/^createdAfter looks like seconds/);
    expect(
      await refusal('list_records', { resource: 'customer', filters: { since: { gte: 1_764_000_000 } } }),
    ).to.match(/^filters\.since\.gte looks like seconds/);
  });

  it('say of an answer that a key brings back what has become of the request', async () => {
    const given = { record: 'c1', idempotencyKey: 'refund once' };
    const first = await answer('action_refund', given);
    expect(first['next']).to.match(/^Nothing is done yet/);
    expect((await answer('action_refund', given))['next']).to.match(
      /^This is the answer to an earlier call .*Nothing is done yet/,
    );
    await answer('cancel_approval', { id: first['approval'] });
    expect((await answer('action_refund', given))['next']).to.match(
      /: nothing was done now\. The request is cancelled; /,
    );
  });

  it('take a record in each form, and say where it is one of another resource', async () => {
    const ref = { resource: 'customer', id: 'c1' };
    const id = await make({ record: ref });
    const made = await answer('create_item', { inbox: 'mail', title: 'By text', record: 'customer:c1' });
    expect((await answer('get_item', { id: (made['item'] as { id: string }).id }))['item']).to.deep.include({
      record: { ...ref, title: 'Ada' },
    });
    const listed = await answer('list_items', { record: ref });
    expect((listed['items'] as { id: string }[]).map((item) => item.id)).to.include(id);
    const dry = { query: { record: ref }, operation: { type: 'tags', add: ['z'], remove: [] }, dryRun: true };
    expect((await answer('bulk_items', dry))['matched']).to.be.above(1);
    const linked = await answer('update_item', { id, links: { add: ['customer:c2'] } });
    expect((linked['entries'] as object[])[0]).to.deep.include({
      record: { resource: 'customer', id: 'c2' },
    });
    expect((await answer('available_actions', { refs: 'customer:c1' }))['available']).to.have.length(1);
    for (const record_ of ['c1', 'customer:c1', ref, JSON.stringify(ref)])
      expect(await answer('action_greet', { record_, words: 'Hello', dryRun: true })).to.include({ dryRun: true });
    for (const given of [{ resource: 'customer', id: 'customer:c1' }, { id: ref }])
      expect((await answer('get_record', given))['record'], JSON.stringify(given)).to.include({ id: 'c1' });
    for (const record_ of ['order:c1', { resource: 'order', id: 'c1' }])
      expect(await refusal('action_greet', { record_, words: 'Hello' })).to.equal(
        'record_ is a record of order; this takes the id of one of customer',
      );
    expect(
      await refusal('action_greet', { record_: 'vault:c1', words: 'Hello' }),
      'a resource that is not seen',
    ).to.equal('record_ no customer has this id');
    await world.records('customer', [{ id: 'customer:c9', title: 'Named so' }]);
    expect((await answer('get_record', { resource: 'customer', id: 'customer:c9' }))['record']).to.include({
      id: 'customer:c9',
    });
  });

  it('take values of fields as numbers, texts and words, and name the argument as it was given', async () => {
    await make({ data: { email: '12.5' } });
    expect((await answer('list_items', { where: { email: 12.5 } }))['items']).to.have.length(1);
    expect((await answer('summarize_items', { by: 'state', where: { email: 12.5 } }))['groups']).to.have.length(1);
    expect((await answer('list_items', { where: { email: true } }))['items']).to.deep.equal([]);
    expect(await refusal('list_items', { where: { email: { like: 'x' } } })).to.match(/^where\.email must be string/);
    await world.records('customer', [{ id: 'c3', title: 'Cy', fields: { vip: true, seats: 9 } }]);
    const found = async (filters: object): Promise<unknown[]> =>
      (await answer('list_records', { resource: 'customer', filters }))['records'] as unknown[];
    for (const filters of [{ vip: 'true' }, { vip: { eq: 'yes' } }, { seats: '9' }, { seats: { gte: '8' } }])
      expect(await found(filters), JSON.stringify(filters)).to.have.length(1);
    expect(await found({ vip: { exists: 'true' } })).to.have.length(1);
    expect(await refusal('list_records', { resource: 'customer', filters: { seats: '1.000' } })).to.match(
      /^filters\.seats /,
    );
  });

  it('need no confirmation for a dry run of what is dangerous', async () => {
    const bold = await world.agent('admin');
    expect(await answer('action_erase', { record: 'c1', dryRun: true }, bold)).to.include({ dryRun: true });
    const bulk = { ids: [await make({ record: { resource: 'customer', id: 'c1' } })], dryRun: 'true' };
    const operation = { type: 'action', action: 'erase' };
    expect(await answer('bulk_items', { ...bulk, operation }, bold)).to.include({ wouldChange: 1 });
    expect(await answer('change_flag', { flag: 'risky', change: { value: true }, dryRun: true }, bold)).to.include({
      dryRun: true,
    });
    expect((await callTool(bold, 'action_erase', { record: 'c1' })).body.code).to.equal('confirmation_required');
    expect((await bold.post('/actions', { action: 'erase', record: 'c1', dryRun: true })).status, 'HTTP').to.equal(409);
  });

  it('name the argument of a 404 and its likely mistake', async () => {
    const id = await make();
    const run = 'run_01jd0000000000000000000000';
    expect(await refusal('get_item', { id: '4w3' })).to.equal(
      'id must be the whole id of an item, itm_ and 26 characters; search finds items by their words',
    );
    expect(await refusal('get_item', { id: run.replace('run', 'itm') })).to.match(
      /^id is the id of none that you can see/,
    );
    expect(await refusal('get_approval', { id: run })).to.equal(
      'id is the id of a run, and this takes that of an approval: get_run reads it',
    );
    expect(await refusal('get_run', { id })).to.match(/^id is the id of an item, .*get_item reads it$/);
    expect(await refusal('get_record', { resource: 'customer', id: 'Ada L' })).to.equal(
      'id is the whole id of no customer that you can see; search finds records by their names',
    );
    expect(await refusal('get_record', { resource: 'customer', id: 'Ada' })).to.match(
      /^id is a title; call get_record/,
    );
  });

  it('list what they take: the key of changes, the filters of summaries', async () => {
    const listed = new Map((await listTools(clerk)).map((tool) => [tool.name, tool.inputSchema]));
    for (const name of [
      'update_item',
      'change_flag',
      'retry_run',
      'undo_bulk',
      'bulk_items',
      'add_note',
      'create_item',
    ])
      expect(listed.get(name)?.['properties'], name).to.include.keys('idempotencyKey');
    expect(listed.get('summarize_items')?.['properties']).to.include.keys('state', 'tags', 'where', 'createdAfter');
    expect(listed.get('list_approvals')?.['properties']).to.include.keys('requestedBy');
  });

  it('say what is for people alone', async () => {
    const { actions } = await answer('list_actions');
    const only = new Map((actions as { name: string; only?: string }[]).map((action) => [action.name, action.only]));
    expect(only.get('wipe')).to.equal('a person who has just signed in, never an agent');
    expect(only.get('greet')).to.equal(undefined);
    const { actions: ofRecord } = await answer('get_record', { resource: 'customer', id: 'c1' });
    expect((ofRecord as { action: string; only?: string }[]).find(({ action }) => action === 'wipe')?.only).to.match(
      /^a person/,
    );
    const { views } = await answer('list_views');
    expect((views as { name: string; only?: string }[]).map(({ name, only: why }) => [name, why])).to.deep.equal([
      ['mine', 'people: nothing is assigned to an agent'],
      ['open', undefined],
    ]);
    expect(await refusal('list_items', { view: 'mine' })).to.match(/^view is of what is assigned to whoever asks/);
  });

  it('show of a request what it changes', async () => {
    const pending = await answer('change_flag', { flag: 'asks', change: { rollout: 30 } });
    const { approval } = await answer('get_approval', { id: pending['approval'] });
    expect((approval as { after: object }).after).to.deep.equal({ rollout: 30 });
    const { approvals } = await answer('list_approvals');
    expect((approvals as object[])[0]).not.to.have.property('canDecide');
  });
});
