/** An app without the SDK: test/examples/app.py, in Python and with its standard library alone, after docs/protocol.md. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Client } from '../support/http.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const folder = fileURLToPath(new URL('../examples/', import.meta.url));

/** Serves searches wrongly. */
const faulty = `
import os, app
app.HANDLERS["records.search"] = lambda params: {"records": [{"id": "p"}]}
app.App(app.MANIFEST, app.HANDLERS).stay_connected(os.environ["BASE_URL"], os.environ["APP_KEY"])`;

describe('an app in Python', function () {
  let world: World;
  let agent: Client;
  let key: Client;
  let child: ChildProcess;
  let output = '';

  const start = (...args: string[]): void => {
    output = '';
    child = spawn('python3', args, {
      cwd: folder,
      env: { ...process.env, BASE_URL: key.base, APP_KEY: key.token, PYTHONDONTWRITEBYTECODE: '1' },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (piece: string) => void (output += piece));
  };
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  const online = (): Promise<unknown> => until('it is online', () => output.includes('online in demo'), 20_000);

  before(async function () {
    // A machine without Python has nothing to try it with.
    if (spawnSync('python3', ['--version']).status !== 0) this.skip();
    world = await newWorld({ manifest: {} });
    key = await world.appKey();
    agent = await world.agent('admin');
    start('app.py');
    await online();
  });
  after(async () => {
    if (world === undefined) return;
    await stop();
    await world.close();
  });

  it('serves both actions, with what they refuse', async () => {
    const greeted = await agent.post('/actions', { action: 'greet', input: { name: 'Kim ☃' } });
    expect([greeted.status, greeted.body.message]).to.deep.equal([200, 'Hello, Kim ☃.']);
    const long = { name: 'x'.repeat(101) };
    expect((await agent.post('/actions', { action: 'greet', input: long })).status).to.equal(400);
    const back = (record: string) => agent.post('/actions', { action: 'return_parcel', record, confirmed: true });
    const returned = await back('parcel-2');
    expect([returned.body.message, returned.body.blocks[0].value]).to.deep.equal(['Parcel 2 comes back.', 200]);
    const failed = await back('parcel-4');
    expect([failed.status, failed.body.error]).to.deep.equal([422, 'Parcel 4 has left the country.']);
  });

  it('serves its records, by pages, filters and order', async () => {
    const ids = (body: { records: { id: string }[] }): string[] => body.records.map(({ id }) => id);
    const path = '/resources/parcel/list?sort=-weight&limit=3';
    const first = await agent.get(path);
    expect(ids(first.body)).to.deep.equal(['parcel-4', 'parcel-3', 'parcel-2']);
    const second = await agent.get(`${path}&cursor=${encodeURIComponent(String(first.body.cursor))}`);
    expect([ids(second.body), second.body.cursor]).to.deep.equal([['parcel-1'], null]);
    const filters = encodeURIComponent('{"city":"Berlin"}');
    expect(ids((await agent.get(`/resources/parcel/list?filters=${filters}`)).body)).to.have.length(2);
    expect(ids((await agent.get('/resources/parcel?q=parcel 4')).body)).to.deep.equal(['parcel-4']);
    expect((await agent.get('/resources/parcel/parcel-1')).body.record.fields.city).to.equal('Berlin');
    expect((await agent.get('/resources/parcel/parcel-9')).status).to.equal(404);
  });

  it('comes back by itself, and does what waited for it', async () => {
    await stop();
    const { body } = await until('it is offline', async () => {
      const answer = await agent.post('/actions', { action: 'greet', input: { name: 'Kim' } });
      return answer.body.queued === true && answer;
    });
    start('app.py');
    const run = await until('it has run', async () => {
      const shown = (await agent.get(`/runs/${String(body.run)}`)).body.run as { status: string; message: string };
      return shown.status === 'succeeded' && shown;
    });
    expect(run.message).to.equal('Hello, Kim.');
  });

  it('is told what was wrong with its answer', async () => {
    await stop();
    start('-c', faulty);
    await online();
    const found = await until('it answers', async () => {
      const answer = await agent.get('/resources/parcel?q=x');
      return answer.status !== 503 && answer;
    });
    expect([found.status, found.body.code]).to.deep.equal([502, 'app_error']);
    const line = await until('it is told', () => /^problem (.*)$/m.exec(output)?.[1]);
    const { method, problems } = JSON.parse(line) as { method: string; problems: { path: string }[] };
    expect([method, problems.map(({ path }) => path)]).to.deep.equal(['records.search', ['records.0.title']]);
  });
});
