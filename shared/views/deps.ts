/** The dependencies that a process passes to views/ and decisions/, which read and change several domains. */
import type { FlagDeps } from '../flags/deps.ts';
import type { ActionDeps } from '../runs/deps.ts';

export interface ViewDeps extends FlagDeps, ActionDeps {}
