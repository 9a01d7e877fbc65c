/** What changing and reading flags needs of its process. */
import type { DomainDeps } from '../settings/deps.ts';
import type { HeldFlags } from './held.ts';

export interface FlagDeps extends DomainDeps {
  readonly flags: HeldFlags;
}
