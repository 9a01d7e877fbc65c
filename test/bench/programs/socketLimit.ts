/** The least that sending to many sockets costs: `ws.send` of one Buffer to each, for each message that Redis brings. */
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { WebSocketServer } from 'ws';
import { answerCalls } from '../ipc.ts';

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });

const start = async ({ port, channel }: { port: number; channel: string }): Promise<void> => {
  const redis = new Redis(process.env['REDIS_URL'] ?? '');
  await redis.subscribe(channel);
  redis.on('message', (_channel, text) => {
    for (const line of text.split('\n')) {
      const message = Buffer.from(line);
      for (const socket of sockets.clients) socket.send(message, { binary: false });
    }
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
};

answerCalls({
  start,
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  memory: () => {
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage().rss;
  },
});
