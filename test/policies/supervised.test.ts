/**
 * What an agent never does: an action that needs a fresh sign-in, by whichever way; and, when it is supervised, any change
 * that no person has decided on.
 */
import { expect } from 'chai';
import { connectApp, type FakeApp, type Handler } from '../support/app.ts';
import { readDocuments } from '../support/documented.ts';
import type { Client, Reply } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { callableTools, callTool } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const input = { type: 'object', properties: { n: { type: 'integer' } } } as const;
/** `later` and what needs an approval need a fresh sign-in as well, once they are declared `strict`. */
const manifestOf = (strict: boolean): object => ({
  ...testManifest,
  actions: [
    ...testManifest.actions,
    { name: 'sign', resource: 'customer', freshSignIn: true, input },
    { name: 'signAll', freshSignIn: true, input },
    { name: 'signLow', resource: 'customer', freshSignIn: true, danger: 'low', input },
    { name: 'signJob', background: true, freshSignIn: true, input },
    { name: 'signAsk', approval: true, freshSignIn: true, input },
    { name: 'later', resource: 'customer', freshSignIn: strict, input },
    { name: 'laterAsk', resource: 'customer', approval: true, freshSignIn: strict, input },
    { name: 'ping', input },
  ],
  flags: [{ key: 'beta', kind: 'boolean', default: false }],
});
interface Given {
  readonly method: string;
  readonly params: { readonly action?: string; readonly actor: { readonly id: string; readonly type: string } };
}

const modes = ['normal', 'supervised', 'readonly'] as const;

