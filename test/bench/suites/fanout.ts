/** One message to 1,000 and 5,000 sockets, one at a time and in bursts, against `ws.send` of one Buffer; memory of idle sockets. */
import { freePort } from '../../../shared/tools/services/ports.mjs';
import { inTurn, type Bench, type Suite } from '../bench.ts';
import { environment } from '../database.ts';
import type { Program } from '../ipc.ts';
import { median } from '../numbers.ts';
import type { Telling, Told } from '../programs/subscribers.ts';
import { atLeast, atMost, type Figure } from '../report.ts';

const burst = 300;

interface Side {
  readonly server: Program;
  readonly subscribers: Program;
  readonly to: Telling['to'];
  /** Whether a socket is greeted with a frame. */
  readonly hello: boolean;
  readonly address: { readonly port: number; readonly path: string; readonly token: string };
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

/** KB of the server for each socket that does nothing. */
const connectAll = async ({ server, subscribers, address, hello }: Side, count: number): Promise<number> => {
  const before = await server.call<number>('memory');
  await subscribers.call('open', { address, count, hello });
  await new Promise((resolve) => setTimeout(resolve, 500));
  const after = await server.call<number>('memory');
  return (after - before) / 1024 / count;
};

const figures = (count: number, size: number, ours: readonly Result[], limit: readonly Result[]): Figure => {
  const of = (which: keyof Result, results: readonly Result[]): number => median(results.map((each) => each[which]));
  const what = `live fan-out, ${count.toLocaleString('en-US')} sockets, ${size === 1 ? 'one message at a time' : `bursts of ${String(size)}`}`;
  return {
    suite: 'fanout',
    what,
    unit: 'frames/s',
    ...atLeast(of('framesPerSecond', ours), of('framesPerSecond', limit), size === 1 ? 0.95 : 8),
    note: `server CPU µs a frame: ours ${of('cpuPerFrame', ours).toFixed(1)}, limit ${of('cpuPerFrame', limit).toFixed(1)}; a round ms: ours ${of('roundMs', ours).toFixed(1)}, limit ${of('roundMs', limit).toFixed(1)}`,
  };
};

const withSockets = async (bench: Bench, count: number): Promise<Figure[]> => {
  const { database, env, options } = bench;
  const port = await freePort();
  const [api, server, mine, theirs] = await Promise.all([
    bench.api(),
    bench.start('socketLimit', {}, ['--expose-gc']),
    bench.start('subscribers'),
    bench.start('subscribers'),
  ]);
  const limitChannel = `${String(env['REDIS_PREFIX'])}:limit`;
  await server.call('start', { port, channel: limitChannel });
  const { token } = await database.token('admin');
  const ours: Side = {
    server: api,
    subscribers: mine,
    to: database.env,
    hello: true,
    address: { port: api.port, path: `/api/env/${environment}/live`, token },
  };
  const limit: Side = {
    server,
    subscribers: theirs,
    to: limitChannel,
    hello: false,
    address: { port, path: '/', token },
  };
  const [kb, least] = [await connectAll(ours, count), await connectAll(limit, count)];
  const found = await inTurn(options.rounds, {
    ours: telling(bench, ours, 1),
    limit: telling(bench, limit, 1),
    oursBurst: telling(bench, ours, burst),
    limitBurst: telling(bench, limit, burst),
  });
  await bench.clear();
  return [
    figures(count, 1, found.ours, found.limit),
    figures(count, burst, found.oursBurst, found.limitBurst),
    {
      suite: 'fanout',
      what: `memory of an idle socket of ${count.toLocaleString('en-US')}`,
      unit: 'KB',
      ...atMost(kb, 6, 'KB'),
      limit: least,
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
