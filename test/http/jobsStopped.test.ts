/** Background jobs as managers see them while no worker is at work: their states, pages, rights, and changes by selection. */
import { expect } from 'chai';
import type { Client, Reply } from '../support/http.ts';
import { manifest, useJobs, type Job } from './jobsWorld.ts';

describe('background jobs for people', () => {
  describe('of a service whose workers are stopped', () => {
    const site = useJobs({ workers: false });
    const { read, list, retry, newItem, stage } = site;

    before(() => site.world.environment('staging', manifest));
    beforeEach(() => site.world.sql('delete from staged_jobs'));

    it('wait, and say so; a retry finds them due already and changes nothing', async () => {
      const item = await newItem('mail', 'Help');
      const { bulk } = (
        await site.boss.post('/bulk', { ids: [item], operation: { type: 'tags', add: ['x'], remove: [] } })
      ).body as { bulk: { id: string } };
      const [job] = await list(`?about=${bulk.id}`);
      expect(job).to.deep.include({
        kind: 'bulkChunk',
        state: 'due',
        about: { type: 'bulk', id: bulk.id, sentence: 'Items 1 to 1 of a bulk of 1 (tags)' },
        retryable: false,
      });
      const reply = await retry(job?.id ?? '');
      expect([reply.status, reply.body.changed]).to.deep.equal([200, false]);
      expect((await site.boss.get(`/audit?target=${String(job?.id)}`)).body.entries).to.deep.equal([]);
    });

    it('are in the state that their row says', async () => {
      const item = await newItem('mail', 'Help');
      await site.world.sql('delete from staged_jobs');
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
      const rows = await site.world.sql<{ id: string; tries: number }>(
        'select id, tries from staged_jobs where id = any($1)',
        [[ids['delayed'], ids['failed']]],
      );
      expect(rows.find(({ id }) => id === ids['delayed'])?.tries).to.equal(3);
    });

    it('are paged both ways, each once, also where few are in the state asked for', async () => {
      await site.world.sql(
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
        actionRun: { queued: 3493, running: 7 },
        bulkChunk: { queued: 3500 },
      });
    });

    it('are those of one environment, found by no other', async () => {
      const here = await stage({});
      const [staging] = await site.world.sql<{ id: number }>(`select id from environments where name = 'staging'`);
      const there = await stage({ env: staging?.id, due_at: null, last_error: 'x' });
      expect((await list()).map(({ id }) => id)).to.deep.equal([here]);
      expect(await list(`?about=${there}`)).to.deep.equal([]);
      expect((await retry(there)).status).to.equal(404);
      const other = site.world.elsewhere(site.boss, 'staging');
      expect((await list('', other)).map(({ id }) => id)).to.deep.equal([there]);
    });

    it('say nothing of what the role does not see, nor are they found by its id', async () => {
      await site.world.role('manager', [{ on: 'settings', can: ['manage'] }]);
      const manager = await site.world.person('manager', 'Manager');
      const item = await newItem('secret', 'A hidden title');
      await site.world.sql('delete from staged_jobs');
      const id = await stage({ subject: item, due_at: null, last_error: 'The app said: a hidden title' });
      expect((await list(`?about=${item}`)).map(({ error }) => error)).to.deep.equal(['The app said: a hidden title']);
      const [job] = await list('', manager);
      expect(job).to.deep.include({ id, about: null, error: null, retryable: true });
      expect((await read('', manager)).text)
        .not.to.include('hidden')
        .and.not.to.include(item);
      expect(await list(`?about=${item}`, manager)).to.deep.equal([]);
      expect((await manager.post(`/settings/jobs/${id}/retry`)).status).to.equal(200);
      await site.world.role('auditor', [{ on: 'audit', can: ['see'] }]);
      const auditor = await site.world.agent('auditor');
      expect((await auditor.get(`/audit?target=${id}`)).body.entries).to.deep.equal([]);
      expect((await site.boss.get(`/audit?target=${id}`)).body.entries).to.have.length(1);
    });

    it('are not sent again when what they were to say was erased', async () => {
      const item = await newItem('mail', 'Help');
      const entry = 'ent_01jd0000000000000000000000';
      await site.world.sql(
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

    describe('by selection', () => {
      const select = (change: 'retry' | 'discard', body: object, client = site.boss): Promise<Reply> =>
        client.post('/settings/jobs', { change, ...body });
      const given = (columns: Readonly<Record<string, unknown>>): Promise<string> =>
        stage({ due_at: null, last_error: 'Error: out of credit', ...columns });
      const stateOf = async (id: string): Promise<string | undefined> => (await list(`?about=${id}`))[0]?.state;
      beforeEach(() => site.world.sql('delete from staged_jobs'));

      it('are retried by kind, error and time, and no others', async () => {
        const fits = await given({ given_up_at: 5_000 });
        const others = [
          await given({ given_up_at: 5_000, last_error: 'Error: other' }),
          await given({ given_up_at: 5_000, name: 'actionRun' }),
          await given({ given_up_at: 4_999 }),
          await given({ given_up_at: 6_000 }),
        ];
        const waits = await stage({ last_error: 'Error: out of credit' });
        const selection = { kind: 'triageItem', error: 'OUT OF credit', since: 5_000, until: 6_000 };
        const query = '?state=failed&kind=triageItem&error=OUT%20OF%20credit&since=5000&until=6000';
        const counted = await select('retry', { ...selection, dryRun: true });
        expect(await list(query), 'as none is seen').to.deep.equal([]);
        // They are about nothing that anybody sees.
        expect(counted.body).to.deep.equal({ changed: 0, left: false });
        const item = await newItem('mail', 'Seen');
        await site.world.sql('delete from staged_jobs where subject = $1', [item]);
        await site.world.sql('update staged_jobs set subject = $1', [item]);
        expect((await select('retry', { ...selection, dryRun: true })).body.changed).to.equal(1);
        expect(await stateOf(fits)).to.equal('failed');
        expect((await list(query)).map(({ id }) => id)).to.deep.equal([fits]);
        expect((await list('?since=5000&until=6000')).map(({ id }) => id)).to.have.members([
          fits,
          ...others.slice(0, 2),
        ]);
        expect((await list('?error=of%20credit&state=delayed')).map(({ id }) => id)).to.deep.equal([waits]);
        expect(await list('?since=5000&state=delayed')).to.deep.equal([]);
        const done = await select('retry', { ...selection, reason: 'It has credit again.' });
        expect([done.status, done.body]).to.deep.equal([200, { changed: 1, left: false }]);
        expect(await stateOf(fits)).to.not.equal('failed');
        for (const other of others) expect(await stateOf(other)).to.equal('failed');
        expect(await stateOf(waits)).to.equal('delayed');
        const auditor = await site.world.person('admin', 'Auditor');
        const { entries } = (await auditor.get('/audit?verb=job.retry&limit=1')).body as {
          entries: { after: object; reason: string }[];
        };
        expect(entries[0]?.after).to.deep.equal({ ...selection, count: 1 });
        expect(entries[0]?.reason).to.equal('It has credit again.');
      });

      it('are changed ten thousand at a call, and counted beyond a thousand', async () => {
        await site.world.sql(
          `insert into staged_jobs (id, env, name, payload, last_error, created_at, given_up_at)
           select 'job_' || lpad(n::text, 26, '0'), 1, case when n > 12000 then 'actionRun' else 'triageItem' end, '{}', 'Error: x', n, n from generate_series(1, 12010) n`,
        );
        expect((await read('?limit=1')).body.counts).to.deep.equal({
          triageItem: { failed: 12_000 },
          actionRun: { failed: 10 },
        });
        expect((await select('discard', { dryRun: true })).body).to.deep.equal({ changed: 10_000, left: true });
        expect((await select('discard', {})).body).to.deep.equal({ changed: 10_000, left: true });
        expect((await select('discard', {})).body).to.deep.equal({ changed: 2_000, left: false });
        expect((await read('?limit=1')).body.counts, 'runs are cancelled instead').to.deep.equal({
          actionRun: { failed: 10 },
        });
        expect((await select('discard', { kind: 'actionRun' })).status).to.equal(400);
      });

      it('are listed by error and time in pages, each once, and none is shorter for what is hidden', async () => {
        const [seen, hidden] = [await newItem('mail', 'Seen'), await newItem('secret', 'Hidden')];
        const manager = await site.world.person('manager', 'Manager of mail');
        await site.world.sql('delete from staged_jobs');
        await site.world.sql(
          `insert into staged_jobs (id, env, name, payload, subject, last_error, created_at, given_up_at)
           select 'job_' || lpad(n::text, 26, '0'), 1, 'triageItem', '{}', case when n % 2 = 0 then $1 else $2 end,
             case when n % 4 < 2 then 'Error: out of credit' else 'Error: other' end, n, n from generate_series(1, 4000) n`,
          [seen, hidden],
        );
        const walk = async (query: string, client: Client): Promise<{ ids: number[]; pages: number[] }> => {
          const found: { ids: number[]; pages: number[] } = { ids: [], pages: [] };
          for (let cursor = ''; ;) {
            const { body } = await read(`?limit=100&${query}${cursor === '' ? '' : `&cursor=${cursor}`}`, client);
            const jobs = body.jobs as Job[];
            found.ids.push(...jobs.map(({ id }) => Number(id.slice(4))));
            found.pages.push(jobs.length);
            if (body.cursor === null) return found;
            cursor = body.cursor as string;
          }
        };
        const all = await walk('error=CREDIT&since=1001&until=3001', site.boss);
        expect(all.ids).to.deep.equal(
          Array.from({ length: 4000 }, (_, at) => at + 1).filter((n) => n % 4 < 2 && n > 1000 && n <= 3000),
        );
        expect((await walk('error=CREDIT&sort=-createdAt', site.boss)).ids).to.have.length(2000);
        // The role sees nothing of either inbox: its pages end where those of a text end that no error has.
        const [nothing, none] = [await walk('error=credit', manager), await walk('error=nowhere', manager)];
        expect(nothing.ids).to.deep.equal([]);
        expect(nothing.pages).to.deep.equal(none.pages);
      });

      it('neither find by its error what the role does not see, nor send what was erased', async () => {
        const manager = await site.world.person('manager', 'Manager of nothing');
        const item = await newItem('secret', 'Hidden');
        await site.world.sql('delete from staged_jobs');
        await given({ subject: item });
        expect((await select('retry', { error: 'credit', dryRun: true }, manager)).body.changed).to.equal(0);
        expect((await select('retry', { error: 'credit', dryRun: true })).body.changed).to.equal(1);
        expect((await select('retry', { dryRun: true }, manager)).body.changed).to.equal(1);
        await site.world.sql('delete from staged_jobs');
        const mail = await newItem('mail', 'Help');
        const entry = 'ent_01jd0000000000000000000001';
        await site.world.sql(
          `insert into events (env, at, actor_type, actor_name, inbox, item, entry, type, data) values (1, 1, 'system', 'x', 'mail', $1, $2, 'reply', '{"text": "", "erased": true}')`,
          [mail, entry],
        );
        await given({ name: 'replySend', subject: mail, payload: { item: mail, entry, dueAt: null } });
        expect((await select('retry', {})).body.changed).to.equal(0);
        expect((await select('discard', {})).body.changed).to.equal(1);
      });
    });

    it('are for people who manage settings', async () => {
      const id = await stage({ due_at: null, last_error: 'x' });
      const supervised = await site.world.agent('admin', { mode: 'supervised' });
      for (const client of [supervised, await site.world.agent('admin')]) {
        expect((await read('', client)).body.code).to.equal('person_required');
        expect((await client.post(`/settings/jobs/${id}/retry`)).body.code).to.equal('person_required');
      }
      const operator = await site.world.person('operator');
      expect((await read('', operator)).body.code).to.equal('forbidden');
      expect((await operator.post(`/settings/jobs/${id}/retry`)).body.code).to.equal('forbidden');
      for (const query of ['?state=nosuch', '?kind=nosuch', '?sort=dueAt', '?about='])
        expect((await read(query)).status, query).to.equal(400);
    });
  });
});
