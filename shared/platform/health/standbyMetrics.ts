/** Metrics of the standbys that serve reads. Of API processes; without standbys they have no samples. */
import { Counter, Gauge, Registry } from 'prom-client';
import { standbyOutcomes } from '../db/standby/standbys.ts';
import type { PlatformDeps } from '../deps.ts';

/** Returns the registry of a process. */
export const createStandbyMetrics = ({ standbys }: Pick<PlatformDeps, 'standbys'>): Registry => {
  const registry = new Registry();
  new Gauge({
    name: 'console_standby_up',
    help: '1 while reads go to a `standby`, 0 while the primary serves them because it is away, behind or promoted.',
    labelNames: ['standby'],
    registers: [registry],
    collect() {
      for (const { name, up } of standbys?.states() ?? []) this.set({ standby: name }, up ? 1 : 0);
    },
  });
  new Gauge({
    name: 'console_standby_lag_seconds',
    help: 'How far a `standby` is behind the primary at most; no sample while that is not known.',
    labelNames: ['standby'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, lagMs } of standbys?.states() ?? [])
        if (lagMs !== null) this.set({ standby: name }, lagMs / 1_000);
    },
  });
  new Counter({
    name: 'console_standby_reads_total',
    help: 'Reads that a standby may serve by `outcome`: served by one; by the primary as the caller has just changed something (own), as the standby lacks what is published (late), as none is up (away), or after it failed (failed, also counted as served).',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      if (standbys === null) return;
      for (const outcome of standbyOutcomes) this.inc({ outcome }, standbys.count(outcome));
    },
  });
  return registry;
};
