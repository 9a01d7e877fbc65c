/** Background jobs as managers see them: what waits and why, found by ids, counted, and tried now. */
import { expect } from 'chai';
import { connectApp, rpcError } from '../support/app.ts';
import type { Client, Reply } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  ...testManifest,
  inboxes: [...testManifest.inboxes, { name: 'asked', triage: { rules: [], app: true } }],
  actions: [
    ...testManifest.actions,
    { name: 'hang', label: 'Hang', resource: 'customer', background: true, timeout: 60_000 },
    { name: 'ask', label: 'Ask', resource: 'customer', approval: true },
    { name: 'renew', label: 'Renew', resource: 'customer', background: true, offlineExpiry: 86_400_000 },
  ],
  flags: [{ key: 'new_checkout', kind: 'boolean', default: false }],
};

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly about: { readonly type: string; readonly id: string; readonly sentence: string } | null;
  readonly why: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly retryable: boolean;
  readonly dueAt: number | null;
}

describe('background jobs for people', () => {
  let world: World;
  let boss: Client;
  let staged = 0;

  const read = async (query = '', client = boss): Promise<Reply> => client.get(`/settings/jobs${query}`);
  const list = async (query = '', client = boss): Promise<readonly Job[]> => (await read(query, client)).body.jobs;
  const retry = (id: string, body?: object, headers = {}): Promise<Reply> =>
    boss.post(`/settings/jobs/${id}/retry`, body, { headers });
  const newItem = async (inbox: string, title: string): Promise<string> =>
    (await boss.post('/items', { inbox, title })).body.item.id as string;
  /** A job as its statements would have left it, due in a year unless `columns` say else. */
  const stage = async (columns: Readonly<Record<string, unknown>>): Promise<string> => {
    staged += 1;
    const id = `job_${String(staged).padStart(26, '0')}`;
    const row: Readonly<Record<string, unknown>> = {
      id,
      env: 1,
      name: 'triageItem',
      payload: {},
      subject: null,
      due_at: Date.now() + 31_536_000_000,
      created_at: 1,
      ...columns,
    };
    const names = Object.keys(row);
    await world.sql(
      `insert into staged_jobs (${names.join(', ')}) values (${names.map((_, i) => `$${String(i + 1)}`).join(', ')})`,
      Object.values(row),
    );
    return id;
  };

  describe('whose faults are real', () => {
    before(async () => {
      world = await newWorld({ manifest });
      boss = await world.person('admin', 'Boss', { fresh: true });
      await world.records('customer', [
        { id: 'c1', title: 'One' },
        { id: 'c2', title: 'Two' },
      ]);
    });
    after(() => world.close());

    it('say of a run that the app has, and has no job, what it waits for and until when', async () => {
      let answer: (result: null) => void = () => undefined;
      let begin = (): void => undefined;
      const asked = new Promise<void>((resolve) => (begin = resolve));
      const hang = (): Promise<null> => {
        begin();
        return new Promise((end) => (answer = end));
      };
      const app = await connectApp(await world.appKey(), { manifest, handlers: { 'action.run': hang } });
      const { run } = (await boss.post('/actions', { action: 'hang', record: 'c2' })).body as { run: string };
      await asked;
      const whyOf = async (query: string, client = boss): Promise<string | null> =>
        (await read(query, client)).body.why as string | null;
      const why = await until('it has no job', async () => {
        const { body } = await read(`?about=${run}`);
        return body.jobs.length === 0 && (body.why as string);
      });
      expect(why).to.match(
        /^The app has had it for \d+ s\. Without an answer within (?:\d\d s|2 min) it ends unknown\.$/,
      );
      expect(await whyOf(''), 'nobody asked for one').to.equal(null);
      expect(await whyOf(`?about=${run}&state=due`), 'a job in another state may be about it').to.equal(null);
      expect(await whyOf('?about=run_01jd0000000000000000000000')).to.equal(null);
      await world.role('jobs only', [{ on: 'settings', can: ['manage'] }]);
      const stranger = await world.person('jobs only', 'Stranger');
      expect(await whyOf(`?about=${run}`, stranger), 'whoever sees no such run').to.equal(null);

      // Its time is up: the sweep of runs waits for a late answer.
      await world.sql('update runs set handed_at = handed_at - 60000 where id = $1', [run]);
      await until('it is late', async () => (await whyOf(`?about=${run}`))?.startsWith('The app had it, and'));
      answer(null);
      await until('it has ended', async () => (await whyOf(`?about=${run}`)) === 'It has ended: succeeded.');
      const { run: pending, approval } = (await boss.post('/actions', { action: 'ask', record: 'c2' })).body;
      expect(await whyOf(`?about=${String(pending)}`)).to.equal(`A person has to decide ${String(approval)}.`);
      await app.close();
    });

    it('say that the app is offline, and behind which run of its record another waits', async () => {
      const runs: string[] = [];
      for (let n = 0; n < 3; n += 1)
        runs.push((await boss.post('/actions', { action: 'renew', record: 'c1' })).body.run as string);
      const [first, second, third] = await until('all wait', async () => {
        const jobs = await list();
        return jobs.length === 3 && jobs.every(({ state }) => state === 'parked' || state === 'inLine') && jobs;
      });
      expect(first).to.deep.include({
        kind: 'actionRun',
        state: 'parked',
        about: { type: 'run', id: runs[0], sentence: 'Renew: customer c1' },
        why: 'The app is offline; it begins by itself once the app is back.',
        retryable: false,
      });
      expect([second?.state, second?.why]).to.deep.equal([
        'inLine',
        `It waits for ${String(runs[0])}, an earlier run of the same record.`,
      ]);
      expect(third?.why).to.equal(`It waits for ${String(runs[0])} and 1 more earlier runs of the same record.`);
      expect((await read()).body.counts).to.deep.equal({ actionRun: { parked: 1, inLine: 2 } });
      const refused = await retry(first?.id ?? '');
      expect([refused.status, refused.body.code, refused.body.error]).to.deep.equal([409, 'conflict', first?.why]);
      expect((await retry(second?.id ?? '')).body.error).to.equal(second?.why);
      expect((await list(`?about=${String(runs[1])}`)).map(({ id }) => id)).to.deep.equal([second?.id]);
      const app = await connectApp(await world.appKey(), { manifest, handlers: { 'action.run': () => null } });
      await until('the app has done all', async () => (await list()).length === 0);
      await app.close();
    });

    it('say why one was given up, and do it when it is retried, once and on record', async () => {
      let answer = (): unknown => {
        throw rpcError(-32_001, 'The model is out of credit.', { retryable: false });
      };
      const app = await connectApp(await world.appKey(), { manifest, handlers: { 'triage.answer': () => answer() } });
      const item = await newItem('asked', 'Where is my order?');
      const failed = await until('it is given up', async () => (await list('?state=failed'))[0]);
      expect(failed).to.deep.include({
        kind: 'triageItem',
        about: { type: 'item', id: item, sentence: 'Triage: Where is my order?' },
        error: 'The app doesn’t triage: The model is out of credit.',
        attempts: 1,
        retryable: true,
        dueAt: null,
      });
      answer = () => ({ answers: { kind: 'delivery' } });
      const headers = { 'idempotency-key': 'again' };
      const reason = 'There is credit again.';
      const done = await retry(failed.id, { reason }, headers);
      expect([done.status, done.body.changed], done.text).to.deep.equal([200, true]);
      await until('it is done', async () => (await list()).length === 0);
      expect((await boss.get(`/items/${item}`)).body.triage.answers[0].answer).to.equal('delivery');
      const replayed = await retry(failed.id, { reason }, headers);
      expect([replayed.text, replayed.headers.get('idempotent-replayed')]).to.deep.equal([done.text, 'true']);
      expect((await retry(failed.id)).status).to.equal(404);
      const { entries } = (await boss.get(`/audit?target=${failed.id}`)).body;
      expect(entries.map(({ outcome }: Reply['body']) => outcome)).to.deep.equal(['denied', 'ok']);
      expect(entries[1]).to.deep.include({
        verb: 'job.retry',
        target: { type: 'job', id: failed.id },
        before: { state: 'failed', attempts: 1 },
        after: { state: 'due', kind: 'triageItem', about: item },
        reason,
      });
      await app.close();
    });

    it('leave a ramp’s step to its time, and say which flag it moves', async () => {
      const ramp = { to: 100, over: 86_400_000, every: 43_200_000, at: null };
      const reply = await boss.post('/flags/new_checkout', { change: { ramp } });
      expect(reply.status, reply.text).to.equal(200);
      const [step] = await list('?about=new_checkout');
      expect(step).to.deep.include({
        kind: 'rampStep',
        state: 'delayed',
        about: { type: 'flag', id: 'new_checkout', sentence: 'The next step of the ramp of new_checkout' },
        why: 'The next step of a ramp comes when it is due.',
        retryable: false,
      });
      expect((await retry(step?.id ?? '')).body.error).to.equal(step?.why);
      await boss.post('/flags/new_checkout', { change: { ramp: null } });
    });

    it('have an erasure look again at once for what it waits for', async () => {
      await boss.post('/actions', { action: 'renew', record: 'c1' });
      await boss.post('/settings/erasures', { record: { resource: 'customer', id: 'c1' }, confirmed: true });
      const job = await until('it waits', async () =>
        (await list('?kind=erase')).find(({ state, why }) => state === 'delayed' && why.includes('1 run')),
      );
      expect(job.about).to.deep.include({ type: 'erasure', sentence: 'The erasure of customer c1' });
      expect((await retry(job.id)).body.changed).to.equal(true);
    });
  });

  describe('of a service whose workers are stopped', () => {
    before(async () => {
      world = await newWorld({ manifest, workers: false });
      await world.environment('staging', manifest);
      boss = await world.person('admin', 'Boss', { fresh: true });
    });
    after(() => world.close());
    beforeEach(() => world.sql('delete from staged_jobs'));

    it('wait, and say so; a retry finds them due already and changes nothing', async () => {
      const item = await newItem('mail', 'Help');
      const { bulk } = (await boss.post('/bulk', { ids: [item], operation: { type: 'tags', add: ['x'], remove: [] } }))
        .body as { bulk: { id: string } };
      const [job] = await list(`?about=${bulk.id}`);
      expect(job).to.deep.include({
        kind: 'bulkChunk',
        state: 'due',
        about: { type: 'bulk', id: bulk.id, sentence: 'Items 1 to 1 of a bulk of 1 (tags)' },
        retryable: false,
      });
      const reply = await retry(job?.id ?? '');
      expect([reply.status, reply.body.changed]).to.deep.equal([200, false]);
      expect((await boss.get(`/audit?target=${String(job?.id)}`)).body.entries).to.deep.equal([]);
    });

    it('are in the state that their row says', async () => {
      const item = await newItem('mail', 'Help');
      await world.sql('delete from staged_jobs');
      const future = Date.now() + 60_000;
      const given = { subject: item, enqueued_at: 1 };
      const states: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
        due: { subject: item, due_at: 1 },
        delayed: { subject: item, last_error: 'Error: x', tries: 3 },
        inLine: { subject: item, due_at: null },
        parked: { subject: item, due_at: null, waits_for_app: true },
        queued: given,
        running: { ...given, lease_until: future },
        stalled: { ...given, lease_until: 1 },
        failed: { subject: item, due_at: null, last_error: 'Error: x' },
      };
      const ids: Record<string, string> = {};
      for (const [state, columns] of Object.entries(states)) ids[state] = await stage(columns);
      ids['orphaned'] = await stage({ subject: item, lease_until: 1 });
      for (const state of Object.keys(states)) {
        const found = await list(`?state=${state}`);
        const wanted = state === 'stalled' ? [ids['stalled'], ids['orphaned']] : [ids[state]];
        expect(
          found.map(({ id }) => id),
          state,
        ).to.have.members(wanted);
        expect(
          found.every((job) => job.state === state && job.why !== ''),
          state,
        ).to.equal(true);
      }
      expect((await read()).body.counts).to.deep.equal({
        triageItem: { due: 1, delayed: 1, inLine: 1, parked: 1, queued: 1, running: 1, stalled: 2, failed: 1 },
      });
      const verdicts: Record<string, string> = {};
      for (const [state, id] of Object.entries(ids)) {
        const { status, body } = await retry(id);
        verdicts[state] = `${String(status)} ${String(body.changed)}`;
      }
      expect(verdicts).to.deep.equal({
        due: '200 false',
        delayed: '200 true',
        inLine: '200 true',
        parked: '409 undefined',
        queued: '200 false',
        running: '200 false',
        stalled: '200 false',
        failed: '200 true',
        orphaned: '200 false',
      });
      const rows = await world.sql<{ id: string; tries: number }>(
        'select id, tries from staged_jobs where id = any($1)',
        [[ids['delayed'], ids['failed']]],
      );
      expect(rows.find(({ id }) => id === ids['delayed'])?.tries).to.equal(3);
    });

    it('are paged both ways, each once, also where few are in the state asked for', async () => {
      await world.sql(
        `insert into staged_jobs (id, env, name, payload, due_at, enqueued_at, lease_until, created_at)
         select 'job_' || lpad(n::text, 26, '0'), 1, case when n % 2 = 0 then 'actionRun' else 'bulkChunk' end, '{"chunk": 0}', 1, 1,
           case when n % 1000 = 0 then 9e15 end, n / 3 from generate_series(1, 7000) n`,
      );
      const walk = async (query: string): Promise<string[]> => {
        const seen: string[] = [];
        for (let cursor = ''; ;) {
          const reply = await read(`?limit=200${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
          expect(reply.status, reply.text).to.equal(200);
          seen.push(...(reply.body.jobs as Job[]).map(({ id }) => id));
          if (reply.body.cursor === null) return seen;
          cursor = reply.body.cursor as string;
        }
      };
      const all = await walk('');
      expect(new Set(all).size).to.equal(7000);
      expect(all).to.deep.equal([...all].sort());
      expect(await walk('&sort=-createdAt')).to.deep.equal([...all].reverse());
      expect(await walk('&state=running')).to.have.length(7);
      expect(await walk('&state=running&sort=-createdAt&kind=actionRun')).to.have.length(7);
      expect(await walk('&kind=bulkChunk')).to.have.length(3500);
      expect((await read('?limit=1')).body.counts).to.deep.equal({
        actionRun: { queued: 998, running: 2 },
        bulkChunk: { queued: 1000 },
      });
    });

    it('are those of one environment, found by no other', async () => {
      const here = await stage({});
      const [staging] = await world.sql<{ id: number }>(`select id from environments where name = 'staging'`);
      const there = await stage({ env: staging?.id, due_at: null, last_error: 'x' });
      expect((await list()).map(({ id }) => id)).to.deep.equal([here]);
      expect(await list(`?about=${there}`)).to.deep.equal([]);
      expect((await retry(there)).status).to.equal(404);
      const other = world.elsewhere(boss, 'staging');
      expect((await list('', other)).map(({ id }) => id)).to.deep.equal([there]);
    });

    it('say nothing of what the role does not see, nor are they found by its id', async () => {
      await world.role('manager', [{ on: 'settings', can: ['manage'] }]);
      const manager = await world.person('manager', 'Manager');
      const item = await newItem('secret', 'A hidden title');
      await world.sql('delete from staged_jobs');
      const id = await stage({ subject: item, due_at: null, last_error: 'The app said: a hidden title' });
      expect((await list(`?about=${item}`)).map(({ error }) => error)).to.deep.equal(['The app said: a hidden title']);
      const [job] = await list('', manager);
      expect(job).to.deep.include({ id, about: null, error: null, retryable: true });
      expect((await read('', manager)).text)
        .not.to.include('hidden')
        .and.not.to.include(item);
      expect(await list(`?about=${item}`, manager)).to.deep.equal([]);
      expect((await manager.post(`/settings/jobs/${id}/retry`)).status).to.equal(200);
      await world.role('auditor', [{ on: 'audit', can: ['see'] }]);
      const auditor = await world.agent('auditor');
      expect((await auditor.get(`/audit?target=${id}`)).body.entries).to.deep.equal([]);
      expect((await boss.get(`/audit?target=${id}`)).body.entries).to.have.length(1);
    });

    it('are not sent again when what they were to say was erased', async () => {
      const item = await newItem('mail', 'Help');
      const entry = 'ent_01jd0000000000000000000000';
      await world.sql(
        `insert into events (env, at, actor_type, actor_name, inbox, item, entry, type, data) values (1, 1, 'system', 'x', 'mail', $1, $2, 'reply', '{"text": "", "erased": true}')`,
        [item, entry],
      );
      const id = await stage({
        name: 'replySend',
        subject: item,
        payload: { item, entry, dueAt: null },
        due_at: null,
        last_error: 'Error: x',
      });
      const refused = await retry(id);
      expect([refused.status, refused.body.error]).to.deep.equal([
        409,
        'What this reply said was erased, so it can’t be sent any more.',
      ]);
    });

    it('are for people who manage settings', async () => {
      const id = await stage({ due_at: null, last_error: 'x' });
      const supervised = await world.agent('admin', { mode: 'supervised' });
      for (const client of [supervised, await world.agent('admin')]) {
        expect((await read('', client)).body.code).to.equal('person_required');
        expect((await client.post(`/settings/jobs/${id}/retry`)).body.code).to.equal('person_required');
      }
      const operator = await world.person('operator');
      expect((await read('', operator)).body.code).to.equal('forbidden');
      expect((await operator.post(`/settings/jobs/${id}/retry`)).body.code).to.equal('forbidden');
      for (const query of ['?state=nosuch', '?kind=nosuch', '?sort=dueAt', '?about='])
        expect((await read(query)).status, query).to.equal(400);
    });
  });
});
