/** The rows of a list of items. Used by InboxPage. */
import type { Names } from '../content/names.ts';
import { VirtualRows } from '../ui/VirtualRows.tsx';
import type { Inbox, Item } from '../wire/types.ts';
import { ItemRow } from './ItemRow.tsx';

interface ItemListProps {
  readonly ids: readonly string[];
  readonly label: string;
  readonly inboxes: readonly Inbox[];
  readonly names: Names;
  readonly openId: string | undefined;
  readonly selected: ReadonlySet<string>;
  readonly hasLeft: (item: Item) => boolean;
  readonly onOpen: (id: string) => void;
  readonly onSelect: (id: string, isRange: boolean) => void;
  /** Called when the end comes into sight. */
  readonly onEnd: () => void;
}

export const ItemList = ({ ids, label, openId, selected, onEnd, ...row }: ItemListProps) => (
  <VirtualRows
    ids={ids}
    label={label}
    openId={openId}
    isMultiselectable
    hasMore
    onEnd={onEnd}
    elementId={(id) => `row-${id}`}
  >
    {(id) => <ItemRow id={id} isOpen={id === openId} isSelected={selected.has(id)} {...row} />}
  </VirtualRows>
);
