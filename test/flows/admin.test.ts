/** The admin command as an operator runs it: a process of its own against a database whose API is running. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { verifyPassword } from '../../shared/accounts/passwords.ts';
import { program } from '../../shared/tools/services/compile.mjs';
import { clientOf } from '../support/http.ts';
import { testManifest } from '../support/manifest.ts';
import { until } from '../support/until.ts';
import { useAdmin } from './adminWorld.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const execute = promisify(execFile);
describe('the admin command', () => {
  const here = useAdmin();
  const { admin, really, within, answer, refused, holding } = here;

  it('retries and discards jobs that were given up, by kind, error and time, and says how many', async () => {
    const give = (id: string, name: string, error: string, at: string): Promise<unknown> =>
      here.world.sql(
        `insert into staged_jobs (id, env, name, payload, last_error, created_at, given_up_at)
         select $1, id, $2, '{}', $3, $4::bigint, $4::bigint from environments where name = 'demo'`,
        [`job_${id.padStart(26, '0')}`, name, error, Date.parse(at)],
      );
    await give('1', 'triageItem', 'Error: out of credit', '2026-01-31T09:30:00Z');
    await give('2', 'triageItem', 'Error: out of credit', '2026-01-31T08:30:00Z');
    await give('3', 'triageItem', 'Error: other', '2026-01-31T09:30:00Z');
    await give('4', 'erase', 'Error: out of credit', '2026-01-31T09:30:00Z');
    const selection = ['--kind', 'triageItem', '--error', 'Out Of Credit', '--since', '2026-01-31T09:00:00Z'];
    const listed = async (args: readonly string[]): Promise<number[]> => {
      const { jobs } = (await really(['job', 'list', 'demo', ...args])) as { jobs: { id: string }[] };
      return jobs.map(({ id }) => Number(id.slice(-1)));
    };
    expect(await listed([])).to.deep.equal([2, 1, 3, 4]);
    expect(await listed(selection)).to.deep.equal([1]);
    expect(await listed(['--until', '2026-01-31T09:00:00Z'])).to.deep.equal([2]);
    expect(await really(['job', 'retry', 'demo', ...selection, '--dry-run'])).to.deep.equal({ fit: 1, left: false });
    expect(await answer(['job', 'retry', 'demo', ...selection])).to.deep.equal({ changed: 1, left: false });
    expect(await answer(['job', 'discard', 'demo'])).to.deep.equal({ changed: 2, left: false });
    const left = await here.world.sql(
      'select id, last_error is not null and due_at is null as failed from staged_jobs order by id',
    );
    expect(left.map(({ id, failed }) => [Number(String(id).slice(-1)), failed])).to.deep.equal([
      [1, false],
      [4, true],
    ]);
    const audited = await here.world.sql("select verb, after from events where target_type = 'job' order by id");
    expect(audited.map(({ verb, after }) => [verb, after])).to.deep.equal([
      ['job.retry', { kind: 'triageItem', error: 'Out Of Credit', since: 1769850000000, count: 1 }],
      ['job.discard', { count: 2 }],
    ]);
    await refused(['job', 'discard', 'demo', '--kind', 'erase'], 2, 'replySend, triageItem');
    await refused(['job', 'retry', 'nowhere'], 1, 'no environment "nowhere"');
    await refused(['job', 'retry', 'demo', '--since', 'soon'], 2, '--since must be a time');
    await here.world.sql('delete from staged_jobs');
  });

  it('makes environments, defines them and tells what a new manifest retires', async () => {
    const made = await really(['environment', 'create', 'staging']);
    expect(made.environment).to.include({ name: 'staging', epoch: 1, definedAt: null });
    expect(made.baseUrl).to.equal(`http://127.0.0.1:${String(here.world.port)}/api/env/staging`);
    await refused(['environment', 'create', 'staging'], 1, 'already an environment staging');
    await refused(['environment', 'create', 'no spaces'], 2, 'the name');

    const file = join(here.folder, 'manifest.json');
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
    expect(baseUrl).to.equal(here.world.base);
    const [row] = await here.world.sql<{ principal: string }>('select principal from tokens where hash = $1', [
      createHash('sha256').update(String(token)).digest(),
    ]);
    expect(row?.principal).to.equal(agent.id);
    expect(await holding(String(token))).to.deep.equal([]);
    const status = async (of: string): Promise<number> => (await clientOf(here.world.base, of, '').get('/me')).status;
    expect(await status(token)).to.equal(200);

    const before = Date.now();
    const rotated = await really(['agent', 'rotate', 'bot', '--grace', '60000']);
    expect([await status(token), await status(rotated.token)]).to.deep.equal([200, 200]);
    const [old] = await here.world.sql<{ left: string }>(
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
    const [row] = await here.world.sql<{ hash: string }>('select password_hash as hash from people where id = $1', [
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
    const [changed] = await here.world.sql<{ hash: string }>('select password_hash as hash from people where id = $1', [
      person.id,
    ]);
    expect(await verifyPassword(next, changed?.hash ?? null)).to.equal(true);
    expect(await holding(next)).to.deep.equal([]);
    await refused(['person', 'password', 'nobody@example.com', '--password-stdin'], 1, 'nobody@example.com');
    await refused(['person', 'password', 'ana@example.com'], 2, '--password-stdin is missing');
    const common = await within(['person', 'password', 'ana@example.com', '--password-stdin'], 'Password1');
    expect(common.text).to.include('most common passwords');
    expect(common.exitCode).to.be.oneOf([1, 2]);

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
    expect(made.baseUrl).to.equal(here.world.base);
    const rotated = await answer(['app-key', 'rotate', 'app']);
    expect(rotated.token).not.to.equal(made.token);
    expect((await here.world.sql('select from tokens where principal = $1', [made.appKey.id])).length).to.equal(1);
    await answer(['app-key', 'revoke', 'app', '--environment', 'demo']);
    expect(await here.world.sql('select from tokens where principal = $1', [made.appKey.id])).to.deep.equal([]);
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
    expect(await here.world.sql(`select from agents where name = 'x'`)).to.deep.equal([]);
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
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = here.world.config;
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
      writeFileSync(join(here.folder, name), text);
      return join(here.folder, name);
    };
    const files = {
      DATABASE_URL_FILE: file('database', `${here.world.config.databaseUrl}\n`),
      MIGRATE_DATABASE_URL_FILE: file('owner', `${here.world.config.migrateDatabaseUrl}\n`),
      REDIS_URL_FILE: file('redis', `${here.world.config.redisUrl}\n`),
    };
    const list = (more: object): Promise<{ stdout: string }> =>
      execute(process.execPath, ['shared/tools/services/launch.mjs', 'admin', 'environment', 'list'], {
        cwd: root,
        env: { ...env, DATA_DIR: join(here.folder, 'data'), ...files, ...more },
      });
    expect((await list({})).stdout).to.include('demo');
    const refused = await list({ REDIS_URL: 'redis://127.0.0.1:1' }).catch((error: unknown) => error);
    expect(refused).to.deep.include({
      code: 1,
      stdout: '',
      stderr: 'REDIS_URL and REDIS_URL_FILE are both set: take one of them away.\n',
    });
    expect(existsSync(join(here.folder, 'data')), 'nothing was started').to.equal(false);
  });

  it('audits each change as the admin command’s and raises the revision with it', async () => {
    const revision = async (): Promise<number> =>
      Number((await here.world.sql<{ n: string }>('select n from revisions'))[0]?.n);
    const before = await revision();
    const { agent } = await answer(['agent', 'create', 'audited', '--role', 'viewer', '--environment', 'staging']);
    expect(await revision()).to.equal(before + 1);
    const entries = await here.world.sql(
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
    const roles = await here.world.sql<{ n: number }>(
      `select count(distinct env)::int as n from events where verb = 'role.create'`,
    );
    expect(roles[0]?.n, 'a role counts in every environment, so it is audited in every one').to.equal(2);
    const audit = await (await here.world.agent('admin')).get('/audit?verb=person.create');
    expect(audit.status).to.equal(200);
    expect(audit.body.entries[0].actor).to.include({ type: 'system', id: null, name: 'admin command' });
  });
});
