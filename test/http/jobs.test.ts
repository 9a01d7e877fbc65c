/** Background jobs as managers see them while the workers are at work: what waits and why, and what is tried now. */
import { expect } from 'chai';
import { connectApp, rpcError } from '../support/app.ts';
import type { Reply } from '../support/http.ts';
import { until } from '../support/until.ts';
import { manifest, useJobs } from './jobsWorld.ts';

describe('background jobs for people', () => {
  describe('whose faults are real', () => {
    const site = useJobs();
    const { read, list, retry, newItem } = site;

    before(() =>
      site.world.records('customer', [
        { id: 'c1', title: 'One' },
        { id: 'c2', title: 'Two' },
      ]),
    );

    it('say of a run that the app has, and has no job, what it waits for and until when', async () => {
      let answer: (result: null) => void = () => undefined;
      let begin = (): void => undefined;
      const asked = new Promise<void>((resolve) => (begin = resolve));
      const hang = (): Promise<null> => {
        begin();
        return new Promise((end) => (answer = end));
      };
      const app = await connectApp(await site.world.appKey(), { manifest, handlers: { 'action.run': hang } });
      const { run } = (await site.boss.post('/actions', { action: 'hang', record: 'c2' })).body as { run: string };
      await asked;
      const whyOf = async (query: string, client = site.boss): Promise<string | null> =>
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
      await site.world.role('jobs only', [{ on: 'settings', can: ['manage'] }]);
      const stranger = await site.world.person('jobs only', 'Stranger');
      expect(await whyOf(`?about=${run}`, stranger), 'whoever sees no such run').to.equal(null);

      // Its time is up: the sweep of runs waits for a late answer.
      await site.world.sql('update runs set handed_at = handed_at - 60000 where id = $1', [run]);
      await until('it is late', async () => (await whyOf(`?about=${run}`))?.startsWith('The app had it, and'));
      answer(null);
      await until('it has ended', async () => (await whyOf(`?about=${run}`)) === 'It has ended: succeeded.');
      const { run: pending, approval } = (await site.boss.post('/actions', { action: 'ask', record: 'c2' })).body;
      expect(await whyOf(`?about=${String(pending)}`)).to.equal(`A person has to decide ${String(approval)}.`);
      await app.close();
    });

    it('say that the app is offline, and behind which run of its record another waits', async () => {
      const runs: string[] = [];
      for (let n = 0; n < 3; n += 1)
        runs.push((await site.boss.post('/actions', { action: 'renew', record: 'c1' })).body.run as string);
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
      const app = await connectApp(await site.world.appKey(), { manifest, handlers: { 'action.run': () => null } });
      await until('the app has done all', async () => (await list()).length === 0);
      await app.close();
    });

    it('say why one was given up, and do it when it is retried, once and on record', async () => {
      let answer = (): unknown => {
        throw rpcError(-32_001, 'The model is out of credit.', { retryable: false });
      };
      const app = await connectApp(await site.world.appKey(), {
        manifest,
        handlers: { 'triage.answer': () => answer() },
      });
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
      expect((await site.boss.get(`/items/${item}`)).body.triage.answers[0].answer).to.equal('delivery');
      const replayed = await retry(failed.id, { reason }, headers);
      expect([replayed.text, replayed.headers.get('idempotent-replayed')]).to.deep.equal([done.text, 'true']);
      expect((await retry(failed.id)).status).to.equal(404);
      const { entries } = (await site.boss.get(`/audit?target=${failed.id}`)).body;
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
      const reply = await site.boss.post('/flags/new_checkout', { change: { ramp } });
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
      await site.boss.post('/flags/new_checkout', { change: { ramp: null } });
    });

    it('have an erasure look again at once for what it waits for', async () => {
      await site.boss.post('/actions', { action: 'renew', record: 'c1' });
      await site.boss.post('/settings/erasures', { record: { resource: 'customer', id: 'c1' }, confirmed: true });
      const job = await until('it waits', async () =>
        (await list('?kind=erase')).find(({ state, why }) => state === 'delayed' && why.includes('1 run')),
      );
      expect(job.about).to.deep.include({ type: 'erasure', sentence: 'The erasure of customer c1' });
      expect((await retry(job.id)).body.changed).to.equal(true);
    });
  });
});
