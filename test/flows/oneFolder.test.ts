/** Commands on one data folder: those that start its servers at the same time wait for each other, and a later start leaves out what is done. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { requireFreeEventLoopsIn } from '../support/eventLoop.ts';
import { until } from '../support/until.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Launched {
  readonly child: ChildProcess;
  readonly said: { out: string; err: string };
  readonly code: Promise<number | null>;
}

describe('one data folder', function () {
  // Each command initialises or starts a PostgreSQL and a Redis, and some machines start them slowly.
  this.timeout(400_000);
  let folder: string;
  let port: number;
  const launched: Launched[] = [];
  beforeEach(async () => {
    port = await freePort();
    folder = mkdtempSync(join(tmpdir(), 'console-folder-'));
  });
  afterEach(async () => {
    for (const { child } of launched) child.kill('SIGTERM');
    await Promise.all(launched.map(({ code }) => code));
    launched.length = 0;
    requireFreeEventLoopsIn(join(folder, 'data', 'logs'));
    rmSync(folder, { recursive: true });
  });

  /** Starts a command of the launcher with nothing configured but the data folder and the port. */
  const launch = (...args: string[]): Launched => launchIn({}, ...args);
  const launchIn = (more: NodeJS.ProcessEnv, ...args: string[]): Launched => {
    const { DATABASE_URL: _database, MIGRATE_DATABASE_URL: _owner, REDIS_URL: _redis, ...env } = process.env;
    const child = spawn(process.execPath, ['shared/tools/services/launch.mjs', ...args], {
      cwd: root,
      env: { ...env, DATA_DIR: join(folder, 'data'), PORT: String(port), WORKERS: '1', ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (piece: string) => void (said.out += piece));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => void (said.err += piece));
    const started = { child, said, code: once(child, 'close').then(([code]) => code as number | null) };
    launched.push(started);
    return started;
  };

  it('serves two administration commands and a start, one after the other', async () => {
    const first = launch('admin', 'environment', 'create', 'first');
    const second = launch('admin', 'environment', 'create', 'second');
    const start = launch('start');
    expect([await first.code, await second.code], first.said.err + second.said.err).to.deep.equal([0, 0]);
    await until(
      'the start works on the folder',
      () => start.said.out.includes('migrating…') || start.child.exitCode,
      150_000,
    );
    start.child.kill('SIGTERM');
    expect(await start.code, start.said.out + start.said.err).to.equal(0);
    const third = launch('admin', 'environment', 'list');
    expect(await third.code, third.said.err).to.equal(0);
    expect(third.said.out).to.include('first').and.to.include('second');
    expect(third.said.err).to.include(`working on the database of ${join(folder, 'data')}, as DATABASE_URL is not set`);
  });

  it('gets no database from a command that needs one', async () => {
    for (const words of [
      ['environment', 'list'],
      ['person', 'list'],
      ['app-key', 'create', 'Shop'],
    ]) {
      const { said, code } = launch('admin', ...words);
      expect(await code, said.out + said.err).to.equal(1);
      expect(said.err).to.include('There is no database in ').and.to.include('npm start makes one');
      expect(existsSync(join(folder, 'data'))).to.equal(false);
    }
  });

  for (const more of [{ MIGRATE_DATABASE_URL: 'postgres://owner@127.0.0.1:1/console' }, { NODE_ENV: 'production' }])
    it(`is not administered for another that ${Object.keys(more).join()} is about`, async () => {
      const { said, code } = launchIn(more, 'admin', 'environment', 'create', 'first');
      expect(await code, said.out + said.err).to.equal(1);
      expect(said.err).to.include('DATABASE_URL is not set, with ').and.to.include('nothing was done');
      expect(existsSync(join(folder, 'data', 'postgres'))).to.equal(false);
    });

  it('migrates and loads the demo again only when the settings have changed', async () => {
    const start = async (): Promise<string> => {
      const { child, said, code } = launch('start');
      await until('the start is over', () => said.out.includes('Ctrl-C stops') || child.exitCode !== null, 150_000);
      child.kill('SIGTERM');
      expect(await code, said.out + said.err).to.equal(0);
      expect(said.out).to.include('Ready after');
      return said.out;
    };
    expect(await start())
      .to.include('migrating…')
      .and.to.include('demo: 5,000 items');
    expect(await start()).not.to.match(/migrating|demo: (is loaded|\d)/);
    const change = launch('admin', 'environment', 'create', 'later');
    expect(await change.code, change.said.err).to.equal(0);
    expect(await start())
      .to.include('migrating…')
      .and.to.include('demo: is loaded');
  });
});
