/** PostgreSQL, Redis and the mail server that refuse the service until an operator mends something: what each says, and where. */
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { expect } from 'chai';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { newToken } from '../../shared/accounts/access/tokens.ts';
import { readConfig } from '../../shared/platform/config/config.ts';
import { describeDbRefusal, isDbOutage, isDbUnavailable, dbRefusals } from '../../shared/platform/db/errors.ts';
import { openDb } from '../../shared/platform/db/knex.ts';
import { tlsRefusals } from '../../shared/platform/log/refusals.ts';
import { openMailServer } from '../../shared/replies/smtp.ts';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { startPostgres, type PostgresServer } from '../../shared/tools/services/postgres.mjs';
import { newAuthority, type Authority, type CertificateFiles } from '../support/certificates.ts';
import { redisUrl } from '../support/database.ts';
import { request, type Reply } from '../support/http.ts';
import { openMailBox } from '../support/mail.ts';
import { startProgram } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { newWorld } from '../support/world.ts';

const probe = (port: number, path: string): Promise<Reply> =>
  request('GET', `http://127.0.0.1:${String(port)}${path}`, undefined, null);

describe('a PostgreSQL that refuses', () => {
  let dir: string;
  let server: PostgresServer;
  let authority: Authority;
  let other: Authority;
  let files: CertificateFiles;
  let owner: pg.Pool;
  const closing: (() => Promise<unknown>)[] = [];

  const sql = (text: string): Promise<unknown> => owner.query(text);
  /** Gives the server a certificate, and resolves once it shows it. */
  const certify = async (by: Authority, about: Parameters<Authority['issue']>[1] = {}): Promise<void> => {
    await by.issue(files, about);
    const { uid, gid } = await stat(join(dir, 'data'));
    for (const file of Object.values(files) as string[]) {
      await chown(file, uid, gid);
      await chmod(file, 0o600);
    }
    await sql('select pg_reload_conf()');
  };
  /** The server's address with TLS that is verified against `by`. */
  const address = (by = authority.file, change: (url: URL) => void = () => undefined): string => {
    const url = new URL(server.url);
    url.searchParams.set('sslmode', 'verify-full');
    url.searchParams.set('sslrootcert', by);
    change(url);
    return url.href;
  };
  const withPassword = (password: string) => (url: URL) => {
    url.password = password;
  };
  /** Resolves with the error of a new connection. */
  const refused = async (url: string): Promise<unknown> => {
    const db = openDb({ url, poolSize: 1, applicationName: 'console-test' });
    try {
      await db.raw('select 1');
      return null;
    } catch (error) {
      return error;
    } finally {
      await db.destroy();
    }
  };

  before(async function () {
    this.timeout(120_000);
    dir = await mkdtemp(join(tmpdir(), 'console-refusals-'));
    server = await startPostgres({ dir });
    owner = new pg.Pool({ connectionString: server.ownerUrl, max: 1 });
    owner.on('error', () => undefined);
    [authority, other] = [await newAuthority(dir, 'ours'), await newAuthority(dir, 'theirs')];
    files = { cert: join(dir, 'data', 'tls.crt'), key: join(dir, 'data', 'tls.key') };
    await certify(authority);
    await sql(`alter system set ssl_cert_file = '${files.cert}'`);
    await sql(`alter system set ssl_key_file = '${files.key}'`);
    await sql('alter system set ssl = on');
    await sql('select pg_reload_conf()');
    await until('it speaks TLS', async () => (await refused(address())) === null, 10_000);
    await migrateDatabase(server.ownerUrl, server.url);
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  after(async () => {
    await owner.end();
    await server.stop('immediate');
    await rm(dir, { recursive: true, force: true });
  });

  interface Refusal {
    readonly words: string;
    /** Makes it refuse, and returns the address that it refuses. */
    readonly begin: () => Promise<string>;
    readonly end: () => Promise<unknown>;
  }
  const nothing = (): Promise<unknown> => Promise.resolve();
  const certified = (words: string, about: Parameters<Authority['issue']>[1]): Refusal => ({
    words,
    begin: () => certify(authority, about).then(() => address()),
    end: () => certify(authority),
  });
  const ruled = (words: string, begin: string, end: string): Refusal => ({
    words,
    begin: () => sql(begin).then(() => address()),
    end: () => sql(end),
  });
  const hour = 3_600_000;
  const most = tls.DEFAULT_MAX_VERSION;
  const refusals: readonly Refusal[] = [
    certified('its certificate has expired', { fromMs: -2 * hour, untilMs: -hour }),
    certified('its certificate is not valid yet; compare the clocks', { fromMs: hour, untilMs: 2 * hour }),
    certified('its certificate is for another name', { name: 'DNS:elsewhere.example' }),
    {
      words: 'no authority that this process trusts has signed its certificate',
      begin: () => certify(other).then(() => address()),
      end: () => certify(authority),
    },
    {
      words: 'it and this process agree on no TLS',
      begin: async () => {
        tls.DEFAULT_MAX_VERSION = 'TLSv1.2';
        await sql("alter system set ssl_min_protocol_version = 'TLSv1.3'");
        await sql('select pg_reload_conf()');
        return address();
      },
      end: async () => {
        tls.DEFAULT_MAX_VERSION = most;
        await sql('alter system reset ssl_min_protocol_version');
        await sql('select pg_reload_conf()');
      },
    },
    {
      words: 'a file of the connection (its socket, or sslrootcert) is missing or can’t be read',
      begin: () => Promise.resolve(address(join(dir, 'nowhere.pem'))),
      end: nothing,
    },
    {
      words: 'it refuses the password',
      begin: () => Promise.resolve(address(undefined, withPassword('not-the-passw0rd'))),
      end: nothing,
    },
    ruled(
      'the role may not log in (nologin, or pg_hba.conf)',
      'alter role console_app nologin',
      'alter role console_app login',
    ),
    ruled(
      'the role may not connect to this database',
      'revoke connect on database console from public, console_app',
      'grant connect on database console to public, console_app',
    ),
    {
      words: 'it has no database of this name',
      begin: () => Promise.resolve(address(undefined, (url) => (url.pathname = '/nowhere'))),
      end: nothing,
    },
    {
      words: 'the database takes no connections',
      begin: async () => {
        await sql('create database closed allow_connections false');
        return address(undefined, (url) => (url.pathname = '/closed'));
      },
      end: () => sql('drop database closed'),
    },
  ];

  it('is told by words for each code of the table', () => {
    expect(refusals.map(({ words }) => words)).to.have.members(
      [...tlsRefusals, ...dbRefusals].map(([, words]) => words),
    );
  });

  for (const { words, begin, end } of refusals)
    it(`is unavailable, and says that ${words}`, async () => {
      const url = await begin();
      try {
        const error = await until('it refuses so', async () => {
          const found = await refused(url);
          return describeDbRefusal(found) === words && found;
        });
        expect([isDbUnavailable(error), isDbOutage(error)]).to.deep.equal([true, true]);
      } finally {
        await end();
      }
      await until('it is mended', async () => (await refused(address())) === null);
    });

  for (const [state, unavailable] of [
    ['08006', true],
    ['25006', true],
    ['53100', true],
    ['53200', true],
    ['53300', true],
    ['57P01', true],
    ['57P02', true],
    ['57P03', true],
    ['57P05', true],
    ['58030', true],
    ['22P02', false],
    ['23505', false],
    ['40001', false],
    ['40P01', false],
    ['42501', false],
    ['42P01', false],
    ['55P03', false],
    ['57014', false],
    ['XX000', false],
  ] as const)
    it(`a statement that ends with ${state} is ${unavailable ? 'unavailable' : 'no outage'}`, async () => {
      const db = openDb({ url: server.ownerUrl, poolSize: 1, applicationName: 'console-test' });
      closing.push(() => db.destroy());
      const error: unknown = await db.raw(`do $$ begin raise exception 'x' using errcode = '${state}'; end $$`).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).to.have.property('code', state);
      expect([isDbUnavailable(error), isDbOutage(error), describeDbRefusal(error)]).to.deep.equal([
        unavailable,
        unavailable,
        null,
      ]);
    });

  const configOf = (url: string) => ({
    config: readConfig({
      DATABASE_URL: url,
      MIGRATE_DATABASE_URL: server.ownerUrl,
      REDIS_URL: redisUrl(),
      REDIS_PREFIX: 'test-refusals',
    }),
  });
  /** Ends the connections that a process has open. */
  const disconnect = (): Promise<unknown> =>
    sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'console_app'");
  const linesOf = (said: string): Record<string, unknown>[] =>
    said
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  it('with an expired certificate, an API is 503, says so once in its log and in /ready, and goes on with a new one', async () => {
    const api = await startProgram(configOf(address()), 'api/main.ts');
    closing.push(() => api.end());
    const port = Number(api.port);
    closing.push(() => certify(authority));
    await certify(authority, { fromMs: -2 * hour, untilMs: -hour });
    await until('it refuses', async () => describeDbRefusal(await refused(address())) !== null);
    const from = linesOf(api.said()).length;
    await disconnect();
    const ready = await until('it is not ready', async () => {
      const found = await probe(port, '/ready');
      return found.status === 503 && found;
    });
    expect(ready.body.reasons).to.deep.equal(['PostgreSQL refuses us: its certificate has expired.']);
    for (const path of ['/api/env/demo/me', '/api/env/demo/items', '/api/env/demo/search?q=x']) {
      const { status, body, headers } = await request(
        'GET',
        `http://127.0.0.1:${api.port}${path}`,
        undefined,
        newToken('agent'),
      );
      expect([path, status, body.code, headers.get('retry-after')]).to.deep.equal([path, 503, 'unavailable', '1']);
    }
    await until('it is logged', () => api.said().includes('PostgreSQL refuses us: its certificate has expired'));
    await certify(authority);
    await until('it is ready again', async () => (await probe(port, '/ready')).status === 200);
    const told = linesOf(api.said()).slice(from);
    expect(
      told.filter(({ level }) => Number(level) >= 40).map(({ msg }) => msg),
      'no line of other things',
    ).to.deep.equal(['PostgreSQL refuses us: its certificate has expired']);
  });

  it('a worker whose sessions end, and which is then refused, says each reason once, at once', async () => {
    const worker = await startProgram(configOf(address()), 'workers/main.ts');
    closing.push(() => worker.end());
    closing.push(() => sql('alter role console_app login'));
    const reasons = (): unknown[] =>
      linesOf(worker.said()).flatMap(({ msg, level }) =>
        level === 40 && String(msg).startsWith('PostgreSQL ') ? [msg] : [],
      );
    await sql('alter role console_app nologin');
    await disconnect();
    const words = 'PostgreSQL refuses us: the role may not log in (nologin, or pg_hba.conf)';
    await until('it says why', () => reasons().includes(words), 10_000);
    await sql('alter role console_app login');
    await until('it goes on', () => worker.said().includes('PostgreSQL is available again'), 40_000);
    expect(reasons().filter((said) => said === words)).to.have.length(1);
    expect(reasons().length).to.be.within(1, 2);
  });

  it('with sslmode=require nothing is printed but the log, which says that the API stops and has stopped', async () => {
    const url = address(undefined, (changed) => changed.searchParams.set('sslmode', 'require'));
    const api = await startProgram(configOf(url), 'api/main.ts');
    closing.push(() => api.end());
    const gone = once(api.child, 'exit');
    api.child.kill('SIGTERM');
    await gone;
    expect(
      api
        .said()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('{')),
    ).to.deep.equal([]);
    const said = linesOf(api.said());
    expect(said.at(-1)).to.include({ msg: 'the API has stopped' });
    expect(said.find(({ msg }) => msg === 'the API stops')).to.include({ signal: 'SIGTERM' });
  });

  it('a worker that starts while its role may not log in says so in its log and in /ready, and begins by itself', async () => {
    closing.push(() => sql('alter role console_app login'));
    await sql('alter role console_app nologin');
    const port = await freePort();
    let said = (): string => '';
    const started = startProgram(
      configOf(address()),
      'workers/main.ts',
      { WORKER_PORT: String(port) },
      { listen: (heard) => (said = heard) },
    );
    closing.push(() => started.then((program) => program.end()));
    await until('it says so', () => said().includes('waiting for the database'), 30_000);
    const words = 'PostgreSQL, which refuses us: the role may not log in (nologin, or pg_hba.conf)';
    expect(linesOf(said()).find(({ msg }) => msg === 'waiting for the database')).to.include({ waitsFor: words });
    expect((await probe(port, '/ready')).body).to.deep.include({ starting: true, reasons: [`It waits for ${words}.`] });
    await sql('alter role console_app login');
    await started;
  });
});

