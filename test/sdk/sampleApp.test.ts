/** The sample app, built with the SDK alone, in a whole service: what its actions do, what it serves, how it comes back. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import demoManifest from '../../shared/tools/demo/manifest.json' with { type: 'json' };
import { openSample, type Sample } from '../sample-app/sample.ts';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'console-sample-'));
  folders.push(folder);
  return folder;
};
const lines = (dir: string, file = 'log.jsonl'): Record<string, unknown>[] =>
  readFileSync(join(dir, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the sample app', () => {
  let world: World;
  let sample: Sample;
  let operator: Client;
  let dir: string;
  let key: Client;
  const problems: string[] = [];
  const open = (folder: string): Promise<Sample> =>
    openSample({
      url: key.base,
      key: key.token,
      dir: folder,
      stepMs: 5,
      startedAt: Date.now(),
      onError: ({ kind, message }) => void problems.push(`${kind}: ${message}`),
    });

  before(async () => {
    world = await newWorld({ manifest: demoManifest });
    operator = await world.agent('operator');
    key = await world.appKey();
    dir = newFolder();
    sample = await open(dir);
    await sample.goOnline();
    await until('its records are there', async () => (await world.sql(`select from records`)).length === 5_000, 30_000);
  });
  after(async () => {
    await sample.stop();
    await world.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    expect(problems).to.deep.equal([]);
  });

  const order = (status: string): string => {
    const found = sample.shop.all('order').find(({ fields }) => fields['status'] === status);
    if (found === undefined) throw new Error(`No order is ${status}.`);
    return found.id;
  };
  const customer = (status: string): string =>
    sample.shop.all('customer').find(({ fields }) => fields['status'] === status)?.id ?? '';

  it('takes an address where it asks for one', async () => {
    for (const email of ['not an address', 'ana@', '@example.com']) {
      const { status, body } = await operator.post('/actions', {
        action: 'resend_receipt',
        record: order('paid'),
        input: { email },
      });
      expect([status, body.details?.[0]?.path], email).to.deep.equal([400, 'input.email']);
    }
  });

  it('runs a plain action, and has it in its log before it answers', async () => {
    const record = order('paid');
    const { status, body } = await operator.post('/actions', {
      action: 'resend_receipt',
      record,
      input: { email: 'ana@example.com' },
    });
    expect([status, body.message]).to.deep.equal([
      200,
      `Sent the receipt of Order NW-${record.slice(4)} to ana@example.com.`,
    ]);
    expect(
      lines(dir)
        .filter(({ run }) => run === body.run)
        .map(({ kind }) => kind)[0],
    ).to.equal('effect');
  });

  it('pushes what an action changed of a stored record', async () => {
    const id = customer('active');
    const { status, body } = await operator.post('/actions', {
      action: 'issue_credit',
      record: id,
      input: { amount: 12, reason: 'Sorry' },
      confirmed: true,
    });
    expect([status, body.error]).to.deep.equal([200, undefined]);
    const shown = await operator.get(`/resources/customer/${id}`);
    expect(shown.body.record.fields.credit).to.equal(12);
    expect(JSON.stringify(shown.body.blocks)).to.include('Standing');
  });

  it('refuses in its own words', async () => {
    const declined = sample.shop
      .all('payment')
      .find(({ id, fields }) => fields['status'] === 'failed' && Number(id.slice(4)) % 3 === 0);
    const { status, body } = await operator.post('/actions', {
      action: 'retry_payment',
      record: declined?.id,
      input: {},
      confirmed: true,
    });
    expect([status, body.code, body.error]).to.deep.equal([422, 'action_failed', 'The card was declined.']);
  });

  it('runs background actions to their end', async () => {
    const { status, body } = await operator.post('/actions', {
      action: 'reindex_search',
      input: { region: 'us-east' },
    });
    expect([status, body.running]).to.deep.equal([202, true]);
    const run = await until('the run has ended', async () => {
      const shown = (await operator.get(`/runs/${String(body.run)}`)).body.run;
      return shown.status === 'succeeded' && shown;
    });
    expect(run.message).to.equal('The index of us-east is new.');
    expect(run.progress).to.equal(1);
  });

  it('serves its own records: one, a search, filtered pages, related ones', async () => {
    const payment = sample.shop.all('payment')[5];
    expect((await operator.get(`/resources/payment/${payment?.id ?? ''}`)).body.record).to.deep.include({
      id: payment?.id,
      title: payment?.title,
    });
    expect((await operator.get(`/resources/payment?q=${payment?.id ?? ''}`)).body.records[0].id).to.equal(payment?.id);
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = (
        await operator.get(
          `/resources/payment/list?filters=${encodeURIComponent('{"status":"failed"}')}&limit=60${cursor}`,
        )
      ).body;
      seen.push(...(page.records as { id: string }[]).map(({ id }) => id));
      cursor = page.cursor === null ? '' : `&cursor=${encodeURIComponent(page.cursor as string)}`;
    } while (cursor !== '');
    const failed = sample.shop
      .all('payment')
      .filter(({ fields }) => fields['status'] === 'failed')
      .map(({ id }) => id);
    expect(seen.sort()).to.deep.equal(failed.sort());
    const paying = String(payment?.fields['customer']);
    const related = await operator.get(`/resources/customer/${paying}/related/payments`);
    expect(related.body.records.map(({ id }: { id: string }) => id)).to.include(payment?.id);
  });

  it('fills its pages, all blocks of them', async () => {
    // Plans that were made while the tables were empty may take the wrong index until the workers have them analyzed.
    await until('the records are analyzed', async () => {
      const [row] = await world.sql<{ analyzed: boolean }>(
        `select bool_and(coalesce(last_analyze, last_autoanalyze) is not null) as analyzed
         from pg_stat_user_tables where relname in ('records', 'record_keys')`,
      );
      return row?.analyzed === true;
    });
    for (const path of [
      'overview',
      'reliability',
      `customer?params=${encodeURIComponent(JSON.stringify({ customer: customer('active') }))}`,
    ]) {
      const { status, body } = await operator.get(`/pages/${path}`);
      expect(status, path).to.equal(200);
      expect(
        (body.blocks as { type: string }[]).filter(({ type }) => type === 'error'),
        path,
      ).to.deep.equal([]);
    }
  });

  it('triages, and sends replies into its outbox once', async () => {
    const { body } = await operator.post('/items', {
      inbox: 'support',
      title: 'The dashboard is down',
      data: { email: 'kim@example.com' },
    });
    const item = await until('triage has answered', async () => {
      const shown = (await operator.get(`/items/${String(body.item.id)}`)).body;
      return shown.triage !== null && shown;
    });
    expect(item.item.tags).to.deep.equal(['outage']);
    const reply = await operator.post(`/items/${String(body.item.id)}/reply`, { subject: 'Up again', text: 'It is.' });
    await until('it is sent', async () =>
      (await operator.get(`/items/${String(body.item.id)}/timeline`)).body.entries.some(
        (entry: { id: string; data: { status: string } }) =>
          entry.id === reply.body.entry.id && entry.data.status === 'sent',
      ),
    );
    expect(lines(dir, 'outbox.jsonl').filter((mail) => mail['item'] === body.item.id)).to.have.length(1);
  });

  it('queues while it is offline, and does each run once when it is back', async () => {
    await sample.goOffline();
    await until('offline', async () => (await operator.get('/resources/payment/pay_18001')).status === 503);
    const queued = await Promise.all(
      ['a', 'b', 'c'].map((who) =>
        operator.post('/actions', { action: 'send_digest', input: { to: `${who}@example.com` } }),
      ),
    );
    expect(queued.map(({ status, body }) => [status, body.queued])).to.deep.equal([
      [202, true],
      [202, true],
      [202, true],
    ]);
    expect(
      (await operator.post('/actions', { action: 'retry_payment', record: 'pay_18001', input: {}, confirmed: true }))
        .status,
    ).to.equal(503);
    await sample.goOnline();
    for (const { body } of queued) {
      await until(
        'it has run',
        async () => (await operator.get(`/runs/${String(body.run)}`)).body.run.status === 'succeeded',
      );
      expect(lines(dir).filter(({ run, kind }) => run === body.run && kind === 'effect')).to.have.length(1);
    }
  });
});
