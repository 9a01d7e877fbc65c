/** Runs one invariant on a site and reports its outcome; whatever it throws is a violation. */
import type { Written } from './journal.ts';
import { auditDifferences, auditGist, type Json } from './oracle.ts';
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

/** Returns how many accepted changes each item had, by id; an answer that says that nothing was changed counts as none. */
export const countChanges = (writes: Iterable<Pick<Written, 'promised'>>): Map<string, number> => {
  const changes = new Map<string, number>();
  for (const { promised } of writes) {
    const id = promised.item?.id ?? '';
    changes.set(id, (changes.get(id) ?? 0) + (promised.changed === false ? 0 : 1));
  }
  return changes;
};

/** Each accepted change has raised its item's version by one, and nothing else has. */
export const judgeVersions = (run: Run, changes: ReadonlyMap<string, number>, items: readonly Json[]): void => {
  const versions = new Map(items.map((item): [string, number] => [item.id as string, item.version as number]));
  for (const [id, n] of changes) {
    const version = versions.get(id) ?? 0;
    run.expect(version === n, `${id} has version ${String(version)} after ${String(n)} accepted changes`);
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