describe('others that refuse', () => {
  let dir: string;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-refusals-'));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await rm(dir, { recursive: true, force: true });
  });
  const mail = (url: string) =>
    openMailServer(url).send({
      envelope: { from: 'a@example.com', to: 'b@example.com' },
      body: Buffer.from('Hello\r\n'),
      onDispatch: () => Promise.resolve(),
    });

  it('a mail server that refuses the password is named as that, and the reply is tried again', async () => {
    const box = await openMailBox(0, {
      authOptional: false,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => {
        done(Object.assign(new Error('Bad credentials'), { responseCode: 535 }));
      },
    });
    closing.push(() => box.close());
    const url = new URL(box.url);
    url.username = 'console';
    url.password = 'not-the-passw0rd';
    const { kind, ...rest } = await mail(url.href);
    expect(kind).to.equal('later');
    expect(rest)
      .to.have.property('error')
      .that.matches(/^The mail server refuses the name or the password of SMTP_URL: /);
    expect(rest).to.have.property('error').that.does.not.include('not-the-passw0rd');
  });

  it('a mail server and a Redis are named by what is wrong with their certificates', async () => {
    const authority = await newAuthority(dir, 'ours');
    const files = { cert: join(dir, 'tls.crt'), key: join(dir, 'tls.key') };
    await authority.issue(files, { fromMs: -7_200_000, untilMs: -3_600_000 });
    const shown = { cert: await readFile(files.cert), key: await readFile(files.key) };
    const server = tls.createServer(shown, (socket) => socket.on('error', () => undefined));
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    const { port } = server.address() as { port: number };
    const place = `127.0.0.1:${String(port)}`;

    const { kind, ...rest } = await mail(`smtps://${place}`);
    expect(kind).to.equal('later');
    expect(rest)
      .to.have.property('error')
      .that.matches(/^The mail server refuses us: its certificate has expired: /);

    const world = await newWorld({ server: false, workers: false });
    closing.push(() => world.close());
    const trusting = { REDIS_URL: `rediss://${place}`, NODE_EXTRA_CA_CERTS: authority.file };
    const api = await startProgram(world, 'api/main.ts', trusting);
    closing.push(() => api.end());
    const { status, body } = await until('Redis is told', async () => {
      const found = await probe(Number(api.port), '/ready');
      return (found.body.reasons as string[]).some((why) => why.includes('certificate')) && found;
    });
    expect([status, body.degraded, body.reasons]).to.deep.equal([
      200,
      ['redis'],
      ['Redis refuses us: its certificate has expired.'],
    ]);
    await until('it is logged', () => api.said().includes('"reason":"its certificate has expired"'));
  });
});
