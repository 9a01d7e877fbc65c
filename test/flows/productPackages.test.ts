/** A checkout with the packages of the product alone, as `npm start` installs them: everything starts, and the reference page is there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { neededPackages, readPackages, writeInstallFolder } from '../../shared/tools/services/lockedPackages.mjs';
import { root } from '../../shared/tools/services/paths.mjs';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { newEmptyDatabase, redisUrl } from '../support/database.ts';
import { request } from '../support/http.ts';
import { until } from '../support/until.ts';

const locked = readPackages(root) ?? {};

/** Copies the packages that are there, each without those within it, which have entries of their own. */
const copyPackages = (folder: string): void => {
  const present = readPackages(join(root, 'node_modules'), '.package-lock.json') ?? {};
  const packages = Object.entries(neededPackages(locked, { dev: false, traces: false })).filter(
    ([place]) => present[place] !== undefined,
  );
  for (const [place] of packages)
    cpSync(join(root, place), join(folder, place), {
      recursive: true,
      filter: (path) => path !== join(root, place, 'node_modules'),
    });
  writeFileSync(
    join(folder, 'node_modules/.package-lock.json'),
    JSON.stringify({ packages: Object.fromEntries(packages) }),
  );
};

describe('the packages of the product', function () {
  this.timeout(400_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'console-product-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('are all that `npm start` needs', async () => {
    const leftOut = ['node_modules', 'dist', 'test', '.git', '.data', '.services', '.secrets'];
    for (const name of readdirSync(root).filter((each) => !leftOut.includes(each)))
      cpSync(join(root, name), join(folder, name), { recursive: true });
    mkdirSync(join(folder, 'test'));
    cpSync(join(root, 'test/sample-app'), join(folder, 'test/sample-app'), { recursive: true });
    copyPackages(folder);
    const database = await newEmptyDatabase();
    const port = await freePort();
    const child = spawn(process.execPath, ['shared/tools/services/launch.mjs', 'start'], {
      cwd: folder,
      env: {
        ...process.env,
        DATABASE_URL: database.url,
        MIGRATE_DATABASE_URL: database.ownerUrl,
        REDIS_URL: redisUrl(),
        REDIS_PREFIX: 'product',
        DATA_DIR: join(folder, 'data'),
        PORT: String(port),
        WORKERS: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const code = once(child, 'close');
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => void (said += piece));
    try {
      await until('it is ready', () => said.includes('Ready after') || child.exitCode !== null, 300_000);
      expect(child.exitCode, said).to.equal(null);
      expect(said).not.to.include('installing');
      const page = async (path: string): Promise<string> => {
        const headers = { accept: 'text/html, */*' };
        const { status, text } = await request('GET', `http://127.0.0.1:${String(port)}${path}`, undefined, null, {
          headers,
        });
        expect({ path, status }).to.deep.equal({ path, status: 200 });
        return text;
      };
      const [library = ''] = /docs\/redoc-\w+\.js/.exec(await page('/docs')) ?? [];
      expect(await page(`/${library}`)).to.have.length.above(100_000);
      expect(await page('/sdk.tgz')).to.have.length.above(100_000);
    } finally {
      child.kill('SIGTERM');
      await code;
      await database.drop();
    }
  });

  it('are installed from addresses, so that npm looks into its cache before it asks the registry', () => {
    writeInstallFolder(folder, locked, { dev: false, traces: false });
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { readonly resolved?: string; readonly integrity?: string; readonly dev?: true }>;
    };
    const { '': _project, ...all } = packages;
    expect(Object.values(all).filter(({ dev, integrity }) => dev === true || integrity === undefined)).to.deep.equal(
      [],
    );
    expect(all['node_modules/koa']?.resolved).to.match(/^https:\/\/[^/]+\/koa\/-\/koa-[\d.]+\.tgz$/);
    expect(all['node_modules/@koa/router']?.resolved).to.match(
      /^https:\/\/[^/]+\/@koa\/router\/-\/router-[\d.]+\.tgz$/,
    );
    expect(all)
      .to.include.keys('node_modules/redoc')
      .and.not.to.have.any.keys('node_modules/mocha', 'node_modules/@opentelemetry/sdk-trace');
  });

  it('have what sends traces where an address for these is set', () => {
    const product = neededPackages(locked, { dev: false, traces: false });
    const more = Object.keys(neededPackages(locked, { dev: false, traces: true })).filter((place) => !product[place]);
    expect(more).to.include('node_modules/@opentelemetry/sdk-trace');
    expect(more.filter((place) => !place.startsWith('node_modules/@opentelemetry/'))).to.deep.equal([]);
  });
});
