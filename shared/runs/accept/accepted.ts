/** The outcomes of accepting an action, and their responses. Used by acceptAction.ts, retryRun.ts and the endpoints of actions. */
import type { SavedResponse } from '../../platform/journal/idempotency.ts';
import type { Run } from '../model.ts';

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
