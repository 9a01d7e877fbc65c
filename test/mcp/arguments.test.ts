/** What models write, and what tools make of it: lists, booleans, times, durations, people. HTTP stays strict. */
import { expect } from 'chai';
import { coerceArguments } from '../../api/mcp/arguments/coerce.ts';
import { parseTime } from '../../api/mcp/arguments/times.ts';
import type { Client } from '../support/http.ts';
import { callTool } from '../support/tools.ts';
import { newWorld, type World } from '../support/world.ts';
import { clerkGrants, manifest } from './manifest.ts';

const now = Date.parse('2026-11-22T08:00:00Z');

describe('numbers of arguments', () => {
  it('are read from texts that mean one number to everybody', () => {
    const schema = { type: 'object', properties: { amount: { type: 'number' } } };
    const read = (amount: string): unknown => coerceArguments(schema, { amount }, { now, problems: [] })['amount'];
    for (const [text, number] of [
      ['20', 20],
      ['20.5', 20.5],
      ['0.125', 0.125],
      ['1000.00', 1000],
      ['-3', -3],
    ] as const)
      expect(read(text), text).to.equal(number);
    for (const text of ['1.000', '-12.500', '1,000', '20,50', '1.000.000', 'ten'])
      expect(read(text), text).to.equal(text);
  });

  it('are read from percentages where a percentage is taken, and refused where half of an amount may be meant', () => {
    const read = (name: string, description: string, text: string): [unknown, string[]] => {
      const problems: { path: string; message: string }[] = [];
      const schema = { type: 'object', properties: { [name]: { type: 'number', description } } };
      return [coerceArguments(schema, { [name]: text }, { now, problems })[name], problems.map(({ path }) => path)];
    };
    for (const text of ['10%', '10 %']) {
      expect(read('rollout', 'Percent.', text)).to.deep.equal([10, []]);
      expect(read('to', '', text)).to.deep.equal([10, []]);
      expect(read('discount', 'In percent of the price.', text)).to.deep.equal([10, []]);
      expect(read('amount', 'In units of the currency.', text)).to.deep.equal([text, ['amount']]);
    }
  });
});

