/**
 * Invisible means absent: an admin puts one word into everything that a clerk can't see, and the clerk calls whatever
 * there is to call, listens and makes mistakes. The word never comes back, and where the clerk says it itself, the
 * answer is the one that a word that nobody used gets.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import type { Documents } from '../support/documented.ts';
import { withoutNames, type CallOptions, type Client, type Reply } from '../support/http.ts';
import { openLive, type Recorder } from '../support/live.ts';
import { callableTools, rpc } from '../support/tools.ts';
import type { World } from '../support/world.ts';
import {
  idsOf,
  morePoolsOf,
  poolsOf,
  probesOf,
  queriesOf,
  recordsOf,
  toolCallsOf,
  toolProbes,
} from './canary/calls.ts';
import { newCanaryWorld, type Planted } from './canary/canaryWorld.ts';
import { unused, word } from './canary/declared.ts';

/** How many calls are thrown together besides those that are written down; `CANARY_CALLS=20000` in a long run. */
const thrown = Number(process.env['CANARY_CALLS'] ?? 1_500);

describe('the canary', function () {
  this.timeout(180_000 + thrown * 20);
  const canary = newCanaryWorld();
  let planted: Planted;
  let world: World;
  let documents: Documents;
  let admin: Client;
  let clerk: Client;
  let auditor: Client;
  let live: Recorder;
  let start = '';
  let hidden: readonly string[] = [];
  let linked: readonly string[] = [];
  let hiddenBulk = '';
  let ownBulk = '';
  let hiddenPerson = '';
  let runs: readonly string[] = [];
  let hiddenRuns: readonly string[] = [];
  let approvals: readonly string[] = [];
  let hiddenApprovals: readonly string[] = [];
  let calls = 0;

  /** What a client gets to see of an answer. */
  const shown = (reply: Reply): string => `${String(reply.status)} ${JSON.stringify([...reply.headers])} ${reply.text}`;
  const silent = (reply: Reply, what: string): Reply => {
    calls += 1;
    expect(shown(reply).toLowerCase().includes(word), `${what} answered ${shown(reply).slice(0, 1000)}`).to.equal(
      false,
    );
    return reply;
  };
  const call = async (
    client: Client,
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<Reply> =>
    silent(await client.call(method, path, body, options), `${method} ${path} ${JSON.stringify(body) ?? ''}`);

  before(async () => {
    planted = await canary.open();
    ({
      world,
      documents,
      admin,
      clerk,
      auditor,
      live,
      start,
      hidden,
      linked,
      hiddenBulk,
      ownBulk,
      hiddenPerson,
      runs,
      hiddenRuns,
      approvals,
      hiddenApprovals,
    } = planted);
  });
  beforeEach(() => {
    calls = 0;
  });
  after(() => canary.close());

  it('is there for those who may see it', async () => {
    const { body } = await admin.get(`/items/${hidden[0] ?? ''}`);
    expect(JSON.stringify(body).split(word).length).to.be.above(10);
    expect((await admin.get(`/items?search=${word}`)).body.items).to.have.length(1);
    expect((await admin.get(`/items/${linked[0] ?? ''}`)).body.item.record.title).to.equal(`${word} thing`);
    for (const id of runs) {
      const { text, status } = await admin.get(`/runs/${id}`);
      expect([status, text.includes(word)], text).to.deep.equal([200, true]);
    }
    for (const id of hiddenApprovals) {
      const { text, status } = await admin.get(`/approvals/${id}`);
      expect([status, text.includes(word)], text).to.deep.equal([200, true]);
    }
    expect((await admin.get(`/flags/${word}Flag/history`)).text).to.include(word);
    const listed = (await clerk.get('/runs?limit=200')).body.runs.map(({ id }: { id: string }) => id) as string[];
    expect(listed).to.include.members(runs.filter((id) => !hiddenRuns.includes(id)));
    expect(hiddenRuns.filter((id) => listed.includes(id))).to.deep.equal([]);
    for (const id of hiddenApprovals) expect((await clerk.get(`/approvals/${id}`)).status, id).to.equal(404);
    for (const id of approvals.filter((one) => !hiddenApprovals.includes(one)))
      expect((await clerk.get(`/approvals/${id}`)).status, id).to.equal(200);
  });

  it('is in no answer of any GET, with whatever parameters', async () => {
    const queries = queriesOf(planted);
    for (const { method, path } of documents.operations) {
      if (method !== 'GET') continue;
      const plain = path.replace('{page}', 'mixed').replace('{flag}', 'known');
      const targets = path.startsWith('/resources/{resource}')
        ? recordsOf(path)
        : path.includes('{id}')
          ? idsOf(planted, path).map((id) => plain.replace('{id}', id))
          : [plain];
      for (const target of targets) {
        const variants =
          path.includes('{') && queries[target] === undefined
            ? [
                '',
                ...(/\/(timeline|occurrences|results|history)$/.test(path)
                  ? ['?limit=1', '?limit=200', '?cursor=x']
                  : ['?x=1']),
              ]
            : path.startsWith('/settings') || path.startsWith('/me/')
              ? ['']
              : queries[target];
        expect(variants, `say with which parameters the canary asks ${path}`).to.be.an('array');
        for (const query of variants ?? []) await call(clerk, 'GET', target + query);
      }
    }
    expect(calls).to.be.at.least(250);
  });

  it('is in no answer to parameters thrown together', async () => {
    const pools = poolsOf(planted);
    const query = fc.tuple(
      ...Object.entries(pools).map(([name, values]) =>
        fc.option(
          fc.constantFrom(...values).map((value) => `${name}=${encodeURIComponent(value)}`),
          { freq: 1, nil: '' },
        ),
      ),
    );
    await fc.assert(
      fc.asyncProperty(query, async (parts) => {
        const given = parts.filter((part) => part !== '').join('&');
        await call(clerk, 'GET', `/items?${given}`);
      }),
      { numRuns: Math.ceil(thrown / 3) },
    );
    const lists: readonly string[] = [
      '/runs',
      '/approvals',
      '/actions',
      '/flags',
      '/pages',
      '/resources',
      '/inboxes',
      '/views',
      '/people',
      '/changes',
      '/pages/mixed',
      ...documents.operations
        .filter(({ method, path }) => method === 'GET' && path.startsWith('/resources/'))
        .flatMap(({ path }) => recordsOf(path)),
      ...[...runs, ...approvals].flatMap((id) => [`/${id.startsWith('run') ? 'runs' : 'approvals'}/${id}`]),
      ...[...hidden, ...linked].flatMap((id) => [`/items/${id}`, `/items/${id}/timeline`, `/items/${id}/occurrences`]),
    ];
    const more = morePoolsOf(planted);
    // Most lists take few of them: a handful at a time, or nothing but refusals would be looked at.
    const some = fc.uniqueArray(
      fc.constantFrom(
        ...Object.entries(more).flatMap(([name, values]) => values.map((value) => [name, value] as const)),
      ),
      { maxLength: 2, selector: ([name]) => name },
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...lists), some, async (path, given) => {
        await call(
          clerk,
          'GET',
          `${path}?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`,
        );
      }),
      { numRuns: Math.ceil((thrown * 2) / 3) },
    );
    expect(calls).to.be.at.least(thrown);
  });

  it('is on no page of a list, and in no cursor', async () => {
    for (const path of [
      '/items?limit=1',
      '/items?limit=1&sort=title',
      '/items?limit=1&sort=-due',
      '/people?limit=1',
      '/inboxes?limit=1',
      `/bulk/${ownBulk}/results?limit=1`,
      '/runs?limit=1',
      '/approvals?limit=1',
      '/actions?limit=1',
      '/flags?limit=1',
      '/resources?limit=1',
      '/resources/customer/list?limit=1',
      `/items/${linked[0] ?? ''}/timeline?limit=1`,
      `/items/${linked[0] ?? ''}/occurrences?limit=1`,
    ]) {
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body } = await call(clerk, 'GET', `${path}${cursor === '' ? '' : `&cursor=${cursor}`}`);
        cursor = body.cursor as string | null;
        if (cursor !== null) expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.to.include(word);
      }
    }
    expect(calls).to.be.at.least(30);
  });

  it('is in no answer to a change, allowed or refused', async () => {
    const bodies: Readonly<Record<string, readonly object[]>> = {
      state: [{ state: 'open' }, { state: 'nosuch' }, { state: 1 }],
      assign: [{ assignee: null }, { assignee: hiddenPerson }, { assignee: 'x' }],
      tags: [{ add: ['a'] }, { add: 'a' }],
      snooze: [{ until: null }, { until: 1 }, { until: 4_102_444_800_000 }],
      notes: [{ text: 'x' }, {}],
      reply: [{ subject: 'a', text: 'b' }, {}],
      triage: [{ answers: {} }, { answers: {}, close: true }],
    };
    for (const id of [...hidden, ...linked]) {
      for (const [verb, list] of Object.entries(bodies)) {
        for (const body of list) {
          await call(clerk, 'POST', `/items/${id}/${verb}`, body);
          await call(clerk, 'POST', `/items/${id}/${verb}`, body, { headers: { 'if-match': '"1"' } });
        }
      }
    }
    for (const body of [
      { inbox: 'nosuch', title: 'x' },
      { inbox: 'mail' },
      { inbox: 'mail', title: 'x', record: { resource: 'nosuch', id: 'x' } },
      { inbox: 'mail', title: 'x', key: 'mine' },
    ])
      await call(clerk, 'POST', '/items', body);
    for (const id of [...hidden, ...linked]) await call(clerk, 'POST', `/items/${id}/claim`);
    const ids = [...hidden, ...linked];
    for (const operation of [
      { type: 'state', state: 'open' },
      { type: 'tags', add: ['x'] },
      { type: 'assign', assignee: hiddenPerson },
      { type: 'snooze', until: null },
      { type: 'action', action: 'open' },
      { type: 'nosuch' },
    ]) {
      await call(clerk, 'POST', '/bulk', { ids, operation, dryRun: true });
      const { body } = await call(clerk, 'POST', '/bulk', { ids, operation });
      await world.settled();
      if (body.bulk !== undefined) await call(clerk, 'GET', `/bulk/${String(body.bulk.id)}/results`);
    }
    for (const verb of ['cancel', 'undo'])
      for (const bulk of [hiddenBulk, ownBulk]) await call(clerk, 'POST', `/bulk/${bulk}/${verb}`);
    for (const verb of ['cancel', 'retry']) for (const run of runs) await call(clerk, 'POST', `/runs/${run}/${verb}`);
    for (const action of ['open', 'greet', 'look', 'asked', 'slow', 'nosuch']) {
      for (const record of ['c1', 'c2', undefined])
        for (const item of [...ids, undefined]) await call(clerk, 'POST', '/actions', { action, record, item });
    }
    for (const refs of [
      [{ resource: 'customer', id: 'c1' }],
      [
        { resource: 'payment', id: 'p1' },
        { resource: 'customer', id: 'c2' },
      ],
      [],
    ])
      await call(clerk, 'POST', '/available', { refs });
    for (const body of [{ change: { value: true } }, { change: { rules: [] } }, { change: {} }, {}])
      await call(clerk, 'POST', '/flags/known', body);
    for (const path of ['flags', 'flags/known'])
      await call(clerk, 'POST', `/ofrep/v1/evaluate/${path}`, { context: { targetingKey: 'c1' } });
    // The decision is made by a person with the same rights.
    const decider = documents.of(await world.person('clerk', 'Decider'));
    for (const verb of ['cancel', 'approve', 'reject', 'approve']) {
      for (const id of approvals)
        for (const client of [clerk, decider])
          await call(client, 'POST', `/approvals/${id}/${verb}`, verb === 'cancel' ? {} : { note: 'x' });
    }
    for (const path of [
      '/approvals?limit=200',
      '/approvals?status=approved',
      '/approvals?status=rejected',
      '/runs?limit=200',
      ...linked.map((id) => `/items/${id}`),
      '/resources/customer/c1',
    ])
      await call(decider, 'GET', path);
    await call(clerk, 'POST', '/live/tickets');
    await world.settled();
    expect(calls).to.be.at.least(450);
  });

  it('is in no tool, and in no answer of one', async () => {
    const toolCalls = toolCallsOf(planted);
    let made = 0;
    silent(await rpc(clerk, 'tools/list'), 'tools/list');
    silent(await rpc(clerk, 'initialize', { protocolVersion: '2025-11-25' }), 'initialize');
    for (const { name } of await callableTools(clerk)) {
      const arguments_ = name.startsWith('action_')
        ? [{}, { record: 'c1' }, { record: 'c1', item: linked[0] }]
        : (toolCalls[name]?.map(([, given]) => given) ?? [{}]);
      for (const given of arguments_) {
        made += 1;
        const reply = silent(
          await rpc(clerk, 'tools/call', { name, arguments: given }),
          `${name} ${JSON.stringify(given)}`,
        );
        expect(reply.body.result, `say with which arguments the canary calls ${name}: ${reply.text}`).to.be.an(
          'object',
        );
        if (toolCalls[name] === undefined && !name.startsWith('action_'))
          expect(
            reply.body.result.isError,
            `say with which arguments the canary calls ${name}: ${reply.text}`,
          ).to.equal(false);
      }
    }
    expect(made).to.be.at.least(40);
  });

  it('is in no saved view that people of the same role are shown', async () => {
    const person = await world.person('clerk', 'Colleague');
    expect((await call(person, 'GET', '/me/views')).body.views).to.deep.equal([]);
    for (const id of planted.hiddenViews) {
      expect((await call(person, 'GET', `/items?view=${id}`)).status).to.equal(404);
      expect((await person.call('PATCH', `/me/views/${id}`, { name: 'Mine' })).status).to.equal(404);
    }
  });

  it('is in no message of the stream, nor in what a resumed or narrowed one says', async () => {
    const resumed = await openLive(clerk, `?after=${start}`);
    const narrowed = await openLive(clerk, '?inboxes=mail,bugs&types=item,timeline,counts,bulk,run,approval,flag');
    await admin.post(`/items/${hidden[0] ?? ''}/notes`, { text: word });
    const {
      body: { item },
    } = await admin.post('/items', { inbox: 'mail', title: 'the last one' });
    for (const recorder of [live, resumed, narrowed])
      await recorder.next('the last item', (message) => message.item?.id === item.id);
    for (const recorder of [live, resumed, narrowed]) {
      expect(recorder.messages.length).to.be.above(1);
      expect(JSON.stringify(recorder.messages)).not.to.include(word);
      for (const id of hidden)
        expect(JSON.stringify(recorder.messages.filter((message) => message.type !== 'bulk'))).not.to.include(id);
    }
    expect(Object.keys(live.messages[0].counts).sort()).to.deep.equal(['bugs', 'mail']);
    for (const type of ['run', 'approval', 'flag', 'timeline', 'item', 'bulk'])
      expect(
        live.messages.some((message) => message.type === type),
        `the clerk hears of some ${type}`,
      ).to.equal(true);
    await resumed.close();
    await narrowed.close();
  });

  it('is in nothing that whoever watches an agent hears of its reads', async () => {
    const watching = await openLive(await world.person('auditor', 'Watcher'), `?agent=${admin.id}`);
    for (const path of [
      `/items?q=${word}&inbox=${word}Inbox`,
      `/items?fields.${word}Field=${word}`,
      `/items/batch?ids=${hidden.join(',')}`,
      ...hidden.flatMap((id) => [`/items/${id}`, `/items/${id}/timeline`]),
      `/resources/${word}Thing/list`,
      `/resources/${word}Thing/${word}-1`,
      `/pages/${word}Page`,
      `/flags/${word}Flag/history`,
      `/search?q=${word}`,
      ...hiddenRuns.map((id) => `/runs/${id}`),
      ...hiddenApprovals.map((id) => `/approvals/${id}`),
      '/me',
    ])
      await admin.get(path);
    await watching.next('the last read', ({ type, verb }) => type === 'read' && verb === 'me');
    const said = JSON.stringify(watching.messages.filter(({ type }) => type === 'read'));
    for (const secret of [word, ...hidden, ...hiddenRuns, ...hiddenApprovals])
      expect(said.toLowerCase()).not.to.include(secret.toLowerCase());
    await watching.close();
  });

  it('answers the clerk’s own use of the word like that of a word that nobody knows', async () => {
    for (const probe of [...probesOf(planted), ...toolProbes]) {
      const [known, unknown] = [await clerk.call(...probe(word)), await clerk.call(...probe(unused))];
      const timeless = (text: string): string => withoutNames(text).replace(/"at":\d+\}$/, '');
      expect(timeless(known.text.replaceAll(word, unused)), probe(word).join(' ')).to.equal(timeless(unknown.text));
      expect(known.status).to.equal(unknown.status);
    }
    const [there, nowhere] = [
      await world.elsewhere(clerk, `${word}Environment`).get('/items'),
      await world.elsewhere(clerk, `${unused}Environment`).get('/items'),
    ];
    expect([there.status, there.text]).to.deep.equal([nowhere.status, nowhere.text]);
    const twin = async (path: string) => (await clerk.get(path)).text;
    expect(await twin(`/items?assignee=${hiddenPerson}&count=1`)).to.equal(
      await twin('/items?assignee=per_01jd0000000000000000000000&count=1'),
    );
  });

  it('is in nothing that an auditor of the same inboxes reads, but for bulks, actions without a record, and what was tried in vain', async () => {
    for (const query of [
      '?limit=200',
      `?actor=${admin.id}&limit=200`,
      ...hidden.map((id) => `?target=${id}`),
      `?target=${word}Inbox`,
      '?verb=item.create&limit=200',
      '?verb=item.triage&limit=200',
    ]) {
      const { body } = await auditor.get(`/audit${query}`);
      const told = (action: unknown): boolean => action === `${word}Action`;
      // A refusal repeats the words of the request.
      const entries = (
        body.entries as {
          outcome: string;
          target: { type: string };
          after: { action?: string; summary?: string } | null;
        }[]
      ).filter(
        ({ outcome, target, after }) =>
          outcome === 'ok' &&
          target.type !== 'bulk' &&
          !(after?.summary ?? '').includes(' items') &&
          !told(after?.action),
      );
      expect(
        entries.filter((entry) => JSON.stringify(entry).includes(word)),
        query,
      ).to.deep.equal([]);
    }
    for (const path of [`/bulk/${hiddenBulk}`, `/bulk/${hiddenBulk}/results`])
      expect((await auditor.get(path)).status, path).to.equal(404);
    expect((await auditor.get('/bulk?limit=200')).text).not.to.include(hiddenBulk);
    const told = (await auditor.get(`/audit?target=${hiddenBulk}&verb=bulk.create`)).body.entries;
    expect(told).to.deep.equal([]);
    await call(auditor, 'GET', `/bulk/${ownBulk}/results`);
  });
});
