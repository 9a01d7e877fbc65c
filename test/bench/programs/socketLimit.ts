/** The least that sending to many sockets costs, `ws.send` of one Buffer to each for each message that Redis brings; and socket.io. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
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

/** As much of socket.io as is used. */
interface SocketIo {
  readonly Server: new (options: object) => { listen(port: number): void };
}
interface RedisAdapter {
  createAdapter(publisher: Redis, subscriber: Redis): unknown;
}

/** Starts socket.io with its Redis adapter and as little else as possible: no polling, no ping while it is measured. */
const startSocketIo = async ({ port, folder }: { port: number; folder: string }): Promise<void> => {
  const packages = createRequire(join(folder, 'package.json'));
  const { Server } = packages('socket.io') as SocketIo;
  const { createAdapter } = packages('@socket.io/redis-adapter') as RedisAdapter;
  const url = process.env['REDIS_URL'] ?? '';
  const io = new Server({
    adapter: createAdapter(new Redis(url), new Redis(url)),
    transports: ['websocket'],
    perMessageDeflate: false,
    pingInterval: 3_600_000,
  });
  io.listen(port);
};

answerCalls({
  start,
  startSocketIo,
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
