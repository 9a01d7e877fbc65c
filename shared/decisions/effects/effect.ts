/** What approving does, by kind: checked anew first, then done in the transaction of the decision by the code that does it without approval. */
import { fault, type Fault } from '../../catalogue/errors.ts';
import type { ActorRef } from '../../catalogue/events.ts';
import type { Caller } from '../../access/principal.ts';
import type { Tx } from '../../platform/db/knex.ts';
import type { ViewDeps } from '../../views/deps.ts';
import type { Approval, ApprovalKind } from '../../approvals/model.ts';

/** What the answer of an approval has besides the approval. */
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
  /** Whoever asked, with the rights of now: the effect is recorded under this name. */
  readonly requester: Caller;
  readonly decidedBy: ActorRef;
}

/** Does it; throws `409 stale` when what was found before doesn't hold any more. */
export type ApprovalEffect = (tx: Tx) => Promise<ApprovalEffects>;

/** Checks everything as it is now, calling the app if need be; throws what stands in the way. */
export type PrepareEffect<K extends ApprovalKind> = (approving: ApprovalContext<K>) => Promise<ApprovalEffect>;

/** Why an approval doesn't fit any more what is. */
export const staleFault = (path: string, message: string): Fault =>
  fault('stale', `This approval no longer fits: ${message}.`, { details: [{ path, message }] });
