/** Findings of the doctor about addresses, versions, clocks and folders, without a server. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { checkClock } from '../../shared/tools/doctor/finding.ts';
import {
  checkDataDir,
  checkNode,
  checkOpenFiles,
  checkPoolSizes,
  checkPublicUrl,
} from '../../shared/tools/doctor/machine.ts';
import { checkPostgresTls } from '../../shared/tools/doctor/postgres.ts';
import { checkRedisAddress } from '../../shared/tools/doctor/redis.ts';

interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
}

describe('npm run doctor', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-doctor-'));
  });
  after(() => rm(dir, { recursive: true }));

  it('judges addresses, versions, clocks and folders', async () => {
    const statusOf = (findings: readonly Finding[], check: string): string | undefined =>
      findings.find((finding) => finding.check === check)?.status;
    const postgresTls = (query: string, host = 'db.example.com'): string =>
      checkPostgresTls(`postgres://app:secret@${host}/console${query}`).status;
    expect(['', '?sslmode=no-verify', '?sslmode=verify-full'].map((query) => postgresTls(query))).to.deep.equal([
      'fail',
      'warn',
      'ok',
    ]);
    expect(postgresTls('', '[::1]:5432')).to.equal('ok');
    // A name of a container's network, which may be one machine's own; an address is not.
    expect(['postgres:5432', '10.0.0.5', '[fd00::5]'].map((host) => postgresTls('', host))).to.deep.equal([
      'warn',
      'fail',
      'fail',
    ]);
    const redisOf = (url: string): (string | undefined)[] =>
      ['redis.tls', 'redis.user'].map((check) => statusOf(checkRedisAddress(url), check));
    expect(redisOf('redis://cache.example.com')).to.deep.equal(['fail', 'fail']);
    expect(redisOf('rediss://:secret@cache.example.com')).to.deep.equal(['ok', 'warn']);
    expect(redisOf('rediss-cluster://console:secret@a.example.com,b.example.com')).to.deep.equal(['ok', 'ok']);
    expect(redisOf('redis://localhost')).to.deep.equal(['ok', 'warn']);
    expect(redisOf('redis://:secret@redis:6379')).to.deep.equal(['warn', 'warn']);
    expect(redisOf('redis-cluster://console:secret@redis-1,cache.example.com')).to.deep.equal(['fail', 'ok']);
    expect(redisOf('redis://redis')).to.deep.equal(['warn', 'fail']);
    const publicUrl = (url: string, trustProxy: (() => boolean) | null = null): string[] =>
      checkPublicUrl({ publicUrl: url, trustProxy }).map(({ status }) => status);
    expect(publicUrl('http://127.0.0.1:3000')).to.deep.equal(['warn']);
    expect(publicUrl('http://console.example.com')).to.deep.equal(['fail']);
    expect(publicUrl('https://console.example.com')).to.deep.equal(['ok', 'warn']);
    expect(publicUrl('https://console.example.com', () => true)).to.deep.equal(['ok', 'ok']);
    expect(
      ['18.20.0', '20.18.9', '20.19.0', '21.7.0', '22.11.0', '22.12.0', '24.1.0'].filter(
        (version) => checkNode(version).status === 'ok',
      ),
    ).to.deep.equal(['20.19.0', '22.12.0', '24.1.0']);
    const sizes = (poolSize: number, readPoolSize: number): string => checkPoolSizes({ poolSize, readPoolSize }).status;
    expect([sizes(6, 6), sizes(2, 6), sizes(6, 1)]).to.deep.equal(['ok', 'fail', 'fail']);
    const files = (limit: string): string =>
      checkOpenFiles(`Max open files            ${limit}      4096   files`).status;
    expect(['64', '1024', 'unlimited'].map(files)).to.deep.equal(['warn', 'ok', 'ok']);
    const clock = (ms: number) => checkClock('clock', () => Promise.resolve(Date.now() + ms));
    expect((await clock(0)).status).to.equal('ok');
    expect(await clock(-65_000)).to.include({ status: 'warn' });
    expect((await clock(-65_000)).text).to.include('65.0 s behind');
  });

  it('looks at DATA_DIR in a checkout alone, as an image has nothing that writes there', async () => {
    const statuses = async (dataDir: string, here?: string): Promise<string[]> =>
      (await checkDataDir(dataDir, here)).map(({ status }) => status);
    await writeFile(join(dir, 'file'), '');
    const [writable, broken] = [join(dir, 'not', 'yet'), join(dir, 'file', 'data')];
    expect(await statuses(writable)).to.deep.equal(['ok']);
    expect(await statuses(broken)).to.deep.equal(['warn']);
    const built = pathToFileURL(join(dir, 'app/dist/shared/tools/doctor/machine.js')).href;
    expect(await statuses(broken, built)).to.deep.equal([]);
    await mkdir(join(dir, 'app/shared/tools/services'), { recursive: true });
    await writeFile(join(dir, 'app/shared/tools/services/launch.mjs'), '');
    expect(await statuses(broken, built), 'the build of a checkout').to.deep.equal(['warn']);
  });

  it('passes with warnings in the set-up of compose.yaml, which is on one machine', () => {
    const findings = [
      checkPostgresTls('postgres://console_app:secret@postgres:5432/console'),
      ...checkRedisAddress('redis://:secret@redis:6379'),
      ...checkPublicUrl({ publicUrl: 'http://localhost:8080', trustProxy: () => true }),
    ];
    expect(findings.map(({ status, check }) => `${status} ${check}`)).to.deep.equal([
      'warn postgres.tls',
      'warn redis.tls',
      'warn redis.user',
      'warn publicUrl',
    ]);
    for (const { text } of findings.slice(0, 2)) expect(text).to.include('a network that does not leave this machine');
  });
});
