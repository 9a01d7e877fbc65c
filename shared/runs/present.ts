/** Presents runs and their results to one caller: what accepting an action came to, and runs without a target, items and blocks that the role does not see. Used by the endpoints and the live stream. */
import type { Access } from '../accounts/access/access.ts';
import { type Caller, findVisibleInbox, principalIn } from '../accounts/access/principal.ts';
import type { Block } from '../app/link/protocol.ts';
import { orderRun } from '../app/manifest/declaredOrder.ts';
import { presentBlocks } from '../items/presentBlocks.ts';
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import { type ActionDeps, type Run, runJson } from './model.ts';

export type SaveResponse = (status: number, body: string) => SavedResponse | null;

/** An accepted run whose call does not wait for the result: `202`. */
export type AcceptedRun =
  | { readonly kind: 'pending'; readonly run: string; readonly approval: string }
  | { readonly kind: 'queued'; readonly run: string }
  | { readonly kind: 'running'; readonly run: string };

/** A run whose call waits for the result. It is dispatched by this process or by the one with the app's connection. */
export interface AwaitedRun {
  readonly kind: 'direct';
  readonly run: Run;
  /** Resolves with the run after this process called the app; null: another process calls, and the row shows the result. */
  readonly completion: Promise<Run | undefined> | null;
  /**
   * The dispatch by another process: `gone` resolves when the connection that it went to has gone, with its id if that process
   * has told so. The call ends it.
   */
  readonly remote: { readonly gone: Promise<string | null>; readonly end: () => void } | null;
}

export const acceptedRunBody = (accepted: AcceptedRun): object =>
  accepted.kind === 'pending'
    ? { pending: true, approval: accepted.approval, run: accepted.run }
    : { [accepted.kind]: true, run: accepted.run };

type RunJson = ReturnType<typeof runJson>;

/** Returns whether the role sees what an action acts on: its resource, or, where it takes no record, the action itself. */
const seesTarget = (access: Access, { action, resource }: Pick<RunJson, 'action' | 'resource'>): boolean =>
  resource === null ? access.can('action', action, 'run') : access.sees('resource', resource);

/**
 * Returns a run in JSON as the role sees it: of a target that it doesn't see without the record, the input and all that the
 * app said; the same object if it sees all. One's own runs stay, with their status, code and times.
 */
export const redactRun = <R extends Pick<RunJson, 'action' | 'resource'>>(access: Access, run: R): R =>
  seesTarget(access, run)
    ? run
    : { ...run, resource: null, record: null, input: {}, progress: null, message: null, blocks: null, error: null };

export const presentRunBlocks = ({ db }: Pick<ActionDeps, 'db'>, caller: Caller, { blocks }: Run): Promise<Block[]> =>
  presentBlocks(db, caller, blocks ?? []);

/** Returns whether the caller does not see the item of the run. */
const hidesItem = (caller: Caller, { inbox }: Pick<Run, 'inbox'>): boolean =>
  inbox !== null && findVisibleInbox(caller, inbox) === undefined;

/** Returns a run in JSON, as it is or as an answer was saved, without what the caller doesn't see; the same object if they see all. */
export const redactRunFor = <R extends ReturnType<typeof runJson>>(
  caller: Caller,
  { inbox }: Pick<Run, 'inbox'>,
  json: R,
): R => {
  const seen = redactRun(caller.principal.access, json);
  return seen['item'] !== null && hidesItem(caller, { inbox }) ? { ...seen, item: null } : seen;
};

/** Returns a run that has no blocks yet as the caller sees it, without a query. */
export const presentRunWithoutBlocks = (caller: Caller, run: Run): Record<string, unknown> => ({
  ...redactRunFor(caller, run, orderRun(caller.env.definition, runJson(run))),
  blocks: null,
});

/** Returns a run as the caller sees it. */
export const presentRun = async (
  deps: Pick<ActionDeps, 'db'>,
  caller: Caller,
  run: Run,
): Promise<Record<string, unknown>> => ({
  ...presentRunWithoutBlocks(caller, run),
  blocks:
    run.blocks === null || !seesTarget(caller.principal.access, run) ? null : await presentRunBlocks(deps, caller, run),
});

/** Returns the body of the `200` of a run's call as the requester sees it: the same text for each request. */
export const runResultBody = async (
  { db, directory }: Pick<ActionDeps, 'db' | 'directory'>,
  run: Run,
): Promise<string> => {
  const env = directory.environmentById(run.env);
  const principal = (run.blocks ?? []).length === 0 ? null : await directory.principal(run.actor_type, run.actor);
  const blocks =
    env === undefined || principal === null
      ? []
      : await presentBlocks(
          db,
          { env, principal: principalIn(env, principal), requestId: run.request_id, address: run.address },
          run.blocks ?? [],
        );
  return JSON.stringify({ message: run.message, blocks, run: run.id });
};
