/** Ports: several starts at once take different ones, and a process whose port is taken says so. */
import { createServer } from 'node:net';
import { expect } from 'chai';
import { listen } from '../../shared/platform/http.ts';
import { freePort, holdPortFrom } from '../../shared/tools/services/ports.mjs';

describe('ports', () => {
  it('are held by whoever takes them, so that starts at once take different ones', async () => {
    const wished = await freePort();
    const held = await Promise.all([1, 2, 3, 4].map(() => holdPortFrom(wished)));
    try {
      expect(new Set(held.map(({ port }) => port)).size).to.equal(4);
      expect(held.map(({ port }) => port)).to.include(wished);
    } finally {
      await Promise.all(held.map(({ release }) => release()));
    }
  });

  it('are free for the program that they were held for', async () => {
    const { port, release } = await holdPortFrom(0);
    const server = createServer();
    let refused: unknown;
    await listen(createServer(), port, '127.0.0.1').catch((error: unknown) => (refused = error));
    expect(refused).to.have.property(
      'message',
      `The process can't listen on 127.0.0.1:${String(port)}: another program listens there.`,
    );
    await release();
    await listen(server, port, '127.0.0.1');
    server.close();
  });
});
