/** The commands that docs/operators.md and docs/production.md print, run as they stand there, by the role that each names. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { migrateDatabase } from '../../migrations/migrate.ts';
import { readConfig } from '../../shared/platform/config/config.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { root } from '../../shared/tools/services/paths.mjs';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { startPostgres, type PostgresServer } from '../../shared/tools/services/postgres.mjs';
import { findPostgres } from '../../shared/tools/services/postgresBinary.mjs';
import { runProcess } from '../../shared/tools/services/processes.mjs';
import { userMode } from '../../shared/tools/services/userMode.mjs';
import { auditChain } from '../../workers/sweeps/index.ts';
import { connectApp } from '../support/app.ts';
import type { Client } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { monthBefore, newPastWorld } from '../support/past.ts';
import { readFences } from '../support/printedFences.ts';
import { newWorld, type World } from '../support/world.ts';

const password = 'only for tests, and long';
const action = { name: 'refund', label: 'Refund', approval: true, danger: 'high' };
const manifest = {
  ...testManifest,
  inboxes: [...testManifest.inboxes, { name: 'support' }],
  flags: [{ key: 'new_checkout', kind: 'boolean', default: false }],
  actions: [...testManifest.actions, action],
};

const fences = new Map(
  ['operators', 'production'].flatMap((name) => readFences(name as 'operators')).map((each) => [each.name, each.text]),
);
/** Returns the text of a fence. Throws when the document has none of that name. */
const textOf = (name: string): string => {
  const text = fences.get(name);
  if (text === undefined) throw new Error(`There is no ${name}: ${[...fences.keys()].join(', ')}`);
  return text;
};

interface Shell {
  readonly env: Record<string, string>;
  /** Runs a line as it is printed; returns what it prints. Throws unless it succeeds. */
  run(line: string): Promise<string>;
  /** Runs every line of a fence; `between` may take from the output what later lines need. */
  runAll(fence: string, between?: (line: string, output: string) => Promise<void> | void): Promise<void>;
}

