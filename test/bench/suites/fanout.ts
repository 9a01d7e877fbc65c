/** One message to 1,000 and 5,000 sockets, one at a time and in bursts, against `ws.send` of one Buffer, and socket.io; memory of idle sockets. */
import { freePort } from '../../../shared/tools/services/ports.mjs';
import { inTurn, type Bench, type Suite } from '../bench.ts';
import { environment } from '../database.ts';
import type { Program } from '../ipc.ts';
import { median } from '../numbers.ts';
import type { Told } from '../programs/subscribers.ts';
import type { Target } from '../publishers.ts';
import type { Address } from '../rawSocket.ts';
import { atLeast, atMost, peer, type Figure } from '../report.ts';

const burst = 300;

interface Side {
  readonly server: Program;
  readonly subscribers: Program;
  readonly to: Target;
  /** Frames that each socket is sent at first. */
  readonly greetings: number;
  readonly address: Address;
}

interface Result extends Told {
  /** Processor time of the server, in µs. */
  readonly cpuPerFrame: number;
}

const telling =
  (bench: Bench, { server, subscribers, to }: Side, size: number) =>
  async (): Promise<Result> => {
    const before = await server.call<number>('cpu');
    const told = await subscribers.call<Told>('tell', { to, burst: size, ms: bench.options.seconds * 1000 });
    const after = await server.call<number>('cpu');
    return { ...told, cpuPerFrame: (after - before) / told.frames };
  };

/** V8 gives back what it no longer needs some seconds after a collection. */
const settlingMs = 8_000;

/** Returns the bytes of an idle server: the least within `settlingMs`. */
const settledMemory = async (server: Program): Promise<number> => {
  let least = Number.POSITIVE_INFINITY;
  for (const end = performance.now() + settlingMs; performance.now() < end;) {
    least = Math.min(least, await server.call<number>('memory'));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  return least;
};

/** KB of the server for each socket that does nothing. */
const connectAll = async ({ server, subscribers, address, greetings }: Side, count: number): Promise<number> => {
  const before = await settledMemory(server);
  await subscribers.call('open', { address, count, greetings });
  const after = await settledMemory(server);
  return (after - before) / 1024 / count;
};

const figures = (
  count: number,
  size: number,
  ours: readonly Result[],
  limit: readonly Result[],
  socketIo: readonly Result[],
): Figure => {
  const of = (which: keyof Result, results: readonly Result[]): number => median(results.map((each) => each[which]));
  const what = `live fan-out, ${count.toLocaleString('en-US')} sockets, ${size === 1 ? 'one message at a time' : `bursts of ${String(size)}`}`;
  return {
    suite: 'fanout',
    what,
    unit: 'frames/s',
    ...atLeast(of('framesPerSecond', ours), of('framesPerSecond', limit), size === 1 ? 0.95 : 8),
    peers: peer('socket.io', socketIo, (results) => of('framesPerSecond', results)),
    note: `server CPU µs a frame: ours ${of('cpuPerFrame', ours).toFixed(1)}, limit ${of('cpuPerFrame', limit).toFixed(1)}; a round ms: ours ${of('roundMs', ours).toFixed(1)}, limit ${of('roundMs', limit).toFixed(1)}`,
  };
};

/** Starts socket.io, whose sockets are sent two frames at first and ask for their namespace between them. */
const startPeer = async (server: Program, subscribers: Program, port: number, folder: string): Promise<Side> => {
  await server.call('startSocketIo', { port, folder });
  const address = { port, path: '/socket.io/?EIO=4&transport=websocket', token: '', first: '40' };
  return { server, subscribers, to: { kind: 'socketIo', folder }, greetings: 2, address };
};

const withSockets = async (bench: Bench, count: number): Promise<Figure[]> => {
  const { database, env, options } = bench;
  const [port, peerPort, folder] = [await freePort(), await freePort(), await bench.peer('socket.io')];
  const [api, server, socketIo, mine, theirs, others] = await Promise.all([
    bench.api(),
    bench.start('socketLimit', {}, ['--expose-gc']),
    bench.start('socketLimit', {}, ['--expose-gc']),
    bench.start('subscribers'),
    bench.start('subscribers'),
    bench.start('subscribers'),
  ]);
  const limitChannel = `${String(env['REDIS_PREFIX'])}:limit`;
  await server.call('start', { port, channel: limitChannel });
  const { token } = await database.token('admin');
  const ours: Side = {
    server: api,
    subscribers: mine,
    to: { kind: 'stream', env: database.env },
    greetings: 1,
    address: { port: api.port, path: `/api/env/${environment}/live`, token },
  };
  const limit: Side = {
    server,
    subscribers: theirs,
    to: { kind: 'channel', name: limitChannel },
    greetings: 0,
    address: { port, path: '/', token },
  };
  const peerSide = folder === null ? null : await startPeer(socketIo, others, peerPort, folder);
  const [kb, least] = [await connectAll(ours, count), await connectAll(limit, count)];
  const peerKb = peerSide === null ? [] : [await connectAll(peerSide, count)];
  const found = await inTurn(options.rounds, {
    ours: telling(bench, ours, 1),
    limit: telling(bench, limit, 1),
    socketIo: peerSide === null ? null : telling(bench, peerSide, 1),
    oursBurst: telling(bench, ours, burst),
    limitBurst: telling(bench, limit, burst),
    socketIoBurst: peerSide === null ? null : telling(bench, peerSide, burst),
  });
  await bench.clear();
  return [
    figures(count, 1, found.ours, found.limit, found.socketIo),
    figures(count, burst, found.oursBurst, found.limitBurst, found.socketIoBurst),
    {
      suite: 'fanout',
      what: `memory of an idle socket of ${count.toLocaleString('en-US')}`,
      unit: 'KB',
      ...atMost(kb, 6, 'KB'),
      limit: least,
      peers: peer('socket.io', peerKb, median),
    },
  ];
};

export const fanout: Suite = {
  name: 'fanout',
  run: async (bench) => [
    ...(await withSockets(bench, 1_000)),
    ...(bench.options.quick ? [] : await withSockets(bench, 5_000)),
  ],
};
