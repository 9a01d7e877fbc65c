/** The worker process as it is deployed. */
import { answerCalls } from '../ipc.ts';

await import('../../../workers/main.ts');

answerCalls({
  /** Microseconds of processor time so far. */
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});
