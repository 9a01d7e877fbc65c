/** Properties of the dialog that saves views. Used by ListHeader and SaveView. */
import type { ItemQuery } from '../wire/queries.ts';
import type { SavedView } from '../wire/savedViews.ts';

export interface SaveViewProps {
  /** Filters and order of the list. */
  readonly query: ItemQuery;
  /** The saved view that is open. */
  readonly open: SavedView | undefined;
  /** The inbox of the list; null: all. */
  readonly inbox: string | null;
  readonly label: (inbox: string) => string;
  /** null: none is open any more. */
  readonly onOpen: (id: string | null) => void;
  readonly onClose: () => void;
}
