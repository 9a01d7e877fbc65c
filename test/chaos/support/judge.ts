/** Runs one invariant on a site and reports its outcome; whatever it throws is a violation. */
import { auditDifferences, auditGist } from './oracle.ts';
import { Run, type Finding, type Invariant, type RunOptions } from './run.ts';
import type { Site } from './site.ts';

/** 18: after whatever happened, the 2xx changes and the audit entries match one to one, under the right principal. */
export const compareAudit = async (run: Run, site: Site, stages = run.stages): Promise<void> => {
  await site.settled();
  for (const { admin, journal } of stages) {
    const entries = await auditGist(admin);
    run.measure('audited writes', journal.writes.length);
    run.measure('audit entries', entries.length);
    for (const difference of auditDifferences(journal, entries)) run.problem(`audit (18): ${difference}`);
    for (const violation of journal.violations) run.problem(violation);
    run.measure('retries', journal.retriesText);
  }
};

export const judge = async (invariant: Invariant, site: Site, options: RunOptions): Promise<Finding> => {
  const run = new Run(invariant, options);
  const crashesBefore = site.crashes().length;
  const blockedBefore = new Set(site.blockedLoops());
  for (const part of [() => invariant.run(run, site), () => site.mend(), () => compareAudit(run, site)]) {
    try {
      await part();
    } catch (error) {
      run.problem(error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  }
  for (const crash of site.crashes().slice(crashesBefore)) run.problem(crash);
  for (const blocked of site.blockedLoops()) if (!blockedBefore.has(blocked)) run.problem(blocked);
  return run.finding();
};
