/** The admin command as an operator runs it: a process of its own against a database whose API is running. */
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { verifyPassword } from '../../shared/settings/passwords.ts';
import { runAdmin, type CommandOutcome } from '../../shared/tools/cli/run.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { clientOf } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const execute = promisify(execFile);

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

describe('the admin command', () => {
  let world: World;
  let folder: string;

  const admin = async (args: readonly string[], input = ''): Promise<Run> => {
    const [node = '', ...command] = await program('shared/tools/cli/admin.ts', [...args]);
    return new Promise((resolve, reject) => {
      const { config } = world;
      const env = {
        ...process.env,
        DATABASE_URL: config.databaseUrl,
        MIGRATE_DATABASE_URL: config.migrateDatabaseUrl,
        REDIS_URL: config.redisUrl,
        REDIS_PREFIX: config.redisPrefix,
        PUBLIC_URL: `http://127.0.0.1:${String(world.port)}`,
      };
      const child = spawn(node, command, { cwd: root, env });
      let out = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (piece: string) => void (out += piece));
      child.stderr.setEncoding('utf8').on('data', (piece: string) => void (err += piece));
      child.once('error', reject);
      child.once('close', (code) => {
        resolve({ code, out, err });
      });
      child.stdin.end(input);
    });
  };

  /** Returns the output of `--json`, from a process as an operator starts it; fails with the command's output. */
  // Tests state what they expect of it.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const really = async (args: readonly string[], input = ''): Promise<any> => {
    const { code, out, err } = await admin([...args, '--json'], input);
    expect(code, err).to.equal(0);
    return JSON.parse(out) as unknown;
  };

  const within = (args: readonly string[], input: string): Promise<CommandOutcome> =>
    runAdmin(args, { readConfig: () => world.config, readInput: () => Promise.resolve(input) });

  /** The same without a process, for all that comes after each thing's first. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const answer = async (args: readonly string[], input = ''): Promise<any> => {
    const { exitCode, text } = await within([...args, '--json'], input);
    expect(exitCode, text).to.equal(0);
    return JSON.parse(text) as unknown;
  };

  const refused = async (args: readonly string[], code: 1 | 2, ...words: string[]): Promise<void> => {
    const { exitCode, text } = await within(args, '');
    expect(exitCode, `${args.join(' ')}: ${text}`).to.equal(code);
    for (const word of words) expect(text).to.include(word);
  };

  /** Tables with a row that holds `text` anywhere. */
  const holding = async (text: string): Promise<string[]> => {
    const tables = await world.sql<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    );
    const found = await Promise.all(
      tables.map(async ({ name }) =>
        (await world.sql(`select from "${name}" t where t::text like '%' || $1 || '%' limit 1`, [text])).length > 0
          ? [name]
          : [],
      ),
    );
    return found.flat();
  };

  before(async () => {
    world = await newWorld({ workers: false });
    folder = mkdtempSync(join(tmpdir(), 'console-admin-'));
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world.close();
  });

  it('makes environments, defines them and tells what a new manifest retires', async () => {
    const made = await really(['environment', 'create', 'staging']);
    expect(made.environment).to.include({ name: 'staging', epoch: 1, definedAt: null });
    expect(made.baseUrl).to.equal(`http://127.0.0.1:${String(world.port)}/api/env/staging`);
    await refused(['environment', 'create', 'staging'], 1, 'already an environment staging');
    await refused(['environment', 'create', 'no spaces'], 2, 'the name');

    const file = join(folder, 'manifest.json');
    writeFileSync(file, JSON.stringify(testManifest));
    expect(await answer(['environment', 'define', 'staging', '--manifest', file])).to.deep.equal({
      environment: 'staging',
      changed: true,
      warnings: [],
    });
    expect(await answer(['environment', 'define', 'staging', '--manifest', file])).to.deep.include({ changed: false });
    const [mail, refunds] = testManifest.inboxes;
    const fewer = {
      ...testManifest,
      views: [],
      inboxes: [
        mail,
        { ...refunds, states: refunds.states.filter(({ name }) => name !== 'declined'), transitions: {} },
      ],
    };
    writeFileSync(file, JSON.stringify(fewer));
    const { warnings } = await answer(['environment', 'define', 'staging', '--manifest', file]);
    expect(warnings).to.have.length(3);
    expect(warnings.join('\n'))
      .to.include('inbox bugs is retired')
      .and.to.include('inbox secret is retired')
      .and.to.include('state declined of the inbox refunds');
    writeFileSync(file, JSON.stringify({ inboxes: [{ name: 'mail', colour: 'red' }] }));
    await refused(['environment', 'define', 'staging', '--manifest', file], 2, 'inboxes.0.colour', 'not known');
    await refused(['environment', 'define', 'nowhere', '--manifest', file], 1, 'no environment "nowhere"', 'staging');

    expect((await answer(['environment', 'new-epoch', 'staging'])).environment.epoch).to.be.greaterThan(1);
    const { environments } = await really(['environment', 'list']);
    expect(environments.map(({ name }: { name: string }) => name)).to.deep.equal(['demo', 'staging']);
  });

  it('makes an agent whose token works at once and is kept only as a hash, rotates and revokes it', async () => {
    const { agent, token, baseUrl } = await really([
      'agent',
      'create',
      'bot',
      '--role',
      'operator',
      '--mode',
      'readonly',
      '--environment',
      'demo',
    ]);
    expect(agent).to.deep.include({
      name: 'bot',
      mode: 'readonly',
      environments: ['demo'],
      expiresAt: null,
      createdBy: null,
    });
    expect(baseUrl).to.equal(world.base);
    const [row] = await world.sql<{ principal: string }>('select principal from tokens where hash = $1', [
      createHash('sha256').update(String(token)).digest(),
    ]);
    expect(row?.principal).to.equal(agent.id);
    expect(await holding(String(token))).to.deep.equal([]);
    const status = async (of: string): Promise<number> => (await clientOf(world.base, of, '').get('/me')).status;
    expect(await status(token)).to.equal(200);

    const before = Date.now();
    const rotated = await really(['agent', 'rotate', 'bot', '--grace', '60000']);
    expect([await status(token), await status(rotated.token)]).to.deep.equal([200, 200]);
    const [old] = await world.sql<{ left: string }>(
      'select expires_at - $2::bigint as left from tokens where hash = $1',
      [createHash('sha256').update(String(token)).digest(), before],
    );
    expect(Number(old?.left)).to.be.within(60_000, 90_000);
    const last = await answer(['agent', 'rotate', String(agent.id)]);
    await until(
      'the former tokens are refused',
      async () => (await status(token)) === 401 && (await status(rotated.token)) === 401,
      2_000,
    );
    await really(['agent', 'revoke', 'bot']);
    await until('the last token is refused', async () => (await status(last.token)) === 401, 2_000);
    await refused(['agent', 'revoke', 'bot'], 1, 'no agent "bot"', 'agent list');
    expect((await answer(['agent', 'list'])).agents).to.deep.equal([]);
  });

  it('makes no second agent of a name, not even at once, unless it is asked to', async () => {
    const create = ['agent', 'create', 'twin', '--role', 'operator', '--environment', 'demo'];
    const both = await Promise.all([within(create, ''), within(create, '')]);
    expect(both.map(({ exitCode }) => exitCode)).to.have.members([0, 1]);
    const list = async (): Promise<{ id: string; name: string }[]> =>
      ((await answer(['agent', 'list'])) as { agents: { id: string; name: string }[] }).agents.filter(
        ({ name }) => name === 'twin',
      );
    const [first, ...others] = await list();
    expect(others).to.deep.equal([]);
    const said = [
      `"twin": ${first?.id ?? ''}, role operator, in demo`,
      `agent rotate ${first?.id ?? ''}`,
      '--same-name',
    ];
    expect(both.find(({ exitCode }) => exitCode === 1)?.text).to.include(said[0]);
    await refused([...create, '--environment', 'staging'], 1, ...said);
    const { agent: second } = await answer([...create, '--same-name']);
    expect((await list()).map(({ id }) => id)).to.deep.equal([first?.id, second.id]);
    await refused(['agent', 'revoke', 'twin'], 1, '2 agents are named "twin"; use the id');
    for (const id of [first?.id ?? '', String(second.id)]) await answer(['agent', 'revoke', id]);
    await answer(create);
    expect(await list()).to.have.length(1);
    await answer(['agent', 'revoke', 'twin']);
  });

  it('makes, changes and deletes roles, but neither built-in ones nor those in use', async () => {
    const { role } = await really([
      'role',
      'create',
      'triager',
      '--grants',
      '[{"on":"inbox:mail","can":["see","triage"]}]',
    ]);
    expect(role).to.deep.include({
      name: 'triager',
      builtIn: false,
      grants: [{ on: 'inbox:mail', can: ['see', 'triage'] }],
    });
    const { agent } = await answer(['agent', 'create', 'helper', '--role', 'triager', '--environment', '*']);
    expect(agent).to.deep.include({ environments: ['*'], role: { id: role.id, name: 'triager' } });
    const changed = await answer([
      'role',
      'update',
      'triager',
      '--grants',
      '[{"on":"inbox:*","can":["see"]}]',
      '--name',
      'reader',
    ]);
    expect(changed.role).to.deep.include({ id: role.id, name: 'reader', grants: [{ on: 'inbox:*', can: ['see'] }] });
    await refused(['role', 'delete', 'reader'], 1, 'in use', '1 agents');
    await refused(['role', 'update', 'viewer', '--grants', '[]'], 1, 'built in');
    await refused(['role', 'delete', 'admin'], 1, 'built in');
    await answer(['agent', 'revoke', 'helper']);
    await answer(['role', 'delete', 'reader']);
    const { roles } = await answer(['role', 'list']);
    expect(roles.map(({ name }: { name: string }) => name)).to.deep.equal(['admin', 'operator', 'viewer']);
  });

  it('makes people with a password that is only kept hashed, and keeps the last admin', async () => {
    const password = 'correct horse battery';
    const { person } = await really(
      ['person', 'create', 'Ana@Example.com', '--role', 'admin', '--password-stdin'],
      `${password}\n`,
    );
    expect(person).to.deep.include({ email: 'ana@example.com', name: 'Ana', environments: ['*'] });
    const [row] = await world.sql<{ hash: string }>('select password_hash as hash from people where id = $1', [
      person.id,
    ]);
    expect(row?.hash).to.match(/^scrypt\$32768\$8\$3\$/);
    expect(await holding(password)).to.deep.equal([]);
    expect([
      await verifyPassword(password, row?.hash ?? null),
      await verifyPassword(`${password}!`, row?.hash ?? null),
    ]).to.deep.equal([true, false]);

    const next = 'staple battery horse';
    expect((await answer(['person', 'password', 'ANA@example.com', '--password-stdin'], next)).person.id).to.equal(
      person.id,
    );
    const [changed] = await world.sql<{ hash: string }>('select password_hash as hash from people where id = $1', [
      person.id,
    ]);
    expect(await verifyPassword(next, changed?.hash ?? null)).to.equal(true);
    expect(await holding(next)).to.deep.equal([]);
    await refused(['person', 'password', 'nobody@example.com', '--password-stdin'], 1, 'nobody@example.com');
    await refused(['person', 'password', 'ana@example.com'], 2, '--password-stdin is missing');

    await refused(['person', 'revoke', 'ana@example.com'], 1, 'Ana is the last admin');
    await refused(['person', 'create', 'Bo@example.com', '--role', 'admin'], 2, '--password-stdin is missing');
    const bo = await answer(
      [
        'person',
        'create',
        'bo@example.com',
        '--role',
        'admin',
        '--name',
        'Bo Lund',
        '--environment',
        '*',
        '--password-stdin',
      ],
      'another one',
    );
    expect(bo.person).to.deep.include({ name: 'Bo Lund', environments: ['*'] });
    await answer(['person', 'revoke', 'ANA@example.com']);
    await refused(['person', 'revoke', 'bo@example.com'], 1, 'last admin');
    const again = await answer(
      ['person', 'create', 'ana@example.com', '--role', 'viewer', '--password-stdin'],
      'a third one',
    );
    expect(again.person.id, 'who comes back is the same person').to.equal(person.id);
    const { people } = await answer(['person', 'list']);
    expect(
      people.map(({ email, role }: { email: string; role: { name: string } }) => [email, role.name]),
    ).to.have.deep.members([
      ['ana@example.com', 'viewer'],
      ['bo@example.com', 'admin'],
    ]);
  });

  it('makes, rotates and revokes app keys of one environment', async () => {
    await refused(['app-key', 'create'], 2, '--environment', 'demo');
    const made = await really(['app-key', 'create', '--environment', 'demo']);
    expect(made.appKey).to.include({ name: 'app', environment: 'demo' });
    expect(made.token).to.match(/^capp_[0-9A-Za-z]{38}$/);
    expect(made.baseUrl).to.equal(world.base);
    const rotated = await answer(['app-key', 'rotate', 'app']);
    expect(rotated.token).not.to.equal(made.token);
    expect((await world.sql('select from tokens where principal = $1', [made.appKey.id])).length).to.equal(1);
    await answer(['app-key', 'revoke', 'app', '--environment', 'demo']);
    expect(await world.sql('select from tokens where principal = $1', [made.appKey.id])).to.deep.equal([]);
    expect((await answer(['app-key', 'list'])).appKeys).to.deep.equal([]);
  });

  it('names the app keys of the environment that have the name of a new one, and lists when each was made', async () => {
    const make = async (): Promise<string> =>
      (await within(['app-key', 'create', 'Shop', '--environment', 'demo'], '')).text;
    expect(await make()).not.to.include('already');
    const [first] = (await answer(['app-key', 'list'])).appKeys as { id: string; createdAt: number }[];
    expect(await make()).to.include(`There were keys named "Shop" in demo already: ${String(first?.id)}.`);
    const { text } = await within(['app-key', 'list'], '');
    const madeAt = `${new Date(first?.createdAt ?? 0).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    expect(text)
      .to.match(/environment +made +last used/)
      .and.to.include(madeAt);
    for (const { id } of (await answer(['app-key', 'list'])).appKeys as { id: string }[])
      await answer(['app-key', 'revoke', id]);
  });

  it('refuses what is written wrong, naming the option and the remedy', async () => {
    const wrong: readonly [args: readonly string[], ...words: string[]][] = [
      [[], 'Usage: npm run admin'],
      [['agents', 'list'], 'no "agents"', 'agent'],
      [['agent', 'make', 'x'], 'no verb "make"', 'create, list, rotate, revoke'],
      [['agent', 'create', 'x', '--rol', 'admin'], 'no option --rol', '--role'],
      [['agent', 'create', 'x', '--environment', 'demo'], '--role is missing'],
      [['agent', 'create', '--role', 'admin'], '<name> is missing'],
      [['agent', 'create', 'x', '--role', '--environment', 'demo'], '--role needs a value'],
      [['agent', 'create', 'x', '--role', 'admin', '--role', 'viewer'], '--role is given twice'],
      [['agent', 'create', 'x', 'y', '--role', 'admin', '--environment', 'demo'], '"y" is one word too many'],
      [
        ['agent', 'create', 'x', '--role', 'nobody', '--environment', 'demo'],
        '--role: there is no role "nobody"',
        'role list',
      ],
      [
        ['agent', 'create', 'x', '--role', 'admin', '--environment', 'nowhere'],
        '--environment: there is no environment "nowhere"',
      ],
      [['agent', 'create', 'x', '--role', 'admin', '--environment', 'demo', '--mode', 'sleepy'], '--mode'],
      [
        ['agent', 'create', 'x', '--role', 'admin', '--environment', 'demo', '--expires-at', '1000'],
        '--expires-at: must be in the future',
      ],
      [
        ['agent', 'create', 'x', '--role', 'admin', '--environment', 'demo', '--expires-at', 'soon'],
        '--expires-at must be a whole number',
      ],
      [['agent', 'rotate', 'x', '--grace', '604800001'], '--grace'],
      [['role', 'create', 'x', '--grants', '[{'], '--grants is not JSON', 'Example:'],
      [['role', 'create', 'x', '--grants', '[{"on":"inbox:a","can":["sing"]}]'], '--grants 0.can.0', 'triage'],
      [['role', 'create', 'x', '--grants', '[{"on":"inbox:a:b","can":["see"]}]'], '--grants 0.on'],
    ];
    for (const [args, ...words] of wrong) await refused(args, 2, ...words);
    const real = await admin(['agent', 'create', 'x', '--json', '--role', 'nobody', '--environment', 'demo']);
    expect(real).to.deep.equal({
      code: 2,
      out: '',
      err: '--role: there is no role "nobody"\nSee: npm run admin -- role list\n',
    });
    expect(await world.sql(`select from agents where name = 'x'`)).to.deep.equal([]);
  });

  it('prints the help of one thing, and names the variable and the cause of what can’t be reached', async () => {
    for (const words of [
      ['person', '--help'],
      ['person', '-h'],
      ['help', 'person'],
    ]) {
      const { code, out, err } = await admin(words);
      expect({ code, err }).to.deep.equal({ code: 0, err: '' });
      expect(out).to.match(/^Usage: npm run admin -- person /);
      expect(out).to.include('person create').and.not.to.include('role create');
    }
    expect((await admin([])).code).to.equal(2);
    const [node = '', ...command] = await program('shared/tools/cli/admin.ts', ['environment', 'list']);
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world.config;
    const away = 'postgres://nobody:secret-word@127.0.0.1:1/none';
    for (const [more, variable] of [
      [{ DATABASE_URL, MIGRATE_DATABASE_URL: away }, 'MIGRATE_DATABASE_URL'],
      [{ DATABASE_URL: away, MIGRATE_DATABASE_URL: '' }, 'DATABASE_URL'],
    ] as const) {
      const refused = await execute(node, command, { env: { ...process.env, REDIS_URL, ...more } }).catch(
        (error: unknown) => error,
      );
      expect(refused).to.deep.include({
        code: 1,
        stderr: `PostgreSQL at 127.0.0.1:1 can’t be reached: the connection is refused, as nothing listens there (ECONNREFUSED). Is it running, and is ${variable} right?\n`,
      });
    }
  });

  it('takes its addresses from files, also when npm starts it', async () => {
    const { DATABASE_URL: _database, MIGRATE_DATABASE_URL: _owner, REDIS_URL: _redis, ...env } = process.env;
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const files = {
      DATABASE_URL_FILE: file('database', `${world.config.databaseUrl}\n`),
      MIGRATE_DATABASE_URL_FILE: file('owner', `${world.config.migrateDatabaseUrl}\n`),
      REDIS_URL_FILE: file('redis', `${world.config.redisUrl}\n`),
    };
    const list = (more: object): Promise<{ stdout: string }> =>
      execute(process.execPath, ['shared/tools/services/launch.mjs', 'admin', 'environment', 'list'], {
        cwd: root,
        env: { ...env, DATA_DIR: join(folder, 'data'), ...files, ...more },
      });
    expect((await list({})).stdout).to.include('demo');
    const refused = await list({ REDIS_URL: 'redis://127.0.0.1:1' }).catch((error: unknown) => error);
    expect(refused).to.deep.include({
      code: 1,
      stdout: '',
      stderr: 'REDIS_URL and REDIS_URL_FILE are both set: take one of them away.\n',
    });
    expect(existsSync(join(folder, 'data')), 'nothing was started').to.equal(false);
  });

  it('audits each change as the admin command’s and raises the revision with it', async () => {
    const revision = async (): Promise<number> =>
      Number((await world.sql<{ n: string }>('select n from revisions'))[0]?.n);
    const before = await revision();
    const { agent } = await answer(['agent', 'create', 'audited', '--role', 'viewer', '--environment', 'staging']);
    expect(await revision()).to.equal(before + 1);
    const entries = await world.sql(
      `select e.name as env, actor_type, actor, actor_name, verb, target_type, after from events join environments e on e.id = events.env where target = $1`,
      [agent.id],
    );
    expect(entries).to.deep.equal([
      {
        env: 'staging',
        actor_type: 'system',
        actor: null,
        actor_name: 'admin command',
        verb: 'agent.create',
        target_type: 'agent',
        after: { name: 'audited', role: 'viewer', mode: 'normal', environments: ['staging'], expiresAt: null },
      },
    ]);
    const roles = await world.sql<{ n: number }>(
      `select count(distinct env)::int as n from events where verb = 'role.create'`,
    );
    expect(roles[0]?.n, 'a role counts in every environment, so it is audited in every one').to.equal(2);
    const audit = await (await world.agent('admin')).get('/audit?verb=person.create');
    expect(audit.status).to.equal(200);
    expect(audit.body.entries[0].actor).to.include({ type: 'system', id: null, name: 'admin command' });
  });
});
