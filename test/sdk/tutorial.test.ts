/** The first app of docs/customers-app.md, word for word, in a project of its own with the packed SDK: it type-checks, runs, and does what the page describes. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { runAdmin } from '../../shared/tools/cli/run.ts';
import { clientOf, type Client } from '../support/http.ts';
import { installSdk } from '../support/sdkPackage.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/customers-app.md'), 'utf8');
const code = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
/** The words of the only command of the page that begins so. */
const command = (start: string): string[] =>
  page
    .split('\n')
    .find((line) => line.startsWith(start))
    ?.split(' ') ?? [];

const execute = promisify(execFile);

describe('the tutorial for authors of an app', () => {
  let world: World;
  let folder: string;
  let child: ChildProcess;
  let output = '';
  let agent: Client;

  const admin = async (...args: string[]): Promise<{ token: string; baseUrl: string }> => {
    const { exitCode, text } = await runAdmin([...args, '--json'], {
      readConfig: () => world.config,
      readInput: () => Promise.resolve(''),
    });
    expect(exitCode, text).to.equal(0);
    return JSON.parse(text) as { token: string; baseUrl: string };
  };
  const onServer = (url: string): string => `http://127.0.0.1:${String(world.port)}${new URL(url).pathname}`;
  const start = (baseUrl: string, key: string): ChildProcess => {
    const [tsx = '', file = ''] = command('BASE_URL=').slice(-2);
    expect(tsx).to.equal('tsx');
    // `npx tsx` is a process between, which can't be killed as the app is.
    const started = spawn(process.execPath, ['--import', tsx, file], {
      cwd: folder,
      env: { ...process.env, BASE_URL: baseUrl, APP_KEY: key },
    });
    for (const stream of [started.stdout, started.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => void (output += piece));
    return started;
  };
  let restart: () => ChildProcess;

  before(async () => {
    world = await newWorld({ manifest: {} });
    folder = mkdtempSync(join(tmpdir(), 'console-tutorial-'));
    await execute('npm', ['init', '-y'], { cwd: folder });
    await installSdk(folder, `${new URL(world.base).origin}/sdk.tgz`);
    writeFileSync(join(folder, 'clinic.mts'), code);
    for (const line of page.matchAll(
      /^npm run -s admin -- (environment create .*|app-key create .*|agent create .*)$/gm,
    )) {
      const made = await admin(...(line[1] ?? '').split(' '));
      if (line[1]?.startsWith('app-key') === true) restart = () => start(onServer(made.baseUrl), made.token);
      if (line[1]?.startsWith('agent') === true) agent = clientOf(onServer(made.baseUrl), made.token, 'clinic-bot');
    }
    child = restart();
    await until('it is online', () => output.includes('online in clinic'), 30_000);
  });
  after(async () => {
    child.kill();
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('installs the package that the service serves, and nothing from a registry by the name of the SDK', () => {
    expect(command('npm install http').join(' ')).to.equal('npm install http://127.0.0.1:3000/sdk.tgz');
    expect(page).not.to.match(/(?:npm (?:install|i|add)|npx) @console-api/);
  });

  it('type-checks by the command of the page', async () => {
    const [npx, tsc = '', ...args] = command('npx tsc');
    expect([npx, tsc]).to.deep.equal(['npx', 'tsc']);
    await execute(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), ...args], { cwd: folder });
  });

  it('is an app of 30 lines', () => {
    expect(code.trim().split('\n').length).to.be.at.most(30);
  });

  it('shows its item and its record', async () => {
    const item = await until(
      'its item',
      async () => (await agent.get('/items')).body.items[0] as { title: string; record: { title: string } } | undefined,
    );
    expect(item.title).to.equal('Can we come earlier?');
    expect(item.record.title).to.equal('Rex, Tuesday 9:00');
    expect((await agent.get('/resources/visit/v1')).body.record.fields.status).to.equal('booked');
  });

  it('runs its action, and refuses a wrong input before the app is asked', async () => {
    expect(
      (await agent.post('/actions', { action: 'cancel_visit', record: 'v1', input: { why: 'snow' }, confirmed: true }))
        .status,
    ).to.equal(400);
    const { status, body } = await agent.post('/actions', {
      action: 'cancel_visit',
      record: 'v1',
      input: { reason: 'snow' },
      confirmed: true,
    });
    expect([status, body.message]).to.deep.equal([200, 'Cancelled Rex, Tuesday 9:00: snow.']);
    expect((await agent.get('/resources/visit/v1')).body.record.fields.status).to.equal('cancelled');
  });

  it('sends its replies', async () => {
    const [item] = (await agent.get('/items')).body.items as { id: string }[];
    expect((await agent.post(`/items/${item?.id ?? ''}/reply`, { subject: 'Re', text: 'At eight.' })).status).to.equal(
      202,
    );
    await until('the reply', () => output.includes('to kim@example.com: At eight.'));
  });

  it('queues its action while it is stopped, and runs it when it is back', async () => {
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
    const { body } = await until('it is offline', async () => {
      const answer = await agent.post('/actions', {
        action: 'cancel_visit',
        record: 'v1',
        input: { reason: 'ice' },
        confirmed: true,
      });
      return answer.body.queued === true && answer;
    });
    child = restart();
    const run = await until(
      'it has run',
      async () => {
        const shown = (await agent.get(`/runs/${String(body.run)}`)).body.run as { status: string; message: string };
        return shown.status === 'succeeded' && shown;
      },
      30_000,
    );
    expect(run.message).to.equal('Cancelled Rex, Tuesday 9:00: ice.');
  });
});
