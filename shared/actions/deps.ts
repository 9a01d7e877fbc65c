/** The dependencies of running actions. */
import type { DomainDeps } from '../settings/deps.ts';
import type { Run } from './model.ts';

export interface ActionDeps extends DomainDeps {
  /** Called after the end of `run` is committed, with what follows from it (its bulk). Passed in by the composition root. */
  readonly afterRun: (deps: ActionDeps, run: Run) => Promise<void>;
}
