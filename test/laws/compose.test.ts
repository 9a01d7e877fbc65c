/** compose.yaml fits the image, the configuration, the files that it mounts and the secrets that docs/examples/secrets.sh makes. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig, type Config } from '../../shared/platform/config/config.ts';
import { nodeFlags } from '../../shared/tools/services/compile.mjs';
import { root } from '../../shared/tools/services/paths.mjs';
import { byDefault, readCompose } from '../support/compose.ts';
import { readImageConfig, readStages } from '../support/dockerfile.ts';
import { readScrapeJobs } from '../support/prometheus.ts';
import { files, textOf } from './source.ts';

const compose = readCompose();
const services = Object.entries(compose.services);
const ours = services.filter(([, service]) => service.build !== undefined);
const image = readImageConfig(readStages(textOf('Dockerfile')).at(-1) ?? { name: '', instructions: [] });

const seconds = (duration: string): number => Number(/^(\d+)s$/.exec(duration)?.[1]);

describe('law: how Node runs the programs', () => {
  it('is the same in the image, in the package and in a checkout', () => {
    expect(image.env['NODE_OPTIONS']?.split(' ')).to.deep.equal(nodeFlags);
    const { scripts } = JSON.parse(textOf('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    // The shell becomes Node, so that a signal to npm reaches it.
    for (const name of ['api', 'workers'])
      expect(scripts[name]).to.equal(`exec node ${nodeFlags.join(' ')} dist/${name}/main.js`);
  });
});

describe('law: compose.yaml', () => {
  let folder: string;
  const configs = new Map<string, Config>();
  const configOf = (name: string): Config => {
    const config = configs.get(name);
    if (config === undefined) throw new Error(`${name} is no service of this image.`);
    return config;
  };
  before(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'console-secrets-')), 'secrets');
    execFileSync(join(root, 'docs/examples/secrets.sh'), [folder]);
    for (const [name, { environment = {} }] of ours) {
      const env = Object.entries({ ...image.env, ...environment }).map(([variable, value]) => [
        variable,
        byDefault(value).replace('/run/secrets', folder),
      ]);
      configs.set(name, readConfig(Object.fromEntries(env) as Record<string, string>));
    }
  });
  after(() => {
    rmSync(join(folder, '..'), { recursive: true });
  });

  it('has two APIs, two workers and migrations of the image, whose programs exist', () => {
    expect(ours.map(([name]) => name)).to.have.members(['api-1', 'api-2', 'workers', 'migrate']);
    for (const command of [
      image.command,
      ...ours.flatMap(([, service]) => (service.command ? [service.command] : [])),
    ]) {
      const [node, file = ''] = command;
      expect(node).to.equal('node');
      expect(files).to.include(file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
    }
  });

  it('sets no variable that the configuration does not read', () => {
    const known = ['config', 'openIdConfig'].flatMap((file) =>
      [...textOf(`shared/platform/config/${file}.ts`).matchAll(/name: '([A-Z_]+)'/g)].map(([, name = '']) => name),
    );
    for (const [name, { environment = {} }] of ours)
      for (const variable of Object.keys(environment))
        expect(known, `${name} sets ${variable}`).to.include(variable.replace(/_FILE$/, ''));
  });

  it('takes any other variable from a file that may be missing, and that git ignores', () => {
    for (const [name, { env_file: from }] of ours)
      expect(from, name).to.deep.equal([{ path: 'console.env', required: false }]);
    expect(readFileSync(join(root, '.gitignore'), 'utf8').split('\n')).to.include('console.env');
  });

  it('addresses PostgreSQL, Redis, the APIs and what Prometheus asks by their services and ports', () => {
    for (const [name] of ours) {
      const { databaseUrl, migrateDatabaseUrl, redisUrl } = configOf(name);
      expect(new URL(databaseUrl).host).to.equal('postgres:5432');
      expect(new URL(migrateDatabaseUrl).host).to.equal('postgres:5432');
      expect(new URL(redisUrl).host).to.equal('redis:6379');
    }
    const { API_1, API_2 } = compose.services['balancer']?.environment ?? {};
    expect([API_1, API_2]).to.deep.equal(['api-1', 'api-2'].map((name) => `${name}:${String(configOf(name).port)}`));
    const asked = readScrapeJobs().map(({ job, targets }) => [job, ...targets]);
    expect(asked).to.deep.equal([
      ['console-api', API_1, API_2],
      ['console-workers', `workers:${String(configOf('workers').workerPort)}`],
    ]);
  });

  it('gives the owner of the tables to migrations alone, and both roles the passwords that PostgreSQL has', () => {
    const password = (name: string): string => readFileSync(join(folder, name), 'utf8').trim();
    const [owner, app] = ['postgres_owner_password', 'postgres_app_password'].map(password);
    for (const [name] of ours) {
      const { databaseUrl, migrateDatabaseUrl, redisUrl } = configOf(name);
      expect(new URL(databaseUrl)).to.include({ username: 'console_app', password: app });
      const used = name === 'migrate' ? { username: 'console_owner', password: owner } : { username: 'console_app' };
      expect(new URL(migrateDatabaseUrl)).to.include(used);
      expect(new URL(redisUrl).password).to.equal(password('redis_password'));
    }
    expect(compose.services['postgres']?.environment).to.include({
      POSTGRES_USER: 'console_owner',
      POSTGRES_DB: 'console',
    });
    expect(textOf('docs/examples/postgres/serviceRole.sql')).to.include('create role console_app login');
  });

  it('stops nobody before the work has ended', () => {
    for (const [name, { stop_grace_period: grace = '10s' }] of ours)
      expect(seconds(grace) * 1_000, name).to.be.at.least(name === 'migrate' ? 0 : configOf(name).drainMs + 5_000);
  });

  it('waits only for services that say when they are ready, and checks the ports that they listen on', () => {
    for (const [name, { depends_on: wanted = {} }] of services)
      for (const [other, { condition }] of Object.entries(wanted)) {
        const { healthcheck } = compose.services[other] ?? {};
        if (condition === 'service_healthy')
          expect(healthcheck?.test, `${name} waits for ${other}`).not.to.equal(undefined);
        else expect([other, condition]).to.deep.equal(['migrate', 'service_completed_successfully']);
      }
    for (const [name, port] of [
      ['api-1', configOf('api-1').port],
      ['workers', configOf('workers').workerPort],
    ] as const)
      expect(compose.services[name]?.healthcheck?.test?.join(' ')).to.include(`:${String(port)}/ready`);
  });

  it('names networks, volumes, secrets and files that exist', () => {
    const made = readdirSync(folder).sort();
    expect(Object.keys(compose.secrets).sort()).to.deep.equal(made);
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).to.equal(`./.secrets/${name}`);
    for (const [name, { networks = [], secrets = [], volumes = [], environment = {} }] of services) {
      for (const network of networks) expect(['default', ...Object.keys(compose.networks)], name).to.include(network);
      for (const secret of secrets) expect(made, name).to.include(secret);
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) expect(existsSync(join(root, source)), source).to.equal(true);
        else expect(Object.keys(compose.volumes), name).to.include(source);
      }
      const read = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'));
      for (const file of read) expect(secrets, name).to.include(file.slice('/run/secrets/'.length));
    }
  });

  it('makes secrets that only the owner of their folder reaches, and keeps those that are there', () => {
    const contents = (): string[] => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const before = contents();
    expect(new Set(before).size).to.equal(before.length);
    expect(statSync(folder).mode & 0o777).to.equal(0o700);
    execFileSync(join(root, 'docs/examples/secrets.sh'), [folder]);
    expect(contents()).to.deep.equal(before);
  });
});
