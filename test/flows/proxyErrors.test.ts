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
  let balancer: LoadBalancer;
  beforeEach(async () => {
    // A process of which the one request ends with its connection, as when it is killed meanwhile.
    server = createServer((asked, response) => {
      if (asked.url === '/api/env/demo/items') asked.socket.destroy();
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

  const ask = (): Promise<Reply> => request('GET', `${balancer.origin}/api/env/demo/items`, undefined, null);
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
  });

  it('say to repeat a request with its key when the process ended before it answered', async () => {
    const reply = await ask();
    expect(reply.status, reply.text).to.equal(502);
    expect(reply.body.code).to.equal('unavailable');
    expect(reply.body.error).to.include('with the same Idempotency-Key');
    expect(headersOf(reply)).to.deep.equal(['application/json', '1', 'no-store']);
  });
});
