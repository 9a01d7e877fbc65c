/** What approving does, by kind: checked anew first, then done in the transaction of the decision by the code that does it without approval. */
import { fault, type Fault } from '../../catalogue/errors.ts';
import type { By } from '../../catalogue/events.ts';
import type { Caller } from '../../access/principal.ts';
import type { Tx } from '../../platform/db/knex.ts';
import type { ViewDeps } from '../../views/deps.ts';
import type { Approval, ApprovalKind } from '../../approvals/model.ts';

/** What the answer of an approval has besides the approval. */
export interface Effects {
  readonly run: string | null;
  readonly flag: unknown;
  readonly bulk: unknown;
  readonly item: unknown;
}

export const noEffects: Effects = { run: null, flag: null, bulk: null, item: null };

export interface Approving<K extends ApprovalKind = ApprovalKind> {
  readonly deps: ViewDeps;
  readonly approval: Approval<K>;
  /** Whoever asked, with the rights of now: the effect is recorded under this name. */
  readonly requester: Caller;
  readonly decidedBy: By;
}

/** Does it; throws `409 stale` when what was found before doesn't hold any more. */
export type Effect = (tx: Tx) => Promise<Effects>;

/** Checks everything as it is now, calling the app if need be; throws what stands in the way. */
export type Prepare<K extends ApprovalKind> = (approving: Approving<K>) => Promise<Effect>;

/** Why an approval doesn't fit any more what is. */
export const stale = (path: string, message: string): Fault => fault('stale', `This approval no longer fits: ${message}.`, { details: [{ path, message }] });
