/** What running actions needs of its process. */
import type { DomainDeps } from '../settings/deps.ts';
import type { Run } from './model.ts';

export interface ActionDeps extends DomainDeps {
  /** Carries on what waited for the end of `run`, once that end is committed. Passed in by the composition root. */
  readonly afterRun: (deps: ActionDeps, run: Run) => Promise<void>;
}
