/** What changing and reading flags needs of its process. */
import type { DomainDeps } from '../settings/deps.ts';
import type { FlagCache } from './flagCache.ts';

export interface FlagDeps extends DomainDeps {
  readonly flags: FlagCache;
}
