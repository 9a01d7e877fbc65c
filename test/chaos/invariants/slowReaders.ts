/** 8. Sockets that don't read cost little and are cut off, others don't notice, and who reads slowly gets everything. */
import { bulkDone, tagAll } from '../support/bulks.ts';
import { heardProblems } from '../support/fold.ts';
import { makeItems } from '../support/load.ts';
import { listItems } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import { Recorder } from '../support/recorder.ts';
import type { Invariant } from '../support/run.ts';
import { openStalled } from '../support/stalled.ts';
import { until } from '../../support/until.ts';

const growthMiB = 150;
const stallMs = 15_000;
/** Looked at once a second, a close frame's grace of 3 s, and how often this end tries. */
const noticeMs = 8_000;
/** Below it a difference is the machine's, not the service's. */
const calmMs = 250;

const p99 = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;

export const slowReaders: Invariant = {
  number: 8,
  title: 'slow readers cost little and disturb nobody',
  site: { short: { apis: 1, workers: 1 }, long: { apis: 1, workers: 2 } },
  run: async (run, site) => {
    const { admin, bases } = await run.stage(site, 'slowReaders');
    const [api] = site.apis;
    const [base] = bases();
    if (api === undefined || base === undefined) throw new Error('There is no API.');
    let latencies: number[] = [];
    const onMessage = (message: { type: string; at: number }): void => {
      if (message.type === 'item') latencies.push(Date.now() - message.at);
    };
    // All at the API whose memory is looked at.
    const only = { ...admin, bases: () => [base] };
    const quick = Array.from({ length: 3 }, () => new Recorder(only, { onMessage }));
    const slow = Array.from({ length: 2 }, () => new Recorder(only));
    await Promise.all([...quick, ...slow].map(({ joined }) => joined));
    // More than the kernel takes for a socket that doesn't read (some 10 MB), also in the short form.
    const ids = await makeItems(admin, run.size('items', { short: 2_500, long: 5_000 }), 'mail', 1_500);
    const flood = async (name: string, bulks: number): Promise<void> => {
      latencies = [];
      for (let n = 0; n < bulks; n++) await bulkDone(admin, await tagAll(admin, ids, `${name}${String(n)}`));
      await site.settled();
    };

    await flood('warm', 1);
    await flood('before', 2);
    const before = p99(latencies);
    const sockets = await Promise.all(Array.from({ length: run.size('stalled sockets', { short: 40, long: 100 }) }, () => openStalled(base, admin.token)));
    const crawl = setInterval(() => {
      for (const { socket } of slow) {
        socket?.resume();
        setImmediate(() => { socket?.pause(); });
      }
    }, 20);
    await pause(1_000);
    const memory = api.memory();
    let peak = memory;
    const watch = setInterval(() => { peak = Math.max(peak, api.memory()); }, 250);
    // Each change of an item is two messages.
    const messages = run.size('messages', { short: 20_000, long: 50_000 });
    await flood('flood', Math.ceil(messages / 2 / ids.length));
    const during = p99(latencies);
    const since = Date.now();
    const isCut = (): boolean => sockets.every((socket) => socket.endedAt() !== null);
    await until('the stalled sockets are cut off', isCut, stallMs + noticeMs).catch(() => undefined);
    const left = sockets.filter((socket) => socket.endedAt() === null).length;
    run.expect(left === 0, `${String(left)} stalled sockets are open ${String(Date.now() - since)} ms after the flood`);
    run.measure('last cut off after the flood s', Math.max(...sockets.map((socket) => (socket.endedAt() ?? Date.now()) - since)) / 1000);
    clearInterval(watch);
    clearInterval(crawl);
    for (const { socket } of slow) socket?.resume();
    const list = await listItems(admin);
    for (const problem of await heardProblems([...quick, ...slow].map((recorder) => ({ recorder, list })), 60_000)) run.problem(problem);
    for (const recorder of [...quick, ...slow]) run.expect(recorder.connects === 1, 'a subscriber that reads was cut off');
    for (const socket of sockets) socket.close();
    run.measure('memory before MiB', memory);
    run.measure('memory growth MiB', peak - memory);
    run.expect(peak - memory < growthMiB, `memory grew by ${String(Math.round(peak - memory))} MiB`);
    run.measure('p99 of the others before ms', before);
    run.measure('p99 of the others meanwhile ms', during);
    run.expect(during <= 2 * Math.max(before, calmMs), `the p99 of the others went from ${String(before)} to ${String(during)} ms`);
  },
};
