/** What the action sheet and the list of actions are opened with. Used by both and by everything that opens them. */
import type { RecordRef } from '../wire/actionQueries.ts';
import type { ActionReference } from '../wire/types.ts';

export interface ActionRequest extends Pick<ActionReference, 'action' | 'record'> {
  /** The record's title, where it is known. */
  readonly title?: string | null;
  /** What to fill the form with, over the defaults. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The item whose timeline shows the run. */
  readonly item?: string | null;
  /** Why it is proposed. */
  readonly why?: string | null;
}

export interface ActionTarget extends RecordRef {
  readonly title: string;
}

export interface ActionPickerProps {
  readonly targets: readonly ActionTarget[];
  /** Those that are proposed come first. */
  readonly suggested: readonly (ActionRequest & { readonly label: string })[];
  readonly item: string | null;
  readonly onPick: (request: ActionRequest) => void;
  readonly onClose: () => void;
}
