/** The logs of API and workers at the highest level, in a run that uses every kind of secret: none of them stands there. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';
import { startRedis, type RedisServer } from '../../shared/tools/services/redis.mjs';
import { connectApp } from '../support/app.ts';
import { clientOf, request, type Client, type Reply } from '../support/http.ts';
import { openLive } from '../support/live.ts';
import { openMailBox, type MailBox } from '../support/mail.ts';
import { startProgram, type Program } from '../support/processes.ts';
import { head, raw } from '../support/raw.ts';
import { until } from '../support/until.ts';
import { newWorld, type World } from '../support/world.ts';

const manifest = {
  inboxes: [
    {
      name: 'mail',
      fields: { type: 'object', properties: { email: { type: 'string' } } },
      reply: { via: 'smtp', from: 'Support <support@example.com>', to: '{{item.fields.email}}' },
    },
  ],
};

describe('the logs at the highest level', () => {
  let dir: string;
  let redis: RedisServer;
  let redisControl: Redis;
  let mail: MailBox;
  let world: World;
  const programs: Program[] = [];
  /** Every secret of the run, with what it is for. */
  const secrets = new Map<string, string>();
  const secret = (what: string, value: string): string => {
    secrets.set(value, what);
    return value;
  };
  const redisPassword = secret('the password of Redis', 'redis-Passw0rd/%+1');
  const mailPassword = secret('the password of the mail server', 'mail-Passw0rd-2');
  const ownPassword = secret('a password', 'the owner’s own "password" 3');

  const start = async (path: 'api/main.ts' | 'workers/main.ts', more: object = {}): Promise<Program> => {
    const program = await startProgram(world, path, {
      LOG_LEVEL: 'trace',
      TRUST_PROXY: '1',
      SMTP_URL: `smtp://mailer:${mailPassword}@${new URL(mail.url).host}`,
      ...more,
    });
    programs.push(program);
    return program;
  };

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'console-redis-'));
    redis = await startRedis({ dir });
    redisControl = new Redis(redis.url);
    redisControl.on('error', () => undefined);
    await redisControl.config('SET', 'requirepass', redisPassword);
    mail = await openMailBox(0, {
      disabledCommands: ['STARTTLS'],
      onAuth: (_auth, _session, done) => done(new Error('No')),
    });
    const { port } = new URL(redis.url);
    world = await newWorld({
      server: false,
      workers: false,
      manifest,
      env: { REDIS_URL: `redis://:${encodeURIComponent(redisPassword)}@127.0.0.1:${port}` },
    });
    for (const [what, url] of Object.entries({
      service: world.config.databaseUrl,
      owner: world.config.migrateDatabaseUrl,
    }))
      secret(`the password of PostgreSQL's ${what}`, new URL(url).password);
  });
  after(async () => {
    await Promise.all(programs.map((program) => program.end()));
    await world.close();
    await mail.close();
    redisControl.disconnect();
    await redis.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const tokenOf = (what: string, { status, body, text }: Reply): string => {
    expect(status, text).to.be.within(200, 299);
    return secret(what, String(body.token));
  };

  const signIn = async (base: string): Promise<Client> => {
    const email = 'owner@example.com';
    const boss = await world.person('admin', 'Owner', { email, password: ownPassword });
    const given = { headers: { 'x-forwarded-for': '192.0.2.7' } };
    const attempt = (password: string): Promise<Reply> =>
      request('POST', `${base}/sign-in`, { email, password }, null, given);
    expect((await attempt(secret('a wrong password', 'a guess of somebody 4'))).status).to.equal(401);
    await request(
      'POST',
      `${base}/sign-in`,
      { email: secret('what was typed as an address', 'typed-as-address-5'), password: 'x' },
      null,
      given,
    );
    const signedIn = await attempt(ownPassword);
    const session = clientOf(base, tokenOf('a session', signedIn), boss.id);
    await session.post('/sign-in/fresh', { password: secret('a wrong fresh password', 'stale guess 6') });
    expect((await session.post('/sign-in/fresh', { password: ownPassword })).status).to.equal(200);
    await request('GET', `${base}/me`, undefined, null, {
      headers: { cookie: signedIn.headers.get('set-cookie') ?? '' },
    });
    await session.post('/settings/people', {
      email: 'second@example.com',
      name: 'Second',
      role: 'viewer',
      password: secret('a password that was set', 'the password of another 7'),
    });
    return session;
  };

  const useCredentials = async (session: Client, base: string): Promise<{ agent: Client; key: Client }> => {
    const made = await session.post('/settings/agents', { name: 'Bot', role: 'operator' });
    const first = tokenOf('the token of an agent', made);
    const path = `/settings/agents/${String(made.body.agent.id)}/rotate`;
    const rotated = tokenOf('a rotated token', await session.post(path, { grace: 60_000 }));
    const key = tokenOf('an app key', await session.post('/settings/app-keys', { name: 'Shop' }));
    const agent = clientOf(base, rotated, 'bot');
    expect((await clientOf(base, first, 'bot').get('/me')).status).to.equal(200);
    await agent.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await request('GET', `${base}/me?token=${first}`, undefined, null);
    return { agent, key: clientOf(base, key, 'shop') };
  };

  const useSockets = async (agent: Client, key: Client): Promise<void> => {
    const { body } = await agent.post('/live/tickets');
    const ticket = secret('a ticket', String(body.ticket));
    const address = `${agent.base.replace('http', 'ws')}/live`;
    await (await openLive(agent)).close();
    const open = (url: string, ...protocols: string[]): Promise<void> =>
      new Promise((resolve) => {
        const socket = new WebSocket(url, protocols);
        // Refused ones are an error.
        socket.on('error', () => {
          resolve();
        });
        socket.once('message', () => {
          socket.terminate();
          resolve();
        });
      });
    await open(`${address}?ticket=${ticket}`);
    await open(`${address}?ticket=${ticket}`);
    await open(address, 'console.v1', `bearer.${agent.token}`);
    const app = await connectApp(key, { manifest });
    app.raw(`{"jsonrpc":"2.0","id":1,"method":"nothing","params":{"token":"${key.token}"}}`);
    app.raw(`not JSON: ${key.token}`);
    await app.request('nothing', { token: key.token }).catch(() => undefined);
    await app.close();
  };

  const sendBroken = async (port: number, token: string): Promise<void> => {
    for (const bytes of [
      `GET /api/env/demo/me HTTP/1.1\r\nauthorization Bearer ${token}\r\n\r\n`,
      head('GET /api/env/demo/me HTTP/1.1', `authorization: Bearer ${token}`, `x: ${'y'.repeat(20_000)}`),
      head(
        'POST /api/env/demo/items HTTP/1.1',
        `authorization: Bearer ${token}`,
        'content-type: application/json',
        'content-length: 3',
      ) + '{"a',
    ])
      await raw(port, bytes);
  };

  /** Ends all connections to PostgreSQL while requests are under way, so that statements fail. */
  const failStatements = async (agent: Client, attempt: () => Promise<unknown>): Promise<void> => {
    for (let round = 0; round < 3; round++) {
      const calls = [attempt(), agent.post('/items', { inbox: 'mail', title: 'x' }), agent.get('/items')];
      await world.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'console-%'",
      );
      await Promise.all(calls);
    }
  };

  it('hold no password, no token and no ticket', async () => {
    const api = await start('api/main.ts');
    const worker = await start('workers/main.ts');
    const port = Number(api.port);
    const base = `http://127.0.0.1:${api.port}/api/env/demo`;
    const session = await signIn(base);
    const { agent, key } = await useCredentials(session, base);
    await useSockets(agent, key);
    await sendBroken(port, agent.token);
    const created = await agent.post('/items', {
      inbox: 'mail',
      title: 'A letter',
      data: { email: 'a@example.com' },
    });
    expect(created.status, created.text).to.equal(201);
    expect(
      (await agent.post(`/items/${String(created.body.item.id)}/reply`, { subject: 'Re', text: 'Hello' })).status,
    ).to.equal(202);
    await until('the mail server was asked', () => mail.connections() > 0, 20_000);
    await failStatements(agent, () => session.post('/sign-in/fresh', { password: ownPassword }));

    await redisControl.config('SET', 'requirepass', 'another password');
    await redisControl.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await redisControl.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    for (const program of [api, worker])
      await until('Redis refuses the old password', () => /WRONGPASS|refuses/.test(program.said()), 20_000);
    expect((await agent.get('/me')).status).to.equal(200);
    for (const program of [api, worker]) program.child.kill('SIGTERM');

    for (const program of programs) {
      await until('it has stopped', () => program.child.exitCode !== null, 20_000);
      const said = program.said();
      expect(said.length).to.be.above(1_000);
      const shown = [...secrets].flatMap(([value, what]) =>
        [
          value,
          JSON.stringify(value).slice(1, -1),
          encodeURIComponent(value),
          Buffer.from(value).toString('base64'),
        ].some((form) => said.includes(form))
          ? [what]
          : [],
      );
      const lines = said.split('\n').filter((line) => [...secrets.keys()].some((value) => line.includes(value)));
      expect(shown, lines.slice(0, 3).join('\n').slice(0, 2_000)).to.deep.equal([]);
    }
  });
});
