/** `console-sdk`: `new` writes an app that passes its own test and runs; `check` compares it with what an environment has. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { connectApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { installSdk, installStarter } from '../support/sdkPackage.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

describe('sdk: the command', () => {
  let world: World;
  let key: Client;
  let agent: Client;
  let folder: string;
  let starter: string;
  let app: ChildProcess | undefined;

  interface Ended {
    readonly code: number;
    readonly output: string;
  }
  const run = (file: string, args: readonly string[], cwd = folder, env: NodeJS.ProcessEnv = {}): Promise<Ended> =>
    new Promise((resolve) => {
      const { BASE_URL: _url, APP_KEY: _key, ...others } = process.env;
      execFile(file, args, { cwd, env: { ...others, ...env } }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
      });
    });
  const command = (...args: string[]): Promise<Ended> =>
    run(process.execPath, [join(folder, 'node_modules/@console-api/sdk/cli.js'), ...args]);
  const online = (): string[] => ['--url', key.base, '--key', key.token];

  before(async () => {
    world = await newWorld({ manifest: {} });
    key = await world.appKey();
    agent = await world.agent('admin');
    folder = mkdtempSync(join(tmpdir(), 'console-command-'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }');
    await installSdk(folder);
    starter = join(folder, 'starter');
  });
  after(async () => {
    app?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    await world.close();
  });

  const declare = (file: string, manifest: unknown): string => {
    writeFileSync(join(folder, file), typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
    return file;
  };

  it('checks a manifest and a module offline, and names every problem', async () => {
    const wrong = declare('wrong.json', {
      actions: [{ name: 'a', resource: 'b', danger: 'some' }],
      views: [{ name: '1' }],
    });
    const refused = await command('check', wrong);
    expect(refused.code).to.equal(1);
    for (const path of ['actions.0.danger', 'views.0.name']) expect(refused.output).to.include(path);
    const malformed = {
      resources: [{ name: 'r', source: 'stored', fields: { status: {} } }],
      pages: [{ name: 'p', blocks: {} }],
    };
    const named = await command('check', declare('malformed.json', malformed));
    expect(named.code, named.output).to.equal(1);
    for (const path of ['resources.0.fields', 'pages.0.blocks']) expect(named.output).to.include(path);
    expect(await command('check', declare('good.json', {}))).to.deep.equal({ code: 0, output: 'good.json: valid\n' });
    const source = `import { defineApp } from '@console-api/sdk';\nexport const app = defineApp({ actions: { ping: { run: (): string => 'x' } } });`;
    expect((await command('check', declare('src/app.ts', source))).output).to.equal('src/app.ts: valid\n');
    const plain = `import { defineApp } from '@console-api/sdk';\nexport const app = defineApp({ views: { v: null }, actions: { a: null, b: { name: 'c', run: () => 'x' } }, pages: { p: { blocks: { a: 1 } } } });`;
    const odd = await command('check', declare('odd.mjs', plain));
    expect(odd.code, odd.output).to.equal(1);
    for (const path of ['views.0', 'actions.0', 'pages.0.blocks']) expect(odd.output).to.include(path);
    expect(odd.output, 'the key is the name').not.to.include('actions.1');
    const none = await command('check', declare('none.mjs', 'export const a = 1;'));
    expect([none.code, none.output]).to.deep.equal([
      2,
      'none.mjs has to export or connect one app of defineApp; it exports none.\n',
    ]);
  });

  it('names the handlers that an app lacks, and says why a module that makes an app has none', async () => {
    const source = (code: string): string => `import { defineApp } from '@console-api/sdk'; ${code}`;
    const app = `defineApp({ actions: { ping: {} } })`;
    expect(await command('check', declare('lacking.mjs', source(`export const app = ${app};`)))).to.deep.equal({
      code: 1,
      output:
        '  action ping (actions.0.run): must be a function: it does what the action says\nlacking.mjs: 1 problem\n',
    });
    const made = await command('check', declare('makes.mjs', source(`export const makeApp = () => ${app};`)));
    expect(made.code).to.equal(2);
    expect(made.output).to.include('check the module that calls the one that makes the app');
  });

  it('warns of names that lead nowhere, by the name of what has them, and fails for them when that is wanted', async () => {
    const manifest = {
      resources: [{ name: 'order', source: 'stored', fields: [{ name: 'status' }] }],
      inboxes: [{ name: 'support', suggest: [{ action: 'refnd' }] }],
      actions: [
        { name: 'refund', resource: 'order', when: { field: 'record.fields.stauts', op: 'eq', value: 'paid' } },
      ],
    };
    const warning =
      '  warning: action refund (actions.0.when.field): names record.fields.stauts, which is not declared; did you mean record.fields.status?\n';
    expect(await command('check', declare('refused.json', manifest))).to.deep.equal({
      code: 1,
      output: `  inbox support (inboxes.0.suggest.0.action): names the action refnd, which is not declared; did you mean refund?\n${warning}refused.json: 1 problem, 1 warning\n`,
    });
    const closed = { type: 'object', additionalProperties: false, properties: {} };
    const doubled = { actions: [{ name: 'ping', input: closed, defaults: { to: 'x' } }] };
    expect((await command('check', declare('once.json', doubled))).output, 'said once').to.equal(
      '  action ping (actions.0.defaults.to): is not a member of the action’s input\nonce.json: 1 problem\n',
    );
    const file = declare('warned.json', { ...manifest, inboxes: [] });
    const output = `${warning}warned.json: valid, 1 warning\n`;
    expect(await command('check', file, '--strict')).to.deep.equal({ code: 1, output });
    const taken = await command('check', file, ...online());
    expect([taken.code, taken.output.startsWith(output)], taken.output).to.deep.equal([0, true]);
    expect(taken.output).to.match(/added +action refund/);
  });

  it('connects nobody when it checks a module that connects, and ends although that waits for the connection', async () => {
    const source = `
      import { connect, defineApp } from '@console-api/sdk';
      const app = defineApp({ resources: { place: { source: 'stored' } }, actions: { ping: { run: () => 'x' } } });
      const client = connect({ app, url: ${JSON.stringify(key.base)}, key: ${JSON.stringify(key.token)} });
      await client.putRecords('place', [{ id: 'p1', title: 'Harbour' }]);
      setInterval(() => undefined, 1000);`;
    expect(await command('check', declare('connects.mjs', source))).to.deep.equal({
      code: 0,
      output: 'connects.mjs: valid\n',
    });
    expect(await world.sql('select 1 from app_connections union all select 1 from records')).to.deep.equal([]);
    expect((await command('check', 'connects.mjs', ...online())).output).to.match(/added +action ping/);
  });

  it('says what it can not do, and how it is used', async () => {
    expect((await command('check', 'good.json', '--fail-on', 'colour')).output).to.include(
      'added, changed, retired, loosened, breaking',
    );
    expect((await command('check', 'good.json', '--fail-on', 'added')).code).to.equal(2);
    expect((await command('paint', 'x')).code).to.equal(2);
    expect((await command('--help')).output).to.include('npx console-sdk check <file>');
    const revoked = await command('check', 'good.json', '--url', key.base, '--key', 'capp_wrong');
    expect([revoked.code, revoked.output.includes('401')]).to.deep.equal([2, true]);
  });

  it('says what registering would change, changes nothing, and fails when that is wanted', async () => {
    const states = [
      { name: 'open', kind: 'open' },
      { name: 'closed', kind: 'closed' },
    ];
    const before = {
      inboxes: [{ name: 'support', states: [...states, { name: 'asked', kind: 'open' }] }, { name: 'errors' }],
      actions: [{ name: 'pay', danger: 'high' }, { name: 'ping' }],
    };
    const later = {
      inboxes: [{ name: 'support', label: 'Help', states }],
      actions: [{ name: 'pay' }, { name: 'ping' }, { name: 'greet' }],
    };
    const registers = await connectApp(key, { manifest: before });
    const entries = async (): Promise<unknown[]> => (await agent.get('/audit?verb=environment.define')).body.entries;
    const [wasKnown, audited] = [(await agent.get('/inboxes')).body, (await entries()).length];
    const first = await command('check', declare('before.json', before), ...online());
    expect(first.output).to.equal('before.json: valid\nRegistering it in demo changes nothing.\n');
    const file = declare('later.json', later);
    const compared = await command('check', file, ...online());
    expect(compared.code).to.equal(0);
    const lines = compared.output.split('\n').map((line) => line.trim().replaceAll(/ +/g, ' '));
    expect(lines).to.include.members([
      'added action greet',
      'changed inbox support',
      'changed action pay',
      'retired inbox errors',
      'retired inbox support: state asked',
      'loosened action pay: danger',
    ]);
    expect(lines.filter((line) => line.startsWith('warning'))).to.have.length(3);
    for (const kind of ['added', 'retired', 'added,loosened'])
      expect((await command('check', file, ...online(), '--fail-on', kind)).code, kind).to.equal(1);
    expect(
      (await command('check', 'before.json', ...online(), '--fail-on', 'added,changed,retired,loosened,breaking')).code,
    ).to.equal(0);
    const occupied = declare('kinds.json', { actions: [{ name: 'a', resource: 'b' }] });
    expect((await command('check', occupied, ...online())).code).to.equal(1);
    expect((await agent.get('/inboxes')).body).to.deep.equal(wasKnown);
    expect(await entries()).to.have.length(audited);
    await registers.close();
  });

  it('says what breaks what waits, and fails when that is wanted', async () => {
    const declared = (input: object, amount: string) => ({
      inboxes: [{ name: 'support', fields: { properties: { amount: { type: amount } } } }],
      actions: [{ name: 'payback', input: { type: 'object', additionalProperties: false, ...input } }],
    });
    const before = declared({ properties: { amount: { type: 'number' } } }, 'number');
    const later = declared({ required: ['ticket'], properties: { amount: { type: 'number' }, ticket: {} } }, 'string');
    const registers = await connectApp(key, { manifest: before });
    const file = declare('breaking.json', later);
    const { code, output } = await command('check', file, ...online(), '--fail-on', 'breaking');
    expect([code, output.split('\n').filter((line) => /breaking  |warning/.test(line))]).to.deep.equal([
      1,
      [
        '  breaking  action payback: input.ticket',
        '  breaking  inbox support: fields.amount',
        '  warning   payback’s input requires ticket now: approvals and queued runs without it will be stale or fail.',
        '  warning   The field amount of the inbox support is string now, no more number: items that have it so keep it.',
      ],
    ]);
    const registered = await connectApp(key, { manifest: later });
    expect(registered.registered.warnings).to.deep.equal([
      'payback’s input requires ticket now: approvals and queued runs without it will be stale or fail.',
      'The field amount of the inbox support is string now, no more number: items that have it so keep it.',
    ]);
    expect((await command('check', file, ...online(), '--fail-on', 'breaking')).code).to.equal(0);
    await Promise.all([registers.close(), registered.close()]);
  });

  it('writes an app that installs, type-checks, passes its test and runs', async () => {
    const { code, output } = await command('new', 'starter');
    expect([code, output.includes('npm run check')], output).to.deep.equal([0, true]);
    expect((await command('new', 'starter')).code).to.equal(2);
    await installStarter(starter);
    const tested = await run('npm', ['test'], starter);
    expect(tested.code, tested.output).to.equal(0);
    expect(tested.output).to.match(/pass 3/);
    const checked = await run('npm', ['run', '-s', 'check'], starter, { BASE_URL: key.base, APP_KEY: key.token });
    expect([checked.code, checked.output.includes('added     action refund')], checked.output).to.deep.equal([0, true]);
    expect(checked.output).not.to.include('warning:');
    let said = '';
    app = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
      cwd: starter,
      env: { ...process.env, BASE_URL: key.base, APP_KEY: key.token },
    });
    for (const stream of [app.stdout, app.stderr])
      stream?.setEncoding('utf8').on('data', (piece: string) => void (said += piece));
    await until('it is online', () => said.includes('online in demo'), 30_000);
    const ran = await until('it has pushed its records', async () => {
      const body = { action: 'refund', record: 'o1', input: { amount: 30 }, confirmed: true };
      const answer = await agent.post('/actions', body);
      return answer.status === 200 && answer;
    });
    expect(ran.body.message).to.equal('Refunded 30 of Order 1 (other).');
    const ended = new Promise((resolve) => app?.once('close', resolve));
    app.kill('SIGTERM');
    expect(await ended).to.equal(0);
    expect(readFileSync(join(starter, 'Dockerfile'), 'utf8')).to.include('npm ci --omit=dev');
  });
});
