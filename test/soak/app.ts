/** The actions of a soak, and the customer's app that comes and goes meanwhile. Used by soak.ts. */
import type { Customer } from '../chaos/support/customer.ts';
import { each } from '../chaos/support/oracle.ts';
import { pause } from '../chaos/support/pause.ts';
import type { Run } from '../chaos/support/run.ts';
import { effectsOf, endedRuns, judgeAudit, judgeKept, judgeOnce } from '../chaos/support/runs.ts';
import type { Stage } from '../chaos/support/stage.ts';
import { atTimes } from './times.ts';

export const appRecords = 40;
const kinds = ['act', 'actAgain', 'job', 'jobAgain', 'ship', 'haul'] as const;
/** Times over which the app goes and comes back, and the part of each for which it is gone. */
const [absences, awayPart] = [8, 0.25];
/** Only in a run that is longer its process is killed too: what it does not answer any more is waited for. */
const killMs = 300_000;

interface AppScene {
  readonly run: Run;
  readonly stage: Stage;
  readonly customer: Customer;
}

/** Calls actions at `times`; a call waits for nobody but itself. */
export const playActions = async ({ run, stage: { admin } }: AppScene, times: readonly number[]): Promise<void> => {
  const random = run.random.fork('actions');
  const since = performance.now();
  await each(times, times.length, async (time, n) => {
    const action = random.pick(kinds);
    const ofRecord = action === 'ship' || action === 'haul';
    const record = `t${String(random.int(0, appRecords - 1))}`;
    await pause(time - (performance.now() - since));
    const body = { action, ...(ofRecord ? { record } : {}), input: { mark: String(n), ms: random.int(0, 100) } };
    const { status, text } = await admin.post('/actions', body);
    run.expect(status === 200 || status === 202, `${action} answered ${String(status)} ${text}`);
  });
};

/** Takes the app away and back for as long as the soak lasts. */
export const playAbsences = async ({ run, customer }: AppScene, ms: number): Promise<void> => {
  const every = ms / absences;
  const times = Array.from({ length: absences }, (_, n) => (n + 0.5) * every);
  await atTimes(times, async (n) => {
    const isKilled = ms > killMs && n % 2 === 1;
    run.tell({ kind: isKilled ? 'killApp' : 'cutApp', forMs: Math.round(every * awayPart) });
    if (isKilled) await customer.unit.kill();
    else customer.wire.refuse();
    await pause(every * awayPart);
    if (isKilled) await customer.unit.start();
    await customer.online();
  });
};

/** Checks what became of each run against what the app wrote down; returns how many runs there are by status. */
export const judgeActions = async ({ run, stage, customer }: AppScene): Promise<Record<string, number>> => {
  const runs = await endedRuns(stage.admin, 240_000);
  judgeOnce(run, runs, effectsOf(customer.lines()));
  const promised = stage.journal.writes.filter(({ path }) => path === '/actions').map(({ promised }) => promised.run);
  judgeKept(run, runs, new Set(promised as string[]));
  await judgeAudit(run, stage.admin, runs);
  const counts: Record<string, number> = {};
  for (const { status } of runs.values()) counts[status as string] = (counts[status as string] ?? 0) + 1;
  return counts;
};