/** Returns a shell of an operator on a world: with the variables of its processes, and what the lines before have set. */
const shellOf = async (world: World, more: Readonly<Record<string, string>> = {}): Promise<Shell> => {
  const { config } = world;
  const admin = (await program('shared/tools/cli/admin.ts')).map((word) => `'${word}'`).join(' ');
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: config.databaseUrl,
    MIGRATE_DATABASE_URL: config.migrateDatabaseUrl,
    REDIS_URL: config.redisUrl,
    REDIS_PREFIX: config.redisPrefix,
    json: 'content-type: application/json',
    base: `http://127.0.0.1:${String(world.port)}/api/env/demo`,
    ...more,
  };
  const run = async (printed: string): Promise<string> => {
    const line = printed
      .replace('npm run -s admin --', admin)
      .replace(/:3[09]00\//, `:${String(world.port)}/`)
      .replaceAll('…', password)
      // The status is printed behind the body.
      .replace('curl -s ', "curl -sS -w '\\n%{http_code}' ");
    const child = spawn('bash', ['--norc', '-c', line], { cwd: root, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => void (output += piece));
    child.stdin.end(`${password}\n`);
    const [code] = (await once(child, 'close')) as [number | null];
    expect(code, `${printed}: ${output}`).to.equal(0);
    if (printed.startsWith('curl')) expect(output.split('\n').at(-1), `${printed}: ${output}`).to.match(/^2\d\d$/);
    return output;
  };
  return {
    env,
    run,
    runAll: async (fence, between = () => undefined) => {
      for (const line of textOf(fence).split('\n')) {
        // Variables that a line sets, for those behind it.
        const set = [...line.matchAll(/(?:^|; )(\w+)=(?:'([^']*)'|"([^"]*)"|(\S+))/g)];
        if (set.length > 0 && !line.startsWith('curl')) {
          for (const [, name = '', single, double, bare = ''] of set)
            env[name] ??= single ?? (double ?? bare).replaceAll(/\$(\w+)/g, (_, other: string) => env[other] ?? '');
          continue;
        }
        await between(line, await run(line));
      }
    },
  };
};

const tokenOf = (client: Client): string => client.token;
/** Returns a member of the JSON that a line has printed before its status. */
const memberOf = (output: string, name: string): string => new RegExp(`"${name}": ?"([^"]+)"`).exec(output)?.[1] ?? '';

const psql = (url: string, file: string): string => `psql "${url}" -v ON_ERROR_STOP=1 <<'END'\n${file}\nEND`;

describe('the commands of docs/operators.md and docs/production.md', () => {
  let world: World;
  let shell: Shell;

  describe('for who begins', () => {
    before(async () => {
      world = await newWorld({ manifest });
      shell = await shellOf(world);
    });
    after(() => world.close());

    it('operators › Principals', () => shell.runAll('operators › Principals › sh'));

    it('operators › People and sessions', () =>
      shell.runAll('operators › People and sessions › sh', (_line, output) => {
        shell.env['token'] ??= memberOf(output, 'token');
      }));
  });

  describe('of an installation that serves', () => {
    let boss: Client;
    before(async () => {
      world = await newWorld({ manifest });
      boss = await world.person('admin', 'Boss', { fresh: true });
      shell = await shellOf(world, { token: tokenOf(boss), auth: `authorization: Bearer ${tokenOf(boss)}` });
    });
    after(() => world.close());

    it('production › Processes and proxy', () => shell.runAll('production › Processes and proxy › sh'));

    it('operators › Settings', () =>
      shell.runAll('operators › Settings › sh', (line, output) => {
        if (line.includes('Triage bot')) shell.env['agent'] = memberOf(output, 'id');
      }));

    it('operators › The audit log', async () => {
      await auditChain.run(world.deps);
      await shell.runAll('operators › The audit log › sh', (_line, output) => {
        shell.env['kept'] ??= memberOf(output, 'hash');
      });
      expect(shell.env['kept']).to.match(/^[0-9a-f]{64}$/);
    });

    it('operators › Jobs', async () => {
      const id = `job_${'1'.padStart(26, '0')}`;
      await world.sql(
        `insert into staged_jobs (id, env, name, payload, last_error, created_at, given_up_at)
         select $1, id, 'triageItem', '{}', 'Error: out of credit', 1, 1 from environments where name = 'demo'`,
        [id],
      );
      Object.assign(shell.env, { job: id, run: id });
      await shell.runAll('operators › Jobs › sh');
    });

    it('operators › Erasing a person', async () => {
      await world.records('customer', [{ id: 'cus_1', title: 'Kim Park' }]);
      await shell.runAll('operators › Erasing a person › sh');
    });

    it('operators › Retention', async () => {
      await shell.runAll('operators › Retention › sh');
      await shell.runAll('operators › Retention › sh 2');
    });

    it('operators › Loosenings', async () => {
      const key = await world.appKey();
      for (const [startedAt, declared] of [action, { ...action, approval: false, danger: 'low' }].entries()) {
        const looser = { ...manifest, actions: [...testManifest.actions, declared] };
        const app = await connectApp(key, { manifest: looser, startedAt: Date.now() + startedAt });
        await app.close();
      }
      const { loosenings } = (await boss.get('/settings/loosenings?status=waiting')).body as {
        loosenings: { id: string }[];
      };
      expect(loosenings).to.have.length(2);
      const [first, second] = loosenings.map(({ id }) => id);
      shell.env['loosening'] = first ?? '';
      await shell.runAll('operators › Loosenings › sh', (line) => {
        if (line.includes('/accept')) shell.env['loosening'] = second ?? '';
      });
    });

    it('production › What a restore gives back', async () => {
      const ramp = { to: 100, over: 86_400_000, every: 43_200_000, at: null };
      const started = await boss.post('/flags/new_checkout', { change: { ramp } });
      expect(started.status, started.text).to.equal(200);
      const { migrateDatabaseUrl } = world.config;
      const gone = await shell.run(
        psql(
          migrateDatabaseUrl,
          textOf('production › What a restore gives back › sql').replace('2026-11-23', '2020-11-23'),
        ),
      );
      expect(gone).to.include('agent.rotate').and.include('flag.change').and.not.include('signIn');
      const ramps = psql(migrateDatabaseUrl, textOf('production › What a restore gives back › sql 2'));
      expect(await shell.run(ramps)).to.match(/demo +\| new_checkout +\|[\d. ]+\| 100 +\| Boss/);
      const end = textOf('production › What a restore gives back › sh 2');
      await shell.run(end.replace('<environment>', 'demo').replace('<key>', 'new_checkout'));
      expect(await shell.run(ramps)).to.include('(0 rows)');
    });
  });

  it('operators › Archives', async () => {
    const past = await newPastWorld();
    const folder = mkdtempSync(join(tmpdir(), 'console-printed-'));
    try {
      // A head that was kept in the first month.
      const [first] = await past.world.sql<{ kept: string }>(
        "select encode(hash, 'hex') as kept from audit_chain order by env, n limit 1",
      );
      const its = await shellOf(past.world, { kept: first?.kept ?? '' });
      const month = monthBefore(4).slice(0, 7);
      for (const line of textOf('operators › Archives › sh').split('\n'))
        await its.run(
          line.replaceAll('/archives', folder).replaceAll('2025-12', month).replace('2026-01-01', monthBefore(3)),
        );
    } finally {
      rmSync(folder, { recursive: true });
      await past.world.close();
    }
  });

  it('production › variables', async () => {
    const lines = ['PostgreSQL › sh', 'Redis › sh', 'Standbys that serve reads › sh'].map((name) =>
      textOf(`production › ${name}`),
    );
    const child = spawn('bash', ['-c', `${lines.join('\n').replaceAll('…', 'secret')}\nenv`], { env: {} });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => void (output += piece));
    expect(await once(child, 'close')).to.deep.equal([0, null]);
    const env = Object.fromEntries(
      output.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const config = readConfig(env as Record<string, string>);
    expect(
      [config.databaseUrl, config.migrateDatabaseUrl, config.redisUrl].map((url) => new URL(url).hostname),
    ).to.deep.equal(['db.internal', 'db.internal', 'redis.internal']);
    expect(config.standbys?.lagMs).to.equal(1_000);
  });

  describe('on the machine of PostgreSQL', () => {
    let dir: string;
    let server: PostgresServer;
    const run = async (line: string): Promise<string> => {
      const env = { PATH: process.env['PATH'] ?? '', PGDATA: join(dir, 'data') };
      const child = spawn('bash', ['--norc', '-c', line], { env, cwd: '/' });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (piece: string) => void (output += piece));
      const [code] = (await once(child, 'close')) as [number | null];
      // grep -c of nothing prints 0, and ends with 1.
      expect(code, `${line}: ${output}`).to.be.oneOf(line.includes('grep -c') ? [0, 1] : [0]);
      return output;
    };
    before(async () => {
      dir = mkdtempSync(join(tmpdir(), 'console-printed-'));
      server = await startPostgres({ dir, settings: { shared_buffers: '64MB' } });
      await migrateDatabase(server.ownerUrl, server.url);
    });
    after(async () => {
      await server.stop('immediate');
      rmSync(dir, { recursive: true, force: true });
    });

    it('production › When a disk is nearly full', async () => {
      const section = 'production › When a disk is nearly full';
      const sizes = await run(psql(server.ownerUrl, textOf(`${section} › sql`)));
      expect(sizes)
        .to.match(/\d+ kB/)
        .and.include('(10 rows)')
        .and.include('(1 row)');
      for (const line of textOf(`${section} › sh`).split('\n')) await run(line);
      const scratch = join(dir, 'scratch');
      mkdirSync(scratch);
      const { uid, gid } = statSync(join(dir, 'data'));
      chownSync(scratch, uid, gid);
      const lend = textOf(`${section} › sql 2`);
      await run(psql(server.ownerUrl, lend.replace('/mnt/scratch/postgresql', scratch)));
      await run(psql(server.ownerUrl, 'alter role console_owner reset temp_tablespaces; drop tablespace scratch;'));
    });

    it('production › What a restore gives back, of the data of before', async () => {
      const [{ postgres }, port] = [await findPostgres(), String(await freePort())];
      const mode = await userMode(dir, postgres);
      await server.stop();
      await run('cp -a "$PGDATA" "$PGDATA.old"');
      await server.restart();
      const env = { PATH: `${dirname(postgres)}:${process.env['PATH'] ?? ''}`, PGDATA: join(dir, 'data') };
      const asServer = async (line: string): Promise<void> => {
        const command = [...mode.prefix, 'bash', '--norc', '-c', `${line} >/dev/null 2>&1`];
        expect((await runProcess(command, { env, cwd: '/', user: mode.user })).code, line).to.equal(0);
      };
      await asServer(textOf('production › What a restore gives back › sh').replace('5499', port));
      try {
        const url = new URL(server.ownerUrl);
        url.port = port;
        const wanted = textOf('production › What a restore gives back › sql');
        expect(await run(psql(url.href, `show default_transaction_read_only;\n${wanted}`))).to.match(/^ on$/m);
      } finally {
        await asServer('pg_ctl stop -D "$PGDATA.old" -m immediate');
      }
    });

    it('production › Dropping the former role', async () => {
      const client = new pg.Client({ connectionString: server.ownerUrl });
      await client.connect();
      // As on managed PostgreSQL: an administrator who is no superuser.
      await client.query("create role administrator login createrole createdb password 'only-for-tests'");
      const address = (role: string, database: string): string => {
        const url = new URL(server.url);
        [url.username, url.password, url.pathname] = [role, 'only-for-tests', `/${database}`];
        return url.href;
      };
      // The server of the tests has roles of the printed names.
      const made = (text: string): string =>
        text
          .replaceAll('…', 'only-for-tests')
          .replaceAll('console_', 'made_')
          .replaceAll('database console', 'database made');
      await run(psql(address('administrator', 'postgres'), made(textOf('production › PostgreSQL › sql'))));
      await migrateDatabase(address('made_owner', 'made'), address('made_app', 'made'));
      await run(psql(address('administrator', 'made'), made("create role console_app_2 login password '…'")));
      await migrateDatabase(address('made_owner', 'made'), address('made_app_2', 'made'));
      const former = new pg.Client({ connectionString: address('made_app', 'made') });
      former.on('error', () => undefined);
      const ended = new Promise((resolve) => former.once('end', resolve));
      await former.connect();
      await run(psql(address('administrator', 'made'), made(textOf('production › Dropping the former role › sql'))));
      await ended;
      const { rows } = await client.query("select rolname from pg_roles where rolname like 'made_app%'");
      expect(rows).to.deep.equal([{ rolname: 'made_app_2' }]);
      await client.end();
    });
  });
});
