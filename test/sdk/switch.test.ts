/** The sample app as a process: `npm run app:offline` and `app:online` switch it, also when it is killed in between, and it ends cleanly. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { program } from '../../shared/tools/services/compile.mjs';
import { switchSampleApp, wantOnline } from '../../shared/tools/services/sampleApp.mjs';
import { writeState } from '../../shared/tools/services/state.mjs';
import type { Client } from '../support/http.ts';
import { newWorld, type World } from '../support/world.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the sample app as a process', () => {
  let world: World;
  let dir: string;
  let key: Client;
  let agent: Client;
  let child: ChildProcess;

  const start = async (): Promise<void> => {
    const [node = '', ...args] = await program('test/sample-app/main.ts');
    child = spawn(node, args, {
      cwd: root,
      stdio: 'ignore',
      env: { ...process.env, BASE_URL: key.base, APP_KEY: key.token, DATA_DIR: dir },
    });
    writeState(dir, {
      launcher: process.pid,
      baseUrl: key.base,
      env: { DATABASE_URL: '', MIGRATE_DATABASE_URL: '', REDIS_URL: '' },
      pids: { 'sample app': child.pid ?? 0 },
    });
  };
  const ended = (): Promise<number | null> =>
    new Promise((resolve) =>
      child.once('exit', (code) => {
        resolve(code);
      }),
    );
  const digest = async (): Promise<unknown> => {
    const { status, body } = await agent.post('/actions', { action: 'send_digest', input: { to: 'ana@example.com' } });
    return [status, body.queued === true];
  };

  before(async () => {
    world = await newWorld({ manifest: {} });
    key = await world.appKey();
    agent = await world.agent('operator');
    dir = mkdtempSync(join(tmpdir(), 'console-switch-'));
    await start();
  });
  after(async () => {
    child.kill('SIGKILL');
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('goes offline and back, however often either is asked for', async () => {
    await switchSampleApp(dir, 'online');
    expect(await digest()).to.deep.equal([200, false]);
    for (let time = 0; time < 2; time += 1) await switchSampleApp(dir, 'offline');
    expect(await digest()).to.deep.equal([202, true]);
    for (let time = 0; time < 2; time += 1) await switchSampleApp(dir, 'online');
    expect(await digest()).to.deep.equal([200, false]);
  });

  it('is as wanted when it comes up after a kill, and not ended by a switch that comes meanwhile', async () => {
    await switchSampleApp(dir, 'offline');
    let gone = ended();
    child.kill('SIGKILL');
    await gone;
    await start();
    await switchSampleApp(dir, 'offline');
    expect(await digest()).to.deep.equal([202, true]);
    gone = ended();
    child.kill('SIGKILL');
    await gone;
    await start();
    await switchSampleApp(dir, 'online');
    expect(child.exitCode).to.equal(null);
  });

  it('ends with 0 when it is told to stop, online or offline', async () => {
    for (const wanted of ['online', 'offline'] as const) {
      await switchSampleApp(dir, wanted);
      const gone = ended();
      child.kill('SIGTERM');
      expect(await gone, wanted).to.equal(0);
      wantOnline(dir);
      await start();
    }
  });
});
