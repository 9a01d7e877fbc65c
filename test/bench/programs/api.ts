/** The API process as it is deployed, with an ear for questions about its memory, its time, its event loop and its code. */
import { Session } from 'node:inspector/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { answerCalls } from '../ipc.ts';

/** The folder in which the project was compiled, file by file. */
const compiled = fileURLToPath(new URL('../../../', import.meta.url));
const profiler = new Session();
const delays = monitorEventLoopDelay({ resolution: 1 });

await import('../../../api/main.ts');

answerCalls({
  /** Microseconds of processor time so far. */
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** Bytes, after everything that can be collected was. */
  memory: () => {
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage().rss;
  },
  watchLoop: () => {
    delays.reset();
    delays.enable();
  },
  /** The longest delay of the event loop since `watchLoop`, in ms. */
  loopDelay: () => {
    delays.disable();
    return delays.max / 1e6;
  },
  /** Begins to count the calls of functions, which costs time. */
  watchCode: async () => {
    profiler.connect();
    await profiler.post('Profiler.enable');
    await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  },
  /** The functions that were called since it was asked last, by file of the project. */
  takeCode: async () => {
    const { result } = await profiler.post('Profiler.takePreciseCoverage');
    const called = result.flatMap(({ url, functions }) => {
      const file = url.startsWith('file:') ? fileURLToPath(url) : '';
      if (!file.startsWith(compiled) || file.includes('/test/')) return [];
      const names = functions.flatMap(({ functionName, ranges: [whole] }) =>
        whole !== undefined && whole.count > 0 ? [`${functionName}:${String(whole.startOffset)}`] : [],
      );
      return names.length === 0 ? [] : [[file.slice(compiled.length), names]];
    });
    return Object.fromEntries(called) as Record<string, string[]>;
  },
});
