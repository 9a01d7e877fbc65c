/** Runs as their requester sees them whose role has been narrowed since. Used by present.ts, by replays and by the live stream. */
import type { Access } from '../accounts/access/access.ts';
import type { runJson } from './model.ts';

type RunJson = ReturnType<typeof runJson>;

/** Returns whether the role sees what an action acts on: its resource, or, where it takes no record, the action itself. */
export const seesTarget = (access: Access, { action, resource }: Pick<RunJson, 'action' | 'resource'>): boolean =>
  resource === null ? access.can('action', action, 'run') : access.sees('resource', resource);

/**
 * Returns a run in JSON as the role sees it: of a target that it doesn't see without the record, the input and all that the
 * app said; the same object if it sees all. One's own runs stay, with their status, code and times.
 */
export const redactRun = <R extends Pick<RunJson, 'action' | 'resource'>>(access: Access, run: R): R =>
  seesTarget(access, run)
    ? run
    : { ...run, resource: null, record: null, input: {}, progress: null, message: null, blocks: null, error: null };
