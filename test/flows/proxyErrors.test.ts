/** What the load balancer of the documentation answers by itself: as the API does, so that clients read and repeat it alike. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { errors } from '../../shared/catalogue/errors.ts';
import { freePort } from '../../shared/tools/services/ports.mjs';
import { startHaproxy, type LoadBalancer } from '../support/haproxy.ts';
import { request, type Reply } from '../support/http.ts';

describe('HAProxy’s own answers', () => {
  let server: Server;
  /** The ids of the requests that have come to the process. */
  const asked: unknown[] = [];
  let balancer: LoadBalancer;
  beforeEach(async () => {
    // A process of which the one request ends with its connection, as when it is killed meanwhile.
    server = createServer(({ url, headers, socket }, response) => {
      asked.push(headers['x-request-id']);
      if (url === '/api/env/demo/items') socket.destroy();
      else response.end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    balancer = await startHaproxy([String(port), String(await freePort())]);
  });
  afterEach(async () => {
    await balancer.stop();
    server.closeAllConnections();
    server.close();
  });

  const ask = (headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
    request('GET', `${balancer.origin}/api/env/demo/items`, undefined, null, { headers });
  const headersOf = ({ headers }: Reply): (string | null)[] =>
    ['content-type', 'retry-after', 'cache-control'].map((name) => headers.get(name));

  it('are the API’s `unavailable`, with retry-after, when no process is left', async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    const reply = await ask();
    expect(reply.status, reply.text).to.equal(503);
    expect(reply.body).to.deep.equal({ error: errors.unavailable.message, code: 'unavailable' });
    expect(headersOf(reply)).to.deep.equal(['application/json', '1', 'no-store']);
    expect(reply.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
    expect((await ask({ 'x-request-id': 'the, clients' })).headers.get('x-request-id')).to.equal('the, clients');
  });

  it('and those of the API have one id, which the API gets too', async () => {
    const pass = (headers: Readonly<Record<string, string>>): Promise<Reply> =>
      request('GET', `${balancer.origin}/`, undefined, null, { headers });
    const [own, given] = [await pass({}), await pass({ 'x-request-id': 'given' })];
    expect(asked.slice(-2)).to.deep.equal([own.headers.get('x-request-id'), 'given']);
    expect(asked.at(-2)).to.match(/^[0-9a-f-]{36}$/);
    expect(given.headers.get('x-request-id')).to.equal('given');
  });

  it('say to repeat a request with its key when the process ended before it answered', async () => {
    const reply = await ask();
    expect(reply.status, reply.text).to.equal(502);
    expect(reply.body.code).to.equal('unavailable');
    expect(reply.body.error).to.include('with the same Idempotency-Key');
    expect(headersOf(reply)).to.deep.equal(['application/json', '1', 'no-store']);
  });
});
