/** What reading across domains, and deciding approvals, needs of its process. */
import type { ActionDeps } from '../actions/deps.ts';
import type { FlagDeps } from '../flags/deps.ts';

export interface ViewDeps extends FlagDeps, ActionDeps {}
