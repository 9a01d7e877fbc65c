/** Whose address the service takes a request to come from: stored in the audit log and counted by limits. */
import { createServer, request as send, type Server } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { connectApp } from '../support/app.ts';
import { clientOf, request, type Client } from '../support/http.ts';
import { head, raw } from '../support/raw.ts';
import { newWorld, type World } from '../support/world.ts';

describe('the address of a client', () => {
  const open: { close(): Promise<void> }[] = [];
  const opened = async (env: Readonly<Record<string, string>>): Promise<{ world: World; agent: Client }> => {
    const world = await newWorld({ env: { HOST: '::', ...env }, workers: false });
    open.push(world);
    return { world, agent: await world.agent('operator') };
  };
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });

  let titles = 0;
  /** Creates an item over a socket with these header lines, and returns the address that stands in the audit log. */
  const audited = async ({ world, agent }: { world: World; agent: Client }, ...lines: string[]): Promise<unknown> => {
    titles += 1;
    const requestId = `address-${String(titles)}`;
    const body = JSON.stringify({ inbox: 'mail', title: requestId });
    const reply = await raw(
      world.port,
      head(
        'POST /api/env/demo/items HTTP/1.1',
        `authorization: Bearer ${agent.token}`,
        'content-type: application/json',
        `content-length: ${String(body.length)}`,
        `x-request-id: ${requestId}`,
        ...lines,
      ) + body,
    );
    expect(reply.status, reply.text).to.equal(201);
    const rows = await world.sql('select address from events where request_id = $1 and verb is not null', [requestId]);
    expect(rows).to.have.length(1);
    return rows[0]?.['address'];
  };

  it('is the connection’s own without trusted proxies, whatever the headers say', async () => {
    const site = await opened({});
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'true-client-ip'])
      expect(await audited(site, `${name}: 198.51.100.7`)).to.equal('127.0.0.1');
    const body = { inbox: 'mail', title: 'by IPv6' };
    const { port } = site.world;
    const reply = await request('POST', `http://[::1]:${String(port)}/api/env/demo/items`, body, site.agent.token);
    const [row] = await site.world.sql('select address from events where request_id = $1 and verb is not null', [
      reply.headers.get('x-request-id'),
    ]);
    expect(row?.['address']).to.equal('::1');
  });

  it('is the one that the trusted proxies report, counted from the right: what a client sends itself is not believed', async () => {
    const site = await opened({ TRUST_PROXY: '2' });
    const cases: readonly (readonly [string, ...string[]])[] = [
      ['127.0.0.1'],
      ['198.51.100.7', 'x-forwarded-for: 198.51.100.7'],
      ['198.51.100.7', 'x-forwarded-for: 6.6.6.6, 127.0.0.1, 198.51.100.7, 10.0.0.1'],
      ['198.51.100.7', 'x-forwarded-for: 6.6.6.6', 'x-forwarded-for: 198.51.100.7', 'x-forwarded-for: 10.0.0.1'],
      ['198.51.100.7', `x-forwarded-for: ${'6.6.6.6, '.repeat(500)}198.51.100.7,10.0.0.1`],
      ['198.51.100.7', 'x-forwarded-for: 6.6.6.6,,, ,198.51.100.7 ,\t10.0.0.1'],
      ['198.51.100.7', 'x-forwarded-for: ', 'x-forwarded-for: 198.51.100.7, 10.0.0.1'],
    ];
    for (const [expected, ...lines] of cases)
      expect(await audited(site, ...lines), lines.join('; ')).to.equal(expected);
  });

  it('has one form: without port, brackets and zone, as IPv4 where IPv6 only wraps it', async () => {
    const site = await opened({ TRUST_PROXY: '1' });
    const cases = [
      ['198.51.100.7:4711', '198.51.100.7'],
      ['::ffff:198.51.100.7', '198.51.100.7'],
      ['::FFFF:c633:6407', '198.51.100.7'],
      ['[::ffff:198.51.100.7]:443', '198.51.100.7'],
      ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
      ['[2001:db8::7]', '2001:db8::7'],
      ['[2001:db8::7]:4711', '2001:db8::7'],
      ['fe80::1%eth0', 'fe80::1'],
      ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
      ['::1', '::1'],
    ] as const;
    for (const [given, expected] of cases)
      expect(await audited(site, `x-forwarded-for: 6.6.6.6, ${given}`), given).to.equal(expected);
  });

  it('is that of the proxy that reported it where the report is no address: nothing else is stored', async () => {
    const site = await opened({ TRUST_PROXY: '2' });
    const junk = [
      'unknown',
      '_hidden',
      '<script>alert(1)</script>',
      "198.51.100.7'; drop table events --",
      '198.51.100.7 6.6.6.6',
      '198.51.100',
      '256.1.1.1',
      '0x7f.1',
      '017700000001',
      '3325256711',
      '198.51.100.7:port',
      '[2001:db8::7',
      '2001:db8::7::1',
      '::ffff:999.1.1.1',
      '"198.51.100.7"',
      'localhost',
      'x'.repeat(4_000),
      '%00',
    ];
    for (const each of junk)
      expect(await audited(site, `x-forwarded-for: 6.6.6.6, ${each}, 10.0.0.1`), each).to.equal('10.0.0.1');
    expect(await audited(site, 'x-forwarded-for: unknown')).to.equal('127.0.0.1');
    expect(await audited(site, 'x-forwarded-for: unknown, none')).to.equal('127.0.0.1');
    const stored = await site.world.sql<{ address: string | null }>('select distinct address from events');
    for (const { address } of stored) expect(address === null || isIP(address) > 0, String(address)).to.equal(true);
  });

  it('is the first one from the right that is not in the trusted networks', async () => {
    const site = await opened({ TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8:1::/48, 203.0.113.9' });
    const cases = [
      ['198.51.100.7', '6.6.6.6, 198.51.100.7, 203.0.113.9, 2001:db8:1::5, 10.255.0.1'],
      ['198.51.100.7', '10.1.1.1, 198.51.100.7, ::ffff:10.0.0.1, [2001:db8:1:ffff::1]:80'],
      ['2001:db8:2::5', '10.1.1.1, 2001:db8:2::5'],
      ['203.0.113.8', '198.51.100.7, 203.0.113.8'],
      ['10.1.1.1', '10.1.1.1, 10.2.2.2'],
      ['10.2.2.2', '10.1.1.1, nonsense, 10.2.2.2'],
      ['10.200.0.1', Array.from({ length: 200 }, (_, i) => `10.${String(200 - i)}.0.1`).join(', ')],
    ] as const;
    for (const [expected, chain] of cases)
      expect(await audited(site, `x-forwarded-for: ${chain}`), chain).to.equal(expected);
  });

  it('is the connection’s own when the connection comes from no trusted network', async () => {
    const site = await opened({ TRUST_PROXY: '10.0.0.0/8' });
    expect(await audited(site, 'x-forwarded-for: 198.51.100.7')).to.equal('127.0.0.1');
  });

  describe('behind real proxies in a row', () => {
    /** Starts a proxy that appends the address of its own client, as HAProxy and nginx do; returns its port. */
    const startProxy = async (listen: string, from: string, port: number): Promise<number> => {
      const server: Server = createServer((req, res) => {
        const forwarded = [req.headers['x-forwarded-for'], req.socket.remoteAddress].filter(Boolean).join(', ');
        const headers = { ...req.headers, 'x-forwarded-for': forwarded };
        const to = { host: '127.0.0.1', port, localAddress: from, method: req.method, path: req.url, headers };
        req.pipe(send(to, (answer) => answer.pipe(res.writeHead(answer.statusCode ?? 500, answer.headers))));
      });
      await new Promise<void>((resolve) => server.listen(0, listen, resolve));
      open.push({
        close: () =>
          new Promise((resolve) => {
            server.closeAllConnections();
            server.close(() => {
              resolve();
            });
          }),
      });
      return (server.address() as AddressInfo).port;
    };

    it('is the machine that called the outermost one', async () => {
      const site = await opened({ TRUST_PROXY: '3' });
      let { port } = site.world;
      for (const hop of [2, 3, 4]) port = await startProxy('127.0.0.1', `127.0.0.${String(hop)}`, port);
      const create = (headers: Record<string, string>): Promise<string | null> =>
        new Promise((resolve, reject) => {
          const options = { host: '127.0.0.1', port, localAddress: '127.0.0.77', method: 'POST' };
          const all = { authorization: `Bearer ${site.agent.token}`, 'content-type': 'application/json', ...headers };
          send({ ...options, path: '/api/env/demo/items', headers: all }, (reply) => {
            resolve(String(reply.headers['x-request-id']));
            reply.resume();
          })
            .on('error', reject)
            .end(JSON.stringify({ inbox: 'mail', title: 'from afar' }));
        });
      for (const headers of [{}, { 'x-forwarded-for': '6.6.6.6' }, { 'x-forwarded-for': '127.0.0.2, 127.0.0.3' }]) {
        const id = await create(headers);
        const rows = await site.world.sql('select address from events where request_id = $1', [id]);
        expect(rows.map(({ address }) => address)).to.deep.equal(['127.0.0.77', '127.0.0.77'].slice(0, rows.length));
        expect(rows).not.to.have.length(0);
      }
    });
  });

  describe('in limits', () => {
    const limited = { TRUST_PROXY: '1', RATE_LIMIT: '1', RATE_BURST: '10' };
    const countBy = async (call: (from: string) => Promise<number>, addresses: readonly string[]): Promise<number> => {
      let passed = 0;
      for (const address of addresses) if ((await call(address)) !== 429) passed += 1;
      return passed;
    };
    const many = (prefix: string): string[] => Array.from({ length: 30 }, (_, i) => `${prefix}${(i + 1).toString(16)}`);
    /** One /64, in many forms; and one address of IPv4. */
    const oneBlock = [
      ...many('2001:db8:0:7:'.concat('a:b:c:')),
      ...many('[2001:0db8::7:1:2:0:').map((a) => `${a}]:80`),
    ];
    const onePlace = Array.from({ length: 30 }, (_, i) => `${i % 2 === 0 ? '::ffff:' : ''}198.51.100.7`);

    const expectLimits = async (call: (from: string) => Promise<number>): Promise<void> => {
      expect(await countBy(call, oneBlock)).to.be.within(10, 15);
      expect(await countBy(call, onePlace)).to.be.within(10, 15);
      // As many machines as there are requests, each in a /64 of its own.
      const apart = Array.from({ length: 30 }, (_, i) => `2001:db8:1:${(i + 1).toString(16)}::1`);
      expect(await countBy(call, apart)).to.equal(30);
      // What the client adds on the left gives it no other address.
      const spoofed = Array.from({ length: 30 }, (_, i) => `192.0.2.${String(i)}, 198.51.100.8`);
      expect(await countBy(call, spoofed)).to.be.within(10, 15);
    };

    it('counts requests without a token, IPv6 by /64', async () => {
      const { world } = await opened(limited);
      await expectLimits(
        async (from) =>
          (await request('GET', `${world.base}/me`, undefined, null, { headers: { 'x-forwarded-for': from } })).status,
      );
    });

    for (const path of ['live', 'app'])
      it(`counts upgrades of /${path} without a token, IPv6 by /64`, async () => {
        const { world } = await opened(limited);
        await expectLimits(
          (from) =>
            new Promise((resolve) => {
              const url = `${world.base.replace('http', 'ws')}/${path}`;
              const socket = new WebSocket(url, { headers: { 'x-forwarded-for': from } });
              socket.on('error', () => undefined);
              socket.on('unexpected-response', (req, answer) => {
                resolve(answer.statusCode ?? 0);
                req.destroy();
              });
            }),
        );
      });

    it('counts sign-ins of one /64 over all accounts together', async () => {
      const { world } = await opened({ TRUST_PROXY: '1' });
      const guess = async (from: string, account: number): Promise<number> =>
        (
          await request(
            'POST',
            `${world.base}/sign-in`,
            { email: `nobody${String(account)}@example.com`, password: 'a wrong guess' },
            null,
            { headers: { 'x-forwarded-for': from } },
          )
        ).status;
      for (const [i, from] of [...oneBlock.slice(28, 32), '2001:db8:1:1::1'].entries())
        expect(await guess(from, i)).to.equal(401);
      const counted = await world.sql<{ subject: string }>(
        "select subject from sign_in_tries where subject like 'address:%' order by subject",
      );
      expect(counted.map(({ subject }) => subject)).to.deep.equal([
        'address:2001:db8:0:7::/64',
        'address:2001:db8:1:1::/64',
      ]);
    });
  });

  it('of an app is that of its socket', async () => {
    const { world } = await opened({ TRUST_PROXY: '1' });
    const key = await world.appKey();
    const app = await connectApp(clientOf(world.base, key.token, key.id), {
      headers: { 'x-forwarded-for': '6.6.6.6, [2001:db8::7]:4711' },
    });
    open.push(app);
    await app.request('items.report', { inbox: 'mail', title: 'from an app' });
    const rows = await world.sql('select distinct address from events where actor_type = $1', ['app']);
    expect(rows).to.deep.equal([{ address: '2001:db8::7' }]);
  });
});
