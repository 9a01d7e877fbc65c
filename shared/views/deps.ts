/** The dependencies that a process passes to views/ and decisions/, which read and change several domains. */
import type { FlagDeps } from '../flags/flagCache.ts';
import type { ActionDeps } from '../runs/model.ts';

export interface ViewDeps extends FlagDeps, ActionDeps {}
