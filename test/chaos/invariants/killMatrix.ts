/**
 * 22. Each run is done once or honestly unknown: for every step of a run and every process that may end there, what the
 * service reports of the run against what the app wrote down that it did.
 */
import { playBursts } from '../support/bursts.ts';
import {
  askFrozen,
  askOffline,
  askOnline,
  letGo,
  openRow,
  steps,
  type Cell,
  type Row,
  type Step,
} from '../support/matrix.ts';
import { matrixFaults, type FaultName, type MatrixFault, type Reach } from '../support/matrixFaults.ts';
import type { Json } from '../support/oracle.ts';
import { pause } from '../support/pause.ts';
import type { Invariant, Run } from '../support/run.ts';
import {
  effectsOf,
  endedRuns,
  isRepeatable,
  judgeAudit,
  judgeKept,
  judgeOnce,
  judgeTimeline,
} from '../support/runs.ts';

/** A lost answer is waited for a minute, then a repeatable run is dispatched again. */
const endedMs = { short: 60_000, long: 180_000 };
const chosen: Readonly<Record<'short' | 'long', readonly FaultName[]>> = {
  short: ['holderKilled', 'otherKilled', 'workersKilled', 'redisFlushed'],
  long: Object.keys(matrixFaults) as FaultName[],
};

/** What may come of a run, as status and how often it acted; every other cell ends well: the app is there, with what it knows. */
const allowed = (step: Step, fault: FaultName, repeatable: boolean): readonly string[] => {
  const fine = 'succeeded/1';
  if (fault === 'appKilled') {
    // Another process took its place, which knows nothing of what it had done.
    if (step === 'handed over') return repeatable ? [fine] : ['unknown/0'];
    if (step === 'acted') return repeatable ? ['succeeded/2'] : ['unknown/1'];
  }
  // Dispatched into a socket that was gone already: nobody can know that it never arrived.
  if (step === 'accepted' && (fault === 'appKilled' || fault === 'cut') && !repeatable) return [fine, 'unknown/0'];
  return [fine];
};

/** One fault, with runs at every step when it happens. */
const happen = async (run: Run, reach: Reach, rows: readonly Row[], fault: FaultName): Promise<void> => {
  const { site, holder, other, customers } = reach;
  const { name, forMs, withinMs, frozen, begin, end }: MatrixFault = matrixFaults[fault];
  run.say(name);
  const cells: Cell[] = rows.map((row) => ({
    row,
    name: `${fault}-${row.step.replace(' ', '-')}`,
    count: run.scale === 'long' ? 2 : 1,
  }));
  await Promise.all(customers.map((customer) => customer.offline()));
  await Promise.all(cells.map(askOffline));
  await Promise.all(rows.filter(({ step }) => step !== 'queued').map(({ customer }) => customer.online()));
  await Promise.all(cells.map(askOnline));
  for (const cell of cells) if (cell.row.step === 'accepted') await askFrozen(cell, site, holder);
  const asleep = frozen?.(reach) ?? [];
  for (const unit of asleep) unit.freeze();
  await begin(reach);
  for (const unit of [holder, other, ...site.workers]) if (!asleep.includes(unit)) unit.thaw();
  for (const cell of cells) letGo(cell);
  await pause(forMs);
  for (const unit of asleep) unit.thaw();
  await end(reach);
  const since = Date.now();
  await Promise.all(customers.map((customer) => customer.online()));
  if (withinMs === null) return;
  await Promise.all(rows.map(({ stage }) => endedRuns(stage.admin, endedMs[run.scale])));
  const ms = Date.now() - since;
  run.measure(`${name}: all done after s`, ms / 1000);
  run.expectWithin(ms, withinMs, `${name}: all was done only after ${String(ms)} ms`);
};

/** One cell of the table: how many of each form ended how, as status and how often they acted. */
const tabulate = (run: Run, row: Row, runs: ReadonlyMap<string, Json>, effects: ReadonlyMap<string, number>): void => {
  const cells = new Map<string, Map<string, number>>();
  for (const [id, { status, input, action }] of runs) {
    const fault = String(input.mark).split('-')[0] as FaultName;
    const outcome = `${String(status)}/${String(effects.get(id) ?? 0)}`;
    const repeatable = isRepeatable({ action });
    const expected = allowed(row.step, fault, repeatable);
    run.expect(
      expected.includes(outcome),
      `${id} (${String(input.mark)}) ended ${outcome}, with ${expected.join(' or ')} expected`,
    );
    const name = `${row.step} × ${matrixFaults[fault].name}`;
    const cell = cells.get(name) ?? new Map<string, number>();
    const counted = `${repeatable ? 'repeatable' : 'once'} ${outcome}`;
    cells.set(name, cell.set(counted, (cell.get(counted) ?? 0) + 1));
  }
  for (const [name, cell] of cells) {
    const text = [...cell]
      .map(([outcome, count]) => `${outcome} ${String(count)}`)
      .sort()
      .join(', ');
    run.measure(name, text);
    run.say(`${name}: ${text}`);
  }
};

export const killMatrix: Invariant = {
  number: 22,
  title: 'each run is done once or honestly unknown, whatever is killed at whichever step',
  site: { short: { apis: 2, workers: 2 }, long: { apis: 2, workers: 2 } },
  run: async (run, site) => {
    const [holder, other] = site.apis;
    if (holder === undefined || other === undefined) throw new Error('Two APIs are needed.');
    const rows = await Promise.all(steps.map((step) => openRow(run, site, step, [holder, other])));
    const reach: Reach = { site, holder, other, customers: rows.map(({ customer }) => customer) };
    try {
      for (const fault of chosen[run.scale]) await happen(run, reach, rows, fault);
      for (const row of rows) await judgeRow(run, row);
      const [row] = rows;
      if (row !== undefined) await judgeBursts(run, row);
    } finally {
      for (const { customer, recorder } of rows) await Promise.all([customer.close(), recorder.stop()]);
    }
  },
};

/** The marks of bursts name no cell of the table, so they come after it. */
const judgeBursts = async (run: Run, row: Row): Promise<void> => {
  await playBursts(run, row);
  const runs = await endedRuns(row.stage.admin, endedMs[run.scale]);
  judgeOnce(run, runs, effectsOf(row.customer.lines()));
  await judgeAudit(run, row.stage.admin, runs);
};

const judgeRow = async (run: Run, row: Row): Promise<void> => {
  const {
    stage: { admin, journal },
    customer,
    item,
    heard,
    recorder,
    calls,
  } = row;
  await Promise.all(calls);
  const runs = await endedRuns(admin, endedMs[run.scale]);
  const effects = effectsOf(customer.lines());
  judgeOnce(run, runs, effects);
  judgeKept(
    run,
    runs,
    new Set(journal.writes.filter(({ path }) => path === '/actions').map(({ promised }) => promised.run as string)),
  );
  tabulate(run, row, runs, effects);
  await judgeTimeline(run, admin, item, runs);
  await judgeAudit(run, admin, runs);
  await heard.judge(run, runs);
  for (const problem of recorder.problems) run.problem(problem);
};
