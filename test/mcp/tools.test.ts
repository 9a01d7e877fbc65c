/** The tools as agents use them: keys, conditions, many items, ramps, approvals, what is listed, and in which form they answer. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { withIsoTimes } from '../../api/mcp/answers/times.ts';
import { never } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { connectTools } from './client.ts';
import { useTools } from './toolsWorld.ts';

describe('tools', () => {
  const here = useTools();
  const { toolsOf, ranOf, make } = here;

  it('are done once under an idempotency key, together with the same request over HTTP', async () => {
    const tools = await toolsOf(here.clerk);
    const id = await make();
    const given = { id, text: 'Äpfel: once', idempotencyKey: 'note-1', detail: 'full' };
    const [first, second] = [await tools.call('add_note', given), await tools.call('add_note', given)];
    const { next, ...repeated } = second.body;
    expect(repeated).to.deep.equal(first.body);
    expect(next).to.include('nothing was done now');
    expect([first.meta['idempotent-replayed'], second.meta['idempotent-replayed']]).to.deep.equal([undefined, true]);
    const overHttp = await here.clerk.post(
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
      ((await here.clerk.get(`/items/${id}/timeline`)).body.entries as { type: string }[]).filter(
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
    const tools = await toolsOf(here.clerk);
    const made = await Promise.all(
      Array.from({ length: 10 }, () =>
        tools.call('create_item', { inbox: 'mail', title: 'Parallel', idempotencyKey: 'parallel' }),
      ),
    );
    expect(new Set(made.map(({ body }) => body.item.id as string)).size).to.equal(1);
  });

  it('change an item only as it was seen', async () => {
    const tools = await toolsOf(here.clerk);
    const id = await make();
    expect((await tools.call('tag_item', { id, add: ['x'], version: 1 })).body.item.version).to.equal(2);
    expect((await tools.call('tag_item', { id, add: ['y'], version: 1 })).body.code).to.equal('version_conflict');
  });

  it('change many items in the background, and take it back', async () => {
    const tools = await toolsOf(here.clerk);
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
    const tools = await toolsOf(here.clerk);
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
    const tools = await toolsOf(here.clerk);
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
    const tools = await toolsOf(here.clerk);
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
    const supervised = await here.world.agent('clerk', { mode: 'supervised' });
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
    expect((await here.admin.get(`/items/${id}`)).body.item.version).to.equal(1);
    await here.person.post(`/approvals/${String(asked[1]?.body.approval)}/approve`);
    expect((await tools.call('get_approval', { id: asked[1]?.body.approval })).body.approval.status).to.equal(
      'approved',
    );
    expect((await here.admin.get(`/items/${id}`)).body.item.state).to.equal('closed');
  });

  it('are those that the role can use, in the same order each time', async () => {
    const namesFor = async (client: Client): Promise<string[]> => (await toolsOf(client)).names();
    const [all, some, seeing, none, reading] = [
      await namesFor(here.admin),
      await namesFor(here.clerk),
      await namesFor(await here.world.agent('viewer')),
      await namesFor(await here.world.agent('nothing')),
      await namesFor(await here.world.agent('clerk', { mode: 'readonly' })),
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
    expect(await namesFor(here.person)).to.include('action_wipe');
    expect(await namesFor(here.clerk)).to.deep.equal(some);
    expect(new Set(all).size).to.equal(all.length);
    for (const name of all) expect(name).to.match(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it('answer in one form: text unless structuredContent is asked for, which then has a schema', async () => {
    const forms = async (query: string): Promise<unknown[]> => {
      const send = async (method: string, params: object): Promise<Record<string, unknown>> => {
        const { body, text } = await here.admin.post(`/mcp${query}`, { jsonrpc: '2.0', id: 1, method, params });
        expect(body.error, text).to.equal(undefined);
        return body.result as Record<string, unknown>;
      };
      const { tools: listed } = await send('tools/list', {});
      const results = [
        await send('tools/call', { name: 'get_me' }),
        await send('tools/call', { name: 'get_item', arguments: { id: 'nothing' } }),
        await send('tools/call', { name: 'get_item', arguments: { id: 'a\u0000b' } }),
      ];
      return [
        (listed as object[]).filter((tool) => 'outputSchema' in tool).length > 0,
        ...results.map(({ content, structuredContent }) => [
          (content as { text: string }[]).map(({ text }) => typeof JSON.parse(text)),
          typeof structuredContent,
        ]),
      ];
    };
    const text = [['object'], 'undefined'];
    const structured = [[], 'object'];
    for (const query of ['', '?answers=text'])
      expect(await forms(query), query).to.deep.equal([false, text, text, text]);
    expect(await forms('?answers=structured')).to.deep.equal([true, structured, structured, structured]);
    expect((await here.admin.post('/mcp?answers=both', { jsonrpc: '2.0', id: 1, method: 'ping' })).status).to.equal(
      400,
    );
  });

  it('say in a schema that clients take what they need and what they answer', async () => {
    const ajv = new Ajv2020({ strict: false });
    for (const { name, description, inputSchema, outputSchema, annotations } of await (
      await toolsOf(here.admin)
    ).list()) {
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
      if (name.startsWith('action_')) {
        expect(description?.includes('Repeatable.'), name).to.equal(annotations?.['idempotentHint']);
        continue;
      }
      expect(JSON.stringify(inputSchema), name).not.to.match(/comma-separated|"const":|"properties":\{\}/);
    }
  });

  it('say in their schemas what the endpoints say in theirs', async () => {
    const found = (await (await toolsOf(here.admin)).list()).find(({ name }) => name === 'list_items');
    const properties = found?.inputSchema.properties as Record<string, { type?: string; enum?: string[] }>;
    expect(properties['sort']?.enum).to.include.members(['-lastSeen', 'due']);
    expect(properties['state']?.type).to.equal('array');
    expect(properties['overdue']?.type).to.equal('boolean');
  });

  it('take the input of an action as it was declared, with what a run needs beside it', async () => {
    const tools = new Map((await (await toolsOf(here.admin)).list()).map((tool) => [tool.name, tool.inputSchema]));
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
    here.outcome = never;
    const tools = await connectTools(here.clerk);
    const before = (await here.clerk.get('/runs?action=greet&limit=200')).body.runs.length as number;
    const gone = tools.call('action_greet', { record_: 'c1', words: 'long' }).catch(() => undefined);
    await until(
      'it has begun',
      async () => ((await here.clerk.get('/runs?action=greet&limit=200')).body.runs.length as number) > before,
    );
    await tools.close();
    await gone;
    expect((await here.clerk.get('/runs?action=greet&limit=1')).body.runs[0].status).to.equal('running');
  });
});
