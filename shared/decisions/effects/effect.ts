/** Types of the effects of approvals: each kind prepares its own, which decide.ts then writes in the transaction of the decision. */
import type { Caller } from '../../accounts/access/principal.ts';
import type { Approval, ApprovalKind } from '../../approvals/model.ts';
import { fault, type Fault } from '../../catalogue/errors.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import type { Tx } from '../../platform/db/knex.ts';
import type { ViewDeps } from '../../views/deps.ts';

/** The members of the response of `POST /approvals/:id/approve` besides the approval; those of the other kinds are null. */
export interface ApprovalEffects {
  readonly run: string | null;
  readonly flag: unknown;
  readonly bulk: unknown;
  readonly item: unknown;
}

export const emptyEffects: ApprovalEffects = { run: null, flag: null, bulk: null, item: null };

export interface ApprovalContext<K extends ApprovalKind = ApprovalKind> {
  readonly deps: ViewDeps;
  readonly approval: Approval<K>;
  /** The requester with present rights; the effect is recorded under this name. */
  readonly requester: Caller;
  readonly decidedBy: ActorRef;
  /** What stands for what the decider saw; undefined: the decider does not say. */
  readonly digest: string | undefined;
}

/** Writes the effect. Throws `stale` when the data that was checked before has changed. */
export type ApprovalEffect = (tx: Tx) => Promise<ApprovalEffects>;

/** Checks the request against present data and rights, calling the app where needed. Throws the fault that prevents the effect. */
export type PrepareEffect<K extends ApprovalKind> = (approving: ApprovalContext<K>) => Promise<ApprovalEffect>;

/** Returns the fault for an approval whose target, requester or declaration has changed since the request. */
export const staleFault = (path: string, message: string): Fault =>
  fault('stale', `This approval no longer fits: ${message}.`, { details: [{ path, message }] });
