/** The API process as it is deployed, with an ear for questions about its memory, its time and its event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerCalls } from '../ipc.ts';

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
});
