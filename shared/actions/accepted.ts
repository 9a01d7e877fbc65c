/** What becomes of an accepted call of an action, and how it is answered. */
import type { SavedResponse } from '../platform/journal/idempotency.ts';
import type { Run } from './model.ts';

export type SaveResponse = (status: number, body: string) => SavedResponse | null;

/** What a call of an action answers when it doesn't wait for the result. */
export type AcceptedRun =
  | { readonly kind: 'pending'; readonly run: string; readonly approval: string }
  | { readonly kind: 'queued'; readonly run: string }
  | { readonly kind: 'running'; readonly run: string };

/** A run that the caller waits for: begun already, by this process or by the one that holds the socket. */
export interface AwaitedRun {
  readonly kind: 'direct';
  readonly run: Run;
  /** The run as it is after the app was called from this process; null: another one calls, look into the row. */
  readonly completion: Promise<Run | undefined> | null;
}

export const acceptedRunBody = (accepted: AcceptedRun): object =>
  accepted.kind === 'pending'
    ? { pending: true, approval: accepted.approval, run: accepted.run }
    : { [accepted.kind]: true, run: accepted.run };