describe('times of arguments', () => {
  const read = (text: string, isPast = false): string => {
    const parsed = parseTime(text, now, isPast);
    return 'at' in parsed ? new Date(parsed.at).toISOString().replace('.000Z', 'Z') : parsed.problem;
  };

  it('are ISO 8601, local times with a zone, durations, or milliseconds', () => {
    for (const [text, time] of [
      ['2026-11-22T09:00:00Z', '2026-11-22T09:00:00Z'],
      ['2026-11-22T09:00+05:30', '2026-11-22T03:30:00Z'],
      ['2026-11-22T09:00 Europe/Berlin', '2026-11-22T08:00:00Z'],
      ['2026-11-22 09:00 America/New_York', '2026-11-22T14:00:00Z'],
      ['2026-11-22T09:00[Europe/Berlin]', '2026-11-22T08:00:00Z'],
      ['2026-07-01T09:00 Europe/Berlin', '2026-07-01T07:00:00Z'],
      ['2026-11-22T09:00 UTC', '2026-11-22T09:00:00Z'],
      ['2026-11-22', '2026-11-22T00:00:00Z'],
      ['2h', '2026-11-22T10:00:00Z'],
      ['in 90 minutes', '2026-11-22T09:30:00Z'],
      ['1d 12h', '2026-11-23T20:00:00Z'],
      ['PT2H30M', '2026-11-22T10:30:00Z'],
      ['2h ago', '2026-11-22T06:00:00Z'],
      ['-2h', '2026-11-22T06:00:00Z'],
      ['now', '2026-11-22T08:00:00Z'],
      [String(now), '2026-11-22T08:00:00Z'],
    ] as const)
      expect(read(text), text).to.equal(time);
    expect(read('2h', true), 'a duration of the past').to.equal('2026-11-22T06:00:00Z');
  });

  it('that a change of the clock skips or repeats are refused, with what is meant instead', () => {
    expect(read('2026-03-29T02:30 Europe/Berlin'))
      .to.match(/does not exist in Europe\/Berlin/)
      .and.match(/; say 2026-03-29T03:30:00\+02:00$/);
    const twice = read('2026-10-25T02:30 Europe/Berlin');
    expect(twice).to.include('2026-10-25T02:30:00+02:00').and.include('2026-10-25T02:30:00+01:00');
    expect(read('2026-10-25T02:30:00+02:00')).to.equal('2026-10-25T00:30:00Z');
    expect(read('2026-10-25T03:00 Europe/Berlin'), 'the hour after').to.equal('2026-10-25T02:00:00Z');
    expect(read('2026-04-05T01:45 Australia/Lord_Howe'), 'a change of half an hour').to.include('+10:30');
  });

  it('are refused without a zone, with one that does not exist, and when they are no times', () => {
    expect(read('2026-11-22T09:00')).to.match(/needs a zone/);
    expect(read('2026-11-22T09:00 Mars/Base')).to.match(/time zone that does not exist, Mars\/Base/);
    for (const zone of ['BST', 'AST', 'IST', 'EST', 'PST', 'CET', 'CEST', 'Japan', 'EST5EDT', 'UTC+2'])
      expect(read(`2026-11-22T09:00 ${zone}`), zone)
        .to.include(zone)
        .and.match(/\+01:00.*Europe\/London/);
    for (const zone of ['UTC', 'gmt', 'Z', '+00:00', 'Etc/UTC'])
      expect(read(`2026-11-22T09:00 ${zone}`), zone).to.equal('2026-11-22T09:00:00Z');
    for (const text of ['2026-02-30T09:00Z', '2026-11-22T25:00Z', '2026-13-01']) expect(read(text)).to.match(/exists/);
    expect(read('1764000000'), 'seconds').to.equal(
      'looks like seconds: say 1764000000000, in milliseconds, or ISO 8601',
    );
    for (const text of ['', 'soon', '5 parsecs', 'h', 'P', '2h x'])
      expect(read(text), text).to.match(/must be a time: ISO 8601/);
  });
});

