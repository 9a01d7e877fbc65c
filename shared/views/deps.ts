/** The dependencies that a process passes to views/ and decisions/, which read and change several domains. */
import type { ActionDeps } from '../actions/deps.ts';
import type { FlagDeps } from '../flags/deps.ts';

export interface ViewDeps extends FlagDeps, ActionDeps {}
