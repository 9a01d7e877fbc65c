/** The dependencies of running actions. */
import type { DomainDeps } from '../accounts/deps.ts';
import type { Run } from './model.ts';

/** Returns the function that counts what is written of a run as bytes of its requester. */
export const runCounter =
  ({ meter }: DomainDeps, { actor, env }: Pick<Run, 'actor' | 'env'>) =>
  (bytes: number): void => {
    meter.count(actor, env, bytes);
  };

export interface ActionDeps extends DomainDeps {
  /** Called after the end of `run` is committed, with what follows from it (its bulk). Passed in by the composition root. */
  readonly afterRun: (deps: ActionDeps, run: Run) => Promise<void>;
}
