/** What tools answer: short, unless they are asked for more, and below their budgets of bytes. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { callTool, rpc } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';
import { connectTools } from './client.ts';
import { clerkGrants, manifest } from './manifest.ts';

/** Bytes of an answer that nobody asked for in full, and of the list of the demo’s operator. */
const answerMax = 20_000;
const listMax = 30_000;

const long = 'A long text, again and again. '.repeat(100);
const wide = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`field${String(n)}`, long]));

describe('answers of tools', () => {
  let world: World;
  let clerk: Client;
  let person: Client;
  let item = '';

  const answer = async (name: string, given: object = {}): Promise<Record<string, unknown>> => {
    const { status, body } = await callTool(clerk, name, given);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Record<string, unknown>;
  };
  const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerkGrants);
    clerk = await world.agent('clerk');
    person = await world.person('admin', 'Petra Lind');
    await world.records('customer', [{ id: 'c1', title: 'Ada' }]);
    for (let n = 0; n < 60; n += 1) {
      const made = await clerk.post('/items', {
        inbox: 'mail',
        title: `Item ${String(n)} ${'x'.repeat(400)}`,
        data: n % 10 === 0 ? { email: 'a@example.com', ...(n === 0 ? wide : {}) } : {},
        tags: Array.from({ length: 20 }, (_, i) => `tag ${String(i)} ${'y'.repeat(60)}`),
      });
      if (n === 0) item = made.body.item.id as string;
    }
    for (let n = 0; n < 30; n += 1) await clerk.post(`/items/${item}/notes`, { text: `${String(n)} ${long}` });
  });
  after(() => world.close());

  it('have identity, state and what was changed, in ISO times, without what is empty', async () => {
    const { changed, item: receipt } = (await answer('set_item_state', { id: item, state: 'waiting' })) as {
      changed: boolean;
      item: Record<string, unknown>;
    };
    expect(changed).to.equal(true);
    expect(receipt).to.include({ id: item, state: 'waiting' });
    expect(receipt).to.have.all.keys(['id', 'title', 'state', 'priority', 'tags', 'version']);
    const [listed] = (await answer('list_items', { limit: 1 }))['items'] as Record<string, unknown>[];
    expect(listed?.['lastSeen']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(JSON.stringify(listed)).not.to.match(/null|\[\]|\{\}/);
    expect((await answer('get_me'))['now']).to.match(/Z$/);
  });

  it('cut long texts, and say how the rest is read', async () => {
    const { entries } = (await answer('get_item_timeline', { id: item })) as {
      entries: { type: string; text: string }[];
    };
    const note = entries.find(({ type }) => type === 'note');
    expect(note?.text.length).to.be.below(400);
    expect(note?.text).to.match(/… \(\d+ more characters; detail: "full" has all\)$/);
    const full = (await answer('get_item_timeline', { id: item, detail: 'full' })) as {
      entries: { type: string; data: { text: string } }[];
    };
    expect(full.entries.find(({ type }) => type === 'note')?.data.text).to.equal(`29 ${long}`);
  });

  it('stay below their budget, and lists say how many more there are until the last page', async () => {
    for (const [name, given] of [
      ['get_item', { id: item }],
      ['get_item_timeline', { id: item, limit: 200 }],
      ['get_item_occurrences', { id: item }],
      ['list_items', { limit: 200 }],
      ['list_inboxes', {}],
      ['list_changes', {}],
    ] as const)
      expect(bytesOf(await answer(name, given)), name).to.be.at.most(answerMax);
    expect(bytesOf(await answer('get_item', { id: item, detail: 'full' }))).to.be.above(answerMax);

    const seen: string[] = [];
    let cursor: unknown;
    do {
      const page = await answer('list_items', { limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      expect(bytesOf(page)).to.be.at.most(answerMax);
      seen.push(...(page['items'] as { id: string }[]).map(({ id }) => id));
      expect(page['more'], `after ${String(seen.length)}`).to.equal(seen.length === 60 ? undefined : 60 - seen.length);
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(new Set(seen).size).to.equal(60);
    expect(seen).to.have.length(60);
    expect((await answer('list_items'))['items']).to.have.length.within(5, 20);
    expect((await answer('get_item_timeline', { id: item, limit: 3 }))['more']).to.equal(29);
  });

  it('fit their schemas in every form, as the official client checks', async () => {
    const tools = await connectTools(clerk);
    await tools.list();
    for (const given of [{}, { detail: 'full' }, { limit: 1 }])
      for (const name of ['list_items', 'list_inboxes', 'list_flags', 'list_runs', 'list_approvals'])
        expect((await tools.call(name, given)).isError, name).to.equal(false);
    for (const given of [{ id: item }, { id: item, detail: 'full' }])
      expect((await tools.call('get_item', given)).isError).to.equal(false);
    expect((await tools.call('tag_item', { id: item, add: ['z'] })).isError).to.equal(false);
    await tools.close();
  });

  it('tell what has changed since a time or a cursor, by whom, of which kind and where', async () => {
    const other = await world.agent('clerk');
    const own = (await callTool(other, 'add_note', { id: item, text: 'Mine.' })).status;
    expect(own).to.equal(200);
    await world.settled();
    const changes = async (given: object): Promise<Record<string, unknown>[]> =>
      (await answer('list_changes', { limit: 200, ...given }))['changes'] as Record<string, unknown>[];
    let all = 0;
    for (let since = '1h'; ;) {
      const page = await answer('list_changes', { since, limit: 200 });
      expect(bytesOf(page)).to.be.at.most(answerMax);
      const listed = page['changes'] as { type: string; items?: unknown[]; moreItems?: number; entries?: unknown[] }[];
      if (listed.length === 0) break;
      for (const { type, items = [''], moreItems = 0, entries = [] } of listed)
        all += (items.length + moreItems) * (type === 'item' ? 1 + entries.length : Math.max(1, entries.length));
      since = page['cursor'] as string;
    }
    // Each item, its entry, and those of the notes.
    expect(all).to.be.above(150);
    const byOther = (await callTool(other, 'list_changes', { since: '1h', by: 'me', types: ['timeline'] })).body;
    expect(byOther.changes).to.have.length(1);
    expect(byOther.changes[0]).to.deep.include({ type: 'timeline', item });
    expect((await changes({ since: '1h', by: other.id, types: 'timeline' })).map(({ type }) => type)).to.deep.equal([
      'timeline',
    ]);
    expect(await changes({ since: '1h', by: other.id, inboxes: 'bugs' })).to.deep.equal([]);
    expect(await changes({ since: 'now' })).to.deep.equal([]);
    const { cursor } = await answer('list_changes', { since: '1h', limit: 200 });
    expect(await changes({ since: byOther.cursor })).to.deep.equal([]);
    expect(cursor).to.be.a('string');
    expect((await callTool(clerk, 'list_changes', { since: 'soon' })).body.code).to.equal('bad_cursor');
  });

  it('tell of what was changed again and again how it is now, and whether the log goes on', async () => {
    const other = await world.agent('admin');
    const { item: made } = (await callTool(other, 'create_item', { inbox: 'bugs', title: 'Changed often' })).body;
    for (const tag of ['a', 'b', 'c']) await callTool(other, 'update_item', { id: made.id, tags: { add: tag } });
    await world.settled();
    const log = (await callTool(other, 'list_changes', { since: '1h', by: 'me' })).body;
    expect(log).to.not.have.property('more');
    const items = (log.changes as Record<string, unknown>[]).filter(({ type }) => type === 'item');
    expect(items).to.have.length(1);
    expect(items[0]).to.deep.include({ change: 'created' });
    expect(items[0]?.['item']).to.deep.include({ id: made.id, tags: ['a', 'b', 'c'] });
    const page = (await callTool(other, 'list_changes', { since: '1h', by: 'me', limit: 2 })).body;
    expect(page).to.include({ more: 1, moreIsMinimum: true });
    const rest = (await callTool(other, 'list_changes', { since: page.cursor, by: 'me' })).body;
    expect(rest.changes.at(-1)).to.deep.equal(log.changes.at(-1));
  });

  it('say once who the people are whose ids stand in them, as far as the caller may list them', async () => {
    const ana = await world.person('clerk', 'Ana Lind');
    const assigned = await answer('assign_item', { id: item, assignee: 'Ana Lind' });
    expect(assigned['people']).to.deep.equal({ [ana.id]: 'Ana Lind' });
    const listed = await answer('list_items', { assignee: 'Ana Lind' });
    expect(listed['people']).to.deep.equal({ [ana.id]: 'Ana Lind' });
    expect(await answer('list_items', { assignee: 'none', limit: 2 })).not.to.have.property('people');
    expect((await answer('list_people'))['people']).to.be.an('array');
    expect(await answer('get_item', { id: item, detail: 'full' })).not.to.have.property('people');
    await world.role('reader', [{ on: 'inbox:mail', can: ['see'] }]);
    const read = (await callTool(await world.agent('reader'), 'list_items', { assignee: ana.id })).body;
    expect(read.items[0].assignee).to.equal(ana.id);
    expect(read).not.to.have.property('people');
    await answer('assign_item', { id: item, assignee: null });
  });

  it('name other requests of the caller that wait on the same target', async () => {
    const supervised = await world.agent('clerk', { mode: 'supervised' });
    const ask = async (name: string, given: object): Promise<{ approval: string; next: string }> =>
      (await callTool(supervised, name, given)).body as { approval: string; next: string };
    const first = await ask('set_item_state', { id: item, state: 'closed' });
    expect(first.next).not.to.include('before');
    const second = await ask('tag_item', { id: item, add: ['again'] });
    expect(second.approval).not.to.equal(first.approval);
    expect(second.next).to.include(first.approval).and.include('cancel_approval');
    const elsewhere = await ask('change_flag', { flag: 'asks', change: { rollout: 10 } });
    expect(elsewhere.next).not.to.include(first.approval);
    await callTool(supervised, 'cancel_approval', { id: first.approval });
    const third = await ask('snooze_item', { id: item, until: '2h' });
    expect(third.next).to.include(second.approval).and.not.include(first.approval);
    for (const { approval } of [second, elsewhere, third])
      await callTool(supervised, 'cancel_approval', { id: approval });
  });

  it('say that an inbox has none of the states that are asked for', async () => {
    const found = await answer('list_items', { inbox: 'mail', state: 'confirmed' });
    expect(found['items'] ?? []).to.deep.equal([]);
    expect(found['hint']).to.match(/^mail has no state confirmed; its states are open, /);
    expect((await answer('summarize_items', { inbox: 'mail', state: ['confirmed'], by: 'tag' }))['hint']).to.be.a(
      'string',
    );
    expect(await answer('list_items', { inbox: 'mail', state: 'confirmed,open', limit: 1 })).not.to.have.property(
      'hint',
    );
  });

  it('say of tags that no item has which were probably meant, and of a record that no item is about it', async () => {
    expect((await person.post(`/items/${item}/tags`, { add: ['Spedition'] })).status).to.equal(200);
    await world.settled();
    expect((await answer('list_items', { inbox: 'mail', tags: 'Speditoin' }))['hint']).to.equal(
      'No item there has the tag Speditoin; did you mean Spedition?',
    );
    expect((await answer('summarize_items', { tags: ['Spedition', 'nowhere'], by: 'day' }))['hint']).to.match(
      /^No item there has the tag nowhere; known: .*Spedition/,
    );
    expect(await answer('list_items', { tags: 'Spedition' })).not.to.have.property('hint');
    // Items with the tag there are; why none is so old is not known.
    expect(await answer('list_items', { tags: 'Spedition', createdBefore: '2001-01-01' })).not.to.have.property('hint');
    expect((await answer('list_items', { record: 'order:nobody-has-it' }))['hint']).to.equal(
      'No item that fits is about order:nobody-has-it; get_record says whether there is such a record.',
    );
  });

  it('refuse names of types and inboxes that would match nothing, with those that exist', async () => {
    const types = (await callTool(clerk, 'list_changes', { since: '1h', types: ['reply'] })).body;
    expect([types.code, types.details[0].path]).to.deep.equal(['invalid', 'types.0']);
    expect(types.details[0].message).to.include('timeline');
    const inboxes = (await callTool(clerk, 'list_changes', { since: '1h', inboxes: ['mali'] })).body;
    expect([inboxes.code, inboxes.details[0].path]).to.deep.equal(['not_found', 'inboxes.0']);
    expect(inboxes.details[0].message).to.include('mail');
  });

  it('tell of each flag how it is now', async () => {
    const { cursor } = await answer('list_changes', { since: 'now' });
    for (const rollout of [10, 20])
      for (const flag of ['checkout', 'banner'])
        expect((await person.post(`/flags/${flag}`, { change: { rollout } })).status, flag).to.be.within(200, 202);
    await world.settled();
    const { changes } = (await answer('list_changes', { since: cursor, types: ['flag'] })) as {
      changes: { flag: { flag: string; rollout: number } }[];
    };
    expect(changes.map(({ flag: { flag, rollout } }) => ({ flag, rollout }))).to.deep.equal([
      { flag: 'checkout', rollout: 20 },
      { flag: 'banner', rollout: 20 },
    ]);
  });

  it('say which ids are those of nothing, and give groups without a value the key null', async () => {
    const { items, hint } = await answer('get_items', { ids: [item, 'itm_none', 'itm_01jd0000000000000000000009'] });
    expect(items).to.have.length(1);
    expect(hint).to.equal('No item that you can see: itm_none, itm_01jd0000000000000000000009.');
    expect(await answer('get_items', { ids: item })).not.to.have.property('hint');
    const { groups } = (await answer('summarize_items', { inbox: 'mail', by: 'assignee' })) as { groups: object[] };
    expect(groups.map((group) => Object.keys(group)[0])).to.satisfy((names: string[]) =>
      names.every((name) => name === 'key'),
    );
    expect(groups).to.satisfy((all: { key: unknown }[]) => all.some(({ key }) => key === null));
  });

  it('say where it stands how what was approved has ended', async () => {
    const asked = await answer('action_refund', { record: 'c1', item, reason: 'Of this test.' });
    const own = async (requestedBy: string) =>
      ((await answer('list_approvals', { requestedBy }))['approvals'] as { id: string }[]).map(({ id }) => id);
    for (const by of ['me', clerk.id ?? '']) expect(await own(by), by).to.include(asked['approval']);
    const several = await callTool(clerk, 'list_approvals', { requestedBy: 'Clerk agent' });
    expect([several.status, several.body.details[0].message]).to.satisfy(
      ([status, message]: [number, string]) => status === 400 && message.includes(clerk.id ?? ''),
    );
    const nobody = await callTool(clerk, 'list_approvals', { requestedBy: 'Nobody At All' });
    expect([nobody.status, nobody.body.details[0].path]).to.deep.equal([400, 'requestedBy']);
    const pending = await answer('get_approval', { id: asked['approval'] });
    expect(pending).not.to.have.property('next');
    expect((pending['approval'] as { itemTitle: string }).itemTitle).to.match(/^Item 0 x/);
    const decided = await person.post(`/approvals/${String(asked['approval'])}/approve`);
    expect(decided.status, decided.text).to.equal(200);
    const { next, approval } = await answer('get_approval', { id: asked['approval'] });
    expect(next).to.equal(
      `Approved is not done: get_run with {"id":"${String((approval as { run: string }).run)}"} says how it ended.`,
    );
  });

  it('tell what became of a flag, by whom and why', async () => {
    const change = { rollout: 25 };
    expect((await clerk.post('/flags/checkout', { change, reason: 'A first look.' })).status).to.equal(200);
    const { entries } = (await answer('get_flag_history', { flag: 'checkout', limit: 1 })) as { entries: object[] };
    expect(entries[0]).to.deep.include({ type: 'change', by: 'clerk agent', reason: 'A first look.' });
    expect(entries[0]).to.have.deep.property('after', { rollout: 25 });
  });

  it('count, search and change several members at once', async () => {
    const counts = (await answer('get_counts'))['inboxes'] as Record<string, Record<string, unknown>>;
    expect(counts['mail']).to.include({ total: 60 });
    expect(counts['mail']).not.to.have.property('byState');
    const found = (await answer('search', { q: 'Item 7' }))['results'] as { item: { title: string } }[];
    expect(found[0]?.item.title).to.match(/^Item 7 /);
    const where = await answer('list_items', { where: { email: 'a@example.com' }, limit: 3 });
    expect(where['items']).to.have.length(3);
    const updated = await answer('update_item', {
      id: item,
      state: 'closed',
      tags: { add: 'done' },
      note: 'Done.',
      reason: 'Asked for.',
    });
    expect(updated['item']).to.deep.include({ state: 'closed' });
    expect(bytesOf(updated)).to.be.below(6_000);
  });

  it('are of tools that all fit into a short list, and into a shorter one of some sets', async () => {
    const demo = JSON.parse(
      await readFile(new URL('../../shared/tools/demo/manifest.json', import.meta.url), 'utf8'),
    ) as object;
    await world.environment('demo-like', demo);
    const operator = world.elsewhere(await world.agent('operator', { environments: ['*'] }), 'demo-like');
    const listed = async (query = ''): Promise<{ bytes: number; names: string[] }> => {
      const { text, body } = await operator.post(`/mcp${query}`, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
      return {
        bytes: Buffer.byteLength(text),
        names: (body.result.tools as { name: string }[]).map(({ name }) => name),
      };
    };
    const all = await listed();
    expect(all.names).to.include.members(['get_me', 'list_items', 'action_refund_payment', 'change_flag']);
    expect(all.bytes).to.be.below(listMax);
    const flags = await listed('?tools=flags,approvals');
    expect(flags.names).to.include.members(['get_me', 'list_flags', 'list_approvals']);
    expect(flags.names.filter((name) => name.startsWith('action_') || name.includes('item'))).to.deep.equal([]);
    expect(flags.bytes).to.be.below(8_000);
    const wrong = await operator.post('/mcp?tools=flags,nosuch', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect([wrong.status, wrong.body.details[0].path]).to.deep.equal([400, 'tools.1']);
    expect((await rpc(operator, 'tools/call', { name: 'list_flags' })).status).to.equal(200);
  });

  it('leave numbers of a customer that are no times as they are, however large', async () => {
    const report = { inbox: 'mail', key: 'large', title: 'Large', data: { at: 9e15 } };
    const made = await clerk.post('/items', report);
    const again = await clerk.post('/items', report);
    expect([made.status, again.status], again.text).to.deep.equal([201, 200]);
    const shown = await Promise.all(
      ['get_item', 'get_item_timeline', 'get_item_occurrences'].map((name) => answer(name, { id: made.body.item.id })),
    );
    for (const body of shown) expect(JSON.stringify(body)).to.include('"at":9000000000000000');
  });

  it('tell of a bulk once what it did, and not of each item what it is now', async () => {
    const other = await world.agent('admin');
    const ids: string[] = [];
    for (let n = 0; n < 8; n++) {
      const { item: made } = (await callTool(clerk, 'create_item', { inbox: 'mail', title: `Of a bulk ${String(n)}` }))
        .body;
      ids.push(made.id as string);
    }
    const operation = { type: 'tags', add: ['swept'], remove: [] };
    expect((await callTool(other, 'bulk_items', { ids, operation })).body).to.have.nested.property('bulk.id');
    await world.settled();
    const log = await until('the bulk is told of', async () => {
      const { changes } = (await callTool(other, 'list_changes', { since: '1h', by: 'me' })).body;
      const told = changes as Record<string, unknown>[];
      return told.some(({ type, bulk }) => type === 'bulk' && (bulk as { status: string }).status === 'done') && told;
    });
    expect(log.filter(({ type }) => type === 'item')).to.deep.equal([]);
    const [entry, ...more] = log.filter(({ type }) => type === 'timeline');
    expect(more).to.deep.equal([]);
    expect(entry).to.include({ moreItems: 3 });
    // Done alike an hour later it is another act, with a time of its own.
    world.clock.advance(3_600_000);
    for (const id of ids) await callTool(other, 'tag_item', { id, remove: ['swept'] });
    for (const id of ids) await callTool(other, 'tag_item', { id, add: ['swept'] });
    const { changes } = (await callTool(other, 'list_changes', { since: '2h', by: 'me', types: ['timeline'] })).body;
    const told = (changes as { at: string; entry: { add?: string[]; remove?: string[] } }[]).map(
      ({ at, entry: { add = [], remove = [] } }) => ({ add, remove, at: Date.parse(at) }),
    );
    expect(told.map(({ add, remove }) => [add, remove])).to.deep.equal([
      [['swept'], []],
      [[], ['swept']],
      [['swept'], []],
    ]);
    expect((told[2]?.at ?? 0) - (told[0]?.at ?? 0)).to.be.at.least(3_600_000 - 1_000);
  });

  it('show signs that are not seen, or that turn the direction of writing, as escapes', async () => {
    const title = 'Pay \u202eeno\u202c\u{e0041} now';
    const text = `Family 👨\u200d👩\u200d👧, می\u200cخواهم, ${title}`;
    await answer('add_note', { id: item, text });
    const { reply } = await callTool(clerk, 'get_item_timeline', { id: item, limit: 1 });
    const [block] = (reply.body as { result: { content: { text: string }[] } }).result.content;
    expect(block?.text)
      .to.include('Pay \\u202eeno\\u202c\\udb40\\udc41 now')
      .and.include('👨\u200d👩\u200d👧, می\u200cخواهم');
    expect(JSON.stringify(JSON.parse(block?.text ?? '')), 'and are read as they are').to.include(JSON.stringify(text));
  });
});
