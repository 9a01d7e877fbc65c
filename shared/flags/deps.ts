/** The dependencies of changing and reading flags: those of the settings, and the flag cache. */
import type { DomainDeps } from '../accounts/deps.ts';
import type { FlagCache } from './flagCache.ts';

export interface FlagDeps extends DomainDeps {
  readonly flags: FlagCache;
}