describe('what agents never do', () => {
  let world: World;
  let key: Client;
  let person: Client;
  let app: FakeApp | null = null;
  let items: string[];
  const given: Given[] = [];
  let outcome: () => unknown = () => ({ message: 'Done.' });

  const codeOf = (reply: Reply): string => `${String(reply.status)} ${String(reply.body?.code)}`;
  const statusOf = async (client: Client, run: string): Promise<{ status: string; code: string | null }> =>
    (await client.get(`/runs/${run}`)).body.run;
  const online = async (strict: boolean): Promise<void> => {
    const take =
      (method: string): Handler =>
      (params) => {
        given.push({ method, params: params as Given['params'] });
        return method === 'action.run' ? outcome() : null;
      };
    app = await connectApp(key, {
      manifest: manifestOf(strict),
      startedAt: Date.now(),
      handlers: { 'action.run': take('action.run'), 'reply.send': take('reply.send') },
    });
  };
  const offline = async (): Promise<void> => {
    await app?.close();
    app = null;
    await until('the app is offline', async () => (await world.sql('select 1 from app_connections')).length === 0);
  };
  const byAgents = (...actions: string[]): unknown[] =>
    given.filter(({ params }) => params.actor.type === 'agent' && actions.includes(params.action ?? ''));

  before(async () => {
    world = await newWorld({ manifest: manifestOf(false) });
    // The app declares looser rules again after each test.
    await world.sql('update environments set trust_app = true');
    key = await world.appKey();
    person = await world.person('operator', 'Ana Lind', { fresh: true });
    const records = Array.from({ length: 20 }, (_, n) => ({ id: `c${String(n)}`, title: `Customer ${String(n)}` }));
    await world.records('customer', records);
    const admin = await world.agent('admin');
    items = await Promise.all(
      records.map(
        async ({ id }) =>
          (
            await admin.post('/items', {
              inbox: 'mail',
              title: `Of ${id}`,
              record: { resource: 'customer', id },
              data: { email: 'a@example.com' },
            })
          ).body.item.id as string,
      ),
    );
  });
  after(async () => {
    await app?.close();
    await world.close();
  });

  describe('an action that needs a fresh sign-in', () => {
    before(() => online(false));
    afterEach(async () => {
      outcome = () => ({ message: 'Done.' });
      await offline();
      await online(false);
    });
    after(offline);

    it('is refused to every agent, directly, as a tool and in bulks, confirmed or tried out, online or not', async () => {
      for (const isOnline of [true, false]) {
        if (!isOnline) await offline();
        for (const role of ['admin', 'operator'])
          for (const mode of modes) {
            const agent = await world.agent(role, { mode });
            const refusal = mode === 'readonly' ? '403 forbidden' : '403 fresh_sign_in_required';
            for (const confirmed of [true, false]) {
              for (const action of ['sign', 'signLow'])
                expect(
                  codeOf(await agent.post('/actions', { action, record: 'c1', confirmed })),
                  `${role} ${mode} ${action}`,
                ).to.equal(refusal);
              for (const [tool, arguments_] of [
                ['action_sign', { record: 'c1' }],
                ['action_signLow', { record: 'c1', confirmed }],
                ['action_signAll', {}],
                ['action_signJob', {}],
                ['action_signAsk', {}],
              ] as const) {
                const { status, body } = await callTool(agent, tool, arguments_);
                expect(`${String(status)} ${String(body.code)}`, `${role} ${mode} ${tool}`).to.equal(refusal);
              }
              for (const action of ['signAll', 'signJob', 'signAsk'])
                expect(
                  (await agent.post('/actions', { action, confirmed })).status,
                  `${role} ${mode} ${action}`,
                ).to.equal(403);
              for (const dryRun of [true, false]) {
                const bulk = await agent.post('/bulk', {
                  ids: items.slice(0, 3),
                  operation: { type: 'action', action: 'signLow', input: {}, confirmed },
                  dryRun,
                });
                expect(bulk.status, `${role} ${mode} dryRun ${String(dryRun)}: ${bulk.text}`).to.equal(403);
              }
            }
          }
      }
      expect(await world.sql("select 1 from runs where action like 'sign%'")).to.deep.equal([]);
      expect(await world.sql('select 1 from approvals')).to.deep.equal([]);
    });

    it('is done for a person who has just signed in', async () => {
      expect((await person.post('/actions', { action: 'sign', record: 'c1' })).status).to.equal(200);
      const stale = await world.person('operator', 'Bo Berg');
      expect(codeOf(await stale.post('/actions', { action: 'sign', record: 'c1' }))).to.equal(
        '403 fresh_sign_in_required',
      );
    });

    it('is not done by a run that was queued before it was declared so', async () => {
      const agent = await world.agent('operator');
      await offline();
      const runs = await Promise.all(
        ['c2', 'c3', 'c3'].map(
          async (record) => (await agent.post('/actions', { action: 'later', record })).body.run as string,
        ),
      );
      await online(true);
      for (const run of runs) {
        await until('it has ended', async () => (await statusOf(agent, run)).status !== 'queued');
        expect(await statusOf(agent, run)).to.include({ status: 'failed', code: 'fresh_sign_in_required' });
      }
      expect(byAgents('later')).to.deep.equal([]);
    });

    it('is not done by an approval, of one or of a bulk, that was asked for before it was declared so', async () => {
      const agent = await world.agent('operator');
      const supervised = await world.agent('operator', { mode: 'supervised' });
      const bulkOf = (client: Client, action: string, ids: readonly string[]): Promise<Reply> =>
        client.post('/bulk', { ids, operation: { type: 'action', action, input: {}, confirmed: true } });
      const asked = [
        await agent.post('/actions', { action: 'laterAsk', record: 'c4' }),
        await supervised.post('/actions', { action: 'later', record: 'c5' }),
        await bulkOf(agent, 'laterAsk', items.slice(6, 8)),
        await bulkOf(supervised, 'later', items.slice(8, 10)),
      ];
      await offline();
      await online(true);
      for (const { body, text } of asked) {
        expect(body.pending, text).to.equal(true);
        await person.post(`/approvals/${String(body.approval)}/approve`);
      }
      await world.settled();
      await until(
        'the bulks have ended',
        async () => (await world.sql('select 1 from bulks where finished_at is null')).length === 0,
      );
      expect(byAgents('later', 'laterAsk')).to.deep.equal([]);
      expect(
        await world.sql(
          "select id from runs where action like 'later%' and status in ('pending', 'queued', 'running', 'succeeded')",
        ),
      ).to.deep.equal([]);
    });

    it('is not done by a retry of what failed before it was declared so', async () => {
      const agent = await world.agent('operator');
      outcome = () => {
        throw new Error('No.');
      };
      const { body } = await agent.post('/actions', { action: 'later', record: 'c11' });
      expect(await statusOf(agent, String(body.run))).to.include({ status: 'failed' });
      await offline();
      await online(true);
      given.splice(0);
      expect(codeOf(await agent.post(`/runs/${String(body.run)}/retry`, { confirmed: true }))).to.equal(
        '403 fresh_sign_in_required',
      );
      expect(byAgents('later')).to.deep.equal([]);
    });
  });

  describe('a supervised agent', () => {
    /** The tables that may differ while nothing is changed, besides the parts of events: requests, denials, counts of what is written, and signals between processes. */
    const restless = new Set([
      'approvals',
      'audit_chain',
      'item_words_progress',
      'refusals',
      'outbox',
      'stream',
      'stream_parts',
      'streams',
      'idempotency_keys',
      'leases',
      'app_connections',
      'tickets',
      'sign_in_tries',
      'staged_jobs',
      'record_keys',
      'written_bytes',
    ]);
    const severally = (id: string) => ({ decisions: [{ id, digest: 'x' }], verdict: 'approve' });
    const exceptions: Readonly<Record<string, string>> = {
      // What they are found by is brought up to date by a sweep.
      records: 'select env, resource, id, title, subtitle, fields from records',
      tokens: 'select hash, principal, expires_at from tokens',
      agents: "select to_jsonb(a) - 'last_used_at' from agents a",
      app_keys: "select to_jsonb(k) - 'last_used_at' from app_keys k",
      runs: "select * from runs where status not in ('pending', 'cancelled', 'rejected')",
      bulks: "select * from bulks where status not in ('pending', 'cancelled')",
      bulk_chunks:
        "select c.* from bulk_chunks c join bulks b on b.id = c.bulk where b.status not in ('pending', 'cancelled')",
      bulk_results: "select * from bulk_results where outcome = 'changed'",
    };
    let tables: string[];
    const snapshot = async (): Promise<Record<string, string>> => {
      const all: Record<string, string> = {};
      for (const table of tables) {
        const [row] = await world.sql<{ sum: string }>(
          `select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as sum from (${exceptions[table] ?? `select * from ${table}`}) t`,
        );
        all[table] = row?.sum ?? '';
      }
      return all;
    };
    let supervised: Client;

    before(async () => {
      await online(false);
      supervised = await world.agent('admin', { mode: 'supervised' });
      await supervised.get('/me');
      tables = (
        await world.sql<{ name: string }>(
          "select tablename as name from pg_tables where schemaname = 'public' order by 1",
        )
      )
        .map(({ name }) => name)
        .filter((name) => !restless.has(name) && !/^(?:knex|events|retentions|bulk_(?:results|chunks)_)/.test(name));
    });

    /** Every endpoint that is no mere read, with a request that a normal agent of the role would get through. */
    const requests: Readonly<
      Record<
        string,
        (at: {
          item: string;
          bulk: string;
          run: string;
          failed: string;
          approval: string;
        }) => readonly [string, string, object]
      >
    > = {
      'POST /items': () => ['POST', '/items', { inbox: 'mail', title: 'New' }],
      'PATCH /items/{id}': ({ item }) => ['PATCH', `/items/${item}`, { state: 'closed', note: 'Mine' }],
      'POST /items/{id}/state': ({ item }) => ['POST', `/items/${item}/state`, { state: 'closed' }],
      'POST /items/{id}/assign': ({ item }) => ['POST', `/items/${item}/assign`, { assignee: person.id }],
      'POST /items/{id}/tags': ({ item }) => ['POST', `/items/${item}/tags`, { add: ['mine'] }],
      'POST /items/{id}/snooze': ({ item }) => ['POST', `/items/${item}/snooze`, { until: Date.now() + 3_600_000 }],
      'POST /items/{id}/notes': ({ item }) => ['POST', `/items/${item}/notes`, { text: 'Note' }],
      'POST /items/{id}/reply': ({ item }) => ['POST', `/items/${item}/reply`, { subject: 'Hello', text: 'There' }],
      'POST /items/{id}/triage': ({ item }) => [
        'POST',
        `/items/${item}/triage`,
        { answers: { spam: 'no' }, close: true },
      ],
      'POST /bulk': ({ item }) => ['POST', '/bulk', { ids: [item], operation: { type: 'state', state: 'closed' } }],
      'POST /bulk/{id}/undo': ({ bulk }) => ['POST', `/bulk/${bulk}/undo`, {}],
      'POST /bulk/{id}/cancel': ({ bulk }) => ['POST', `/bulk/${bulk}/cancel`, {}],
      'POST /actions': () => ['POST', '/actions', { action: 'ping' }],
      'POST /runs/{id}/cancel': ({ run }) => ['POST', `/runs/${run}/cancel`, {}],
      'POST /runs/{id}/retry': ({ failed }) => ['POST', `/runs/${failed}/retry`, {}],
      'POST /approvals/{id}/approve': ({ approval }) => ['POST', `/approvals/${approval}/approve`, {}],
      'POST /approvals/{id}/reject': ({ approval }) => ['POST', `/approvals/${approval}/reject`, {}],
      'POST /approvals/decide': ({ approval: id }) => ['POST', '/approvals/decide', severally(id)],
      'POST /approvals/{id}/answer': ({ approval }) => ['POST', `/approvals/${approval}/answer`, { answer: 'Yes' }],
      'POST /approvals/{id}/cancel': ({ approval }) => ['POST', `/approvals/${approval}/cancel`, {}],
      'POST /flags/{flag}': () => ['POST', '/flags/beta', { change: { value: true } }],
      'POST /resources/{resource}/records': () => [
        'POST',
        '/resources/customer/records',
        { records: [{ id: 'c1', title: 'Mine' }] },
      ],
      'PATCH /me': () => ['PATCH', '/me', { name: 'Mine' }],
      'POST /me/views': () => ['POST', '/me/views', { name: 'Mine', query: {} }],
      'PATCH /me/views/{id}': () => ['PATCH', '/me/views/viw_1', { name: 'Mine' }],
      'DELETE /me/views/{id}': () => ['DELETE', '/me/views/viw_1', {}],
      'DELETE /me/sessions/{id}': () => ['DELETE', '/me/sessions/ses_1', {}],
      'POST /sign-out': () => ['POST', '/sign-out', {}],
      'POST /sign-in/invitation': () => ['POST', '/sign-in/invitation', { token: 'x', password: 'of somebody else' }],
      'POST /sign-in/reset/confirm': () => ['POST', '/sign-in/reset/confirm', { token: 'x', password: 'of somebody' }],
      'POST /sign-in/fresh': () => ['POST', '/sign-in/fresh', { password: 'a password of somebody' }],
    };
    /** The same for tools; those of actions are all called with a record if they need one. */
    const toolArguments: Readonly<
      Record<string, (at: { item: string; bulk: string; run: string; failed: string; approval: string }) => object>
    > = {
      create_item: () => ({ inbox: 'mail', title: 'By a tool' }),
      set_item_state: ({ item }) => ({ id: item, state: 'waiting' }),
      assign_item: ({ item }) => ({ id: item, assignee: person.id }),
      tag_item: ({ item }) => ({ id: item, add: ['tool'] }),
      update_item: ({ item }) => ({ id: item, state: 'waiting', tags: { add: 'tool' } }),
      snooze_item: ({ item }) => ({ id: item, until: Date.now() + 7_200_000 }),
      add_note: ({ item }) => ({ id: item, text: 'By a tool' }),
      reply_to_item: ({ item }) => ({ id: item, subject: 'By', text: 'a tool' }),
      triage_item: ({ item }) => ({ id: item, answers: { spam: 'yes' }, close: true }),
      bulk_items: ({ item }) => ({ ids: [item], operation: { type: 'state', state: 'waiting' } }),
      cancel_bulk: ({ bulk }) => ({ id: bulk }),
      undo_bulk: ({ bulk }) => ({ id: bulk }),
      cancel_run: ({ run }) => ({ id: run }),
      retry_run: ({ failed }) => ({ id: failed }),
      change_flag: () => ({ flag: 'beta', change: { value: true } }),
      cancel_approval: ({ approval }) => ({ id: approval }),
    };
    const settings = ['agents', 'roles', 'people', 'app-keys', 'environments', 'loosenings', 'erasures', 'jobs'];
    /** Reads in the form of a `POST`, and requests without a principal. */
    const reads = new Set([
      'POST /available',
      'POST /live/tickets',
      'POST /ofrep/v1/evaluate/flags',
      'POST /ofrep/v1/evaluate/flags/{flag}',
      'POST /sign-in',
      'POST /sign-in/reset', // It asks nobody who they are.
      'POST /mcp',
      'POST /questions', // To ask and to answer changes nothing.
      'POST /approvals/{id}/comments',
      'ask_question',
      'comment_on_approval',
      ...'POST /items/claim,POST /items/{id}/claim,POST /items/{id}/release'.split(','),
    ]);

    it('asks for every change over every endpoint and tool there is, and without a person nothing changes', async () => {
      const normal = await world.agent('admin');
      const item = items[15] ?? '';
      const { bulk } = (
        await normal.post('/bulk', { ids: [items[16]], operation: { type: 'tags', add: ['old'], remove: [] } })
      ).body as { bulk: { id: string } };
      await until('the bulk is done', async () => (await normal.get(`/bulk/${bulk.id}`)).body.bulk.status === 'done');
      outcome = () => {
        throw new Error('No.');
      };
      const failed = (await normal.post('/actions', { action: 'ping' })).body.run as string;
      const { approval } = (await normal.post('/actions', { action: 'laterAsk', record: 'c12' })).body as {
        approval: string;
      };
      await offline();
      const run = (await normal.post('/actions', { action: 'ping' })).body.run as string;
      await world.settled();
      const before = await snapshot();
      given.splice(0);

      const operations = (await readDocuments(world.base)).operations.filter(({ method }) => method !== 'GET');
      const asked: string[] = [];
      for (const { method, path } of operations) {
        const name = `${method} ${path}`;
        if (reads.has(name)) continue;
        if (path.startsWith('/settings/')) {
          const known = settings.some((each) => path.startsWith(`/settings/${each}`));
          expect(known, `${name}: say here what a supervised agent is answered`).to.equal(true);
          const reply = await supervised.call(method, path.replace('{id}', 'agt_1'), { name: 'mine' });
          expect([400, 403], `${name}: ${reply.text}`).to.include(reply.status);
          continue;
        }
        const request = requests[name];
        if (request === undefined) throw new Error(`${name}: add to the table a request that changes something`);
        const reply = await supervised.call(...request({ item, bulk: bulk.id, run, failed, approval }));
        expect(
          reply.status === 202 ? reply.body.pending : reply.status >= 400,
          `${name}: ${String(reply.status)} ${reply.text}`,
        ).to.equal(true);
        if (reply.status === 202) asked.push(reply.body.approval as string);
      }
      for (const { name, inputSchema, annotations } of await callableTools(supervised)) {
        if (annotations.readOnlyHint || reads.has(name) || /^(claim|release)_/.test(name)) continue;
        const needsRecord = (inputSchema['required'] as string[] | undefined)?.includes('record') === true;
        const arguments_ = name.startsWith('action_')
          ? needsRecord
            ? { record: 'c1' }
            : {}
          : toolArguments[name]?.({ item, bulk: bulk.id, run, failed, approval });
        if (arguments_ === undefined) throw new Error(`${name}: add to the table arguments that change something`);
        const { status, body, reply } = await callTool(supervised, name, arguments_);
        expect(status === 200 ? body.pending : status >= 400, `${name}: ${reply.text}`).to.equal(true);
        if (status === 200) asked.push(body.approval as string);
      }
      await world.settled();
      expect(await snapshot()).to.deep.equal(before);
      expect(asked.length).to.be.greaterThan(9);

      for (const id of new Set(asked)) expect((await person.post(`/approvals/${id}/reject`)).status, id).to.equal(200);
      await online(false);
      await until('what was queued by others has run', async () => (await statusOf(normal, run)).status === 'failed');
      await world.settled();
      expect(given.map(({ params }) => params.actor.id)).to.deep.equal([normal.id]);
      outcome = () => ({ message: 'Done.' });
    });

    it('does nothing any more that it asked for before it was supervised', async () => {
      const agent = await world.agent('operator');
      await offline();
      const { run } = (await agent.post('/actions', { action: 'ping' })).body as { run: string };
      await world.sql("update agents set mode = 'supervised' where id = $1", [agent.id]);
      await world.sql('update revisions set n = n + 1');
      await online(false);
      await until('it has ended', async () => (await statusOf(agent, run)).status !== 'queued');
      expect(await statusOf(agent, run)).to.include({ status: 'failed', code: 'forbidden' });
      expect(given.filter(({ params }) => params.actor.id === agent.id)).to.deep.equal([]);
    });
  });
});