describe('arguments of tools', () => {
  let world: World;
  let clerk: Client;
  let person: Client;

  const make = async (): Promise<string> =>
    (await clerk.post('/items', { inbox: 'mail', title: 'A question', tags: ['a'] })).body.item.id as string;
  const itemAfter = async (client: Client, name: string, given: object): Promise<Record<string, unknown>> => {
    const { status, body } = await callTool(client, name, given);
    expect(status, JSON.stringify(body)).to.equal(200);
    return (await clerk.get(`/items/${String((given as { id: string }).id)}`)).body.item as Record<string, unknown>;
  };
  const refusal = async (name: string, given: object, client = clerk): Promise<string> => {
    const { status, body } = await callTool(client, name, given);
    expect(status, JSON.stringify(body)).to.equal(400);
    expect(body.error, 'and not what the details say').to.equal('The request is not valid; see details.');
    return `${String(body.details[0].path)} ${String(body.details[0].message)}`;
  };

  before(async () => {
    world = await newWorld({ manifest });
    await world.role('clerk', clerkGrants);
    clerk = await world.agent('clerk');
    person = await world.person('operator', 'Ana Lind');
  });
  after(() => world.close());

  it('take booleans and numbers as texts, one text for a list, JSON as text, and null for what is left out', async () => {
    const id = await make();
    const listed = async (given: object): Promise<unknown[]> =>
      (await callTool(clerk, 'list_items', { inbox: 'mail', ...given })).body.items as unknown[];
    for (const given of [
      { overdue: false, snoozed: 'false', triaged: 0, limit: '5' },
      { tags: 'a', state: 'open', limit: 5.0 },
      { tags: '["a"]', state: 'open, closed', view: null, cursor: null },
    ])
      expect(await listed(given), JSON.stringify(given)).to.have.length(1);
    expect(await listed({ overdue: true })).to.have.length(0);
    expect((await itemAfter(clerk, 'tag_item', { id, add: 'x, y', remove: 'a' }))['tags']).to.deep.equal(['x', 'y']);
    const dry = await callTool(clerk, 'bulk_items', {
      ids: id,
      operation: '{"type":"tags","add":"z","remove":[]}',
      dryRun: 'true',
    });
    expect(dry.body.wouldChange).to.equal(1);
    expect((await clerk.post(`/items/${id}/tags`, { add: 'x' })).status, 'HTTP is strict').to.equal(400);
    expect((await clerk.get('/items?overdue=true')).status).to.equal(400);
  });

  it('refuse JSON as text in which an object names a member twice', async () => {
    const id = await make();
    const before = (await clerk.get(`/items/${id}`)).body.item.tags as string[];
    const { status, reply } = await callTool(clerk, 'update_item', { id, tags: '{"add":["one"],"add":["two"]}' });
    expect(status, reply.text).to.equal(400);
    expect((await clerk.get(`/items/${id}`)).body.item.tags).to.deep.equal(before);
  });

  it('take times and durations, and repeat "in two hours" under a key as the same change', async () => {
    const id = await make();
    const { snoozedUntil } = await itemAfter(clerk, 'snooze_item', { id, until: '2099-11-22T09:00 Europe/Berlin' });
    expect(snoozedUntil).to.equal(Date.parse('2099-11-22T08:00:00Z'));
    const given = { id, until: '2h', idempotencyKey: 'in two hours' };
    const before = world.deps.clock.now();
    const until = (await itemAfter(clerk, 'snooze_item', given))['snoozedUntil'] as number;
    expect(until).to.be.within(before + 7_200_000, world.deps.clock.now() + 7_200_000);
    expect((await itemAfter(clerk, 'snooze_item', given))['snoozedUntil']).to.equal(until);
    expect(await refusal('snooze_item', { id, until: '2026-03-29T02:30 Europe/Berlin' })).to.match(
      /^until does not exist/,
    );
    expect((await clerk.post(`/items/${id}/snooze`, { until: '2h' })).status, 'HTTP is strict').to.equal(400);
    const ramp = {
      to: 50,
      over: '1d',
      every: '1h',
      guard: { inbox: 'mail', above: '5', within: '15m', then: 'rollback' },
    };
    const flag = await callTool(clerk, 'change_flag', { flag: 'checkout', change: { ramp }, detail: 'full' });
    expect(flag.body.flag.ramp).to.deep.include({ over: 86_400_000, every: 3_600_000 });
    expect(flag.body.flag.ramp.guard).to.include({ above: 5, within: 900_000 });
  });

  it('refuse an abbreviation of a zone wherever they take a time', async () => {
    const id = await make();
    const time = '2099-11-22T09:00 BST';
    const operation = { type: 'snooze', until: time };
    const guarded = { to: 50, over: '1d', every: '1h', at: time };
    for (const [name, given] of [
      ...['createdAfter', 'createdBefore', 'seenAfter', 'seenBefore'].flatMap((path) => [
        ['list_items', { [path]: time }],
        ['summarize_items', { [path]: time, by: 'day' }],
        ['bulk_items', { query: { [path]: time }, expect: 1, operation: { type: 'state', state: 'closed' } }],
      ]),
      ['update_item', { id, snooze: time }],
      ['snooze_item', { id, until: time }],
      ['reply_to_item', { id, text: 'Hello', then: { snooze: time } }],
      ['bulk_items', { ids: [id], operation }],
      ['bulk_items', { ids: [id], operation: { type: 'update', snooze: time } }],
      ['list_changes', { since: time }],
      ['list_records', { resource: 'customer', filters: { since: { gte: time } } }],
      ['change_flag', { flag: 'checkout', change: { ramp: guarded }, replace: true }],
    ] as [string, object][])
      expect(await refusal(name, given), name).to.match(/BST.*\+01:00.*Europe\/London/);
  });

  it('demand of a bulk by query how many items it means, and say how one learns it', async () => {
    const id = await make();
    const asked = { query: { inbox: 'mail', state: ['open'] }, operation: { type: 'tags', add: ['bulk'], remove: [] } };
    for (const given of [asked, { ...asked, query: JSON.stringify(asked.query) }, { ...asked, expect: null }])
      expect(await refusal('bulk_items', given)).to.match(/^expect is required with query.*dryRun: true/);
    const { matched } = (await callTool(clerk, 'bulk_items', { ...asked, dryRun: true })).body;
    expect(matched).to.be.above(0);
    const done = await callTool(clerk, 'bulk_items', { ...asked, expect: matched });
    expect(done.status, JSON.stringify(done.body)).to.equal(200);
    const named = await callTool(clerk, 'bulk_items', { ids: [id], operation: asked.operation });
    expect(named.status, 'ids are a number of their own').to.equal(200);
    expect((await clerk.post('/bulk', asked)).status, 'HTTP takes it without').to.equal(202);
  });

  it('take a person by name, address or me, where it is the only one', async () => {
    const id = await make();
    const assigned = async (assignee: unknown, client = clerk): Promise<unknown> =>
      (await itemAfter(client, 'assign_item', { id, assignee }))['assignee'];
    expect(await assigned('ana lind')).to.equal(person.id);
    expect(await assigned('none')).to.equal(null);
    expect(await assigned('Lind')).to.equal(person.id);
    expect(await assigned(null)).to.equal(null);
    expect(await assigned('me', person)).to.equal(person.id);
    const [{ email }] = (await world.sql('select email from people where id = $1', [person.id])) as [{ email: string }];
    expect(await assigned(null)).to.equal(null);
    expect(await assigned(email)).to.equal(person.id);
    const found = await callTool(clerk, 'list_items', { assignee: 'Ana Lind' });
    expect(found.body.items.map((item: { id: string }) => item.id)).to.deep.equal([id]);
    expect(await refusal('assign_item', { id, assignee: 'me' })).to.match(/^assignee .*you are an agent/);
    expect(await refusal('assign_item', { id, assignee: 'Nobody Known' })).to.match(/^assignee names nobody/);
    expect(await refusal('assign_item', { id, assignee: 'Anna Lind' })).to.match(/the nearest names are Ana Lind/);
    await Promise.all(['Aisha Bello', 'Jonas Weber'].map((name) => world.person('operator', name)));
    expect(await refusal('assign_item', { id, assignee: 'Ben' }), 'nobody is near').to.not.include('nearest');
    expect(await refusal('assign_item', { id, assignee: 'Jonah Webber' })).to.include('nearest names are Jonas Weber;');
    const other = await world.person('operator', 'Ana Lind');
    const two = await refusal('assign_item', { id, assignee: 'Ana Lind' });
    expect(two).to.include(String(person.id)).and.include(String(other.id));
    expect((await clerk.post(`/items/${id}/assign`, { assignee: 'Ana Lind' })).status, 'HTTP is strict').to.equal(400);
  });

  it('name nobody whom the caller can’t list', async () => {
    await world.role('watcher', [{ on: 'inbox:mail', can: ['see', 'state'] }]);
    const watcher = await world.agent('watcher');
    const id = await make();
    const [known, unknown] = [
      await callTool(watcher, 'assign_item', { id, assignee: 'Ana Lind' }),
      await callTool(watcher, 'assign_item', { id, assignee: 'No Body' }),
    ];
    expect(known.body).to.deep.equal(unknown.body);
    expect(known.status).to.equal(403);
  });

  it('take labels of what the caller sees for names, where one has them, and never of what is hidden', async () => {
    const labelled = await newWorld({
      manifest: {
        resources: [{ name: 'customer', label: 'Paying customers', source: 'stored' }],
        inboxes: [
          {
            name: 'support',
            label: 'Customer support',
            states: [
              { name: 'open', kind: 'open' },
              { name: 'wait', kind: 'waiting' },
              { name: 'shut', kind: 'closed' },
            ],
          },
          { name: 'vip', label: 'Very important' },
          { name: 'one', label: 'Twice' },
          { name: 'two', label: 'Twice' },
        ],
        views: [{ name: 'todo', label: 'To do', state: 'open' }],
      },
    });
    try {
      await labelled.role('clerk', [
        ...['support', 'one', 'two'].map((name) => ({ on: `inbox:${name}`, can: ['*'] })),
        { on: 'resource:customer', can: ['see'] },
      ]);
      const agent = await labelled.agent('clerk');
      const call = async (name: string, given: object): Promise<Record<string, unknown>> => {
        const { status, body } = await callTool(agent, name, given);
        expect(status, JSON.stringify(body)).to.equal(200);
        return body as Record<string, unknown>;
      };
      await labelled.records('customer', [{ id: 'c1', title: 'Ada Lovelace' }]);
      const { item } = await call('create_item', { inbox: 'customer SUPPORT', title: 'Her invoice is wrong' });
      const { id } = item as { id: string };
      const counted = async (given: object): Promise<number> =>
        ((await call('list_items', given))['items'] as unknown[]).length;
      expect(await counted({ inbox: 'Customer support', state: 'Open', view: 'To do' })).to.equal(1);
      expect(await counted({ state: ['SHUT', 'Wait'] })).to.equal(0);
      expect((await call('update_item', { id, state: 'Wait' }))['item']).to.include({ state: 'wait' });
      const operation = { type: 'state', state: 'Shut' };
      const query = { inbox: 'Customer support' };
      expect(await call('bulk_items', { query, operation, dryRun: true })).to.include({ wouldChange: 1 });
      expect((await call('list_records', { resource: 'paying customers' }))['records']).to.have.length(1);
      const [hidden, none, twice] = await Promise.all(
        ['Very important', 'Nothing at all', 'Twice'].map((inbox) => callTool(agent, 'list_items', { inbox })),
      );
      expect([hidden?.status, none?.status, twice?.status]).to.deep.equal([400, 400, 404]);
      expect(hidden?.body, 'a hidden label is none').to.deep.equal(none?.body);
      expect((await agent.get('/items?inbox=Customer%20support')).status, 'HTTP is strict').to.equal(400);

      await labelled.indexed();
      const error = async (name: string, given: object): Promise<string> => {
        const { status, body } = await callTool(agent, name, given);
        expect(status, JSON.stringify(body)).to.equal(404);
        return `${String(body.details[0].path)} ${String(body.details[0].message)}`;
      };
      for (const [name, given] of [
        ['get_item', {}],
        ['update_item', { note: 'x' }],
        ['add_note', { text: 'x' }],
      ] as const)
        expect(await error(name, { id: 'her invoice is wrong', ...given })).to.equal(
          `id is a title; call ${name} with {"id":"${id}"}`,
        );
      expect(await error('get_record', { resource: 'customer', id: 'Ada Lovelace' })).to.equal(
        'id is a title; call get_record with {"resource":"customer","id":"c1"}',
      );
      const other = await agent.post('/items', { inbox: 'support', title: 'Her invoice is wrong' });
      expect(other.status).to.equal(201);
      await labelled.indexed();
      expect((await callTool(agent, 'get_item', { id: 'Her invoice is wrong' })).body.error).to.equal(
        'The id is none; see details.',
      );
      expect(await error('get_item', { id: 'Her invoice is wrong' }))
        .to.match(/^id is the title of several; give the id of one: /)
        .and.include(id);
      expect(await error('get_item', { id: 'Nothing has this title' })).to.match(/^id must be the whole id of an item/);
    } finally {
      await labelled.close();
    }
  });
});
