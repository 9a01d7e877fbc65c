/** The rows of a list of items. Used by InboxPage. */
import type { Names } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import { useNow } from '../ui/clock.ts';
import { useBegun } from '../ui/draft.ts';
import { VirtualRows } from '../ui/VirtualRows.tsx';
import { useItems } from '../wire/itemStore.ts';
import type { Inbox, Item } from '../wire/types.ts';
import { ItemRow } from './ItemRow.tsx';
import { writings } from './useWriting.ts';

interface ItemListProps {
  readonly ids: readonly string[];
  readonly label: string;
  readonly inboxes: readonly Inbox[];
  readonly names: Names;
  readonly openId: string | undefined;
  readonly selected: ReadonlySet<string>;
  readonly hasLeft: (item: Item) => boolean;
  readonly onOpen: (id: string) => void;
  /** null: nothing can be done to a selection. */
  readonly onSelect: ((id: string, isRange: boolean) => void) | null;
  /** Called when the end comes into sight. */
  readonly onEnd: () => void;
}

export const ItemList = ({ ids, label, openId, selected, onEnd, ...row }: ItemListProps) => {
  const { items, http } = useSession();
  const begun = useBegun();
  const now = useNow();
  useItems(items);
  return (
    <VirtualRows
      ids={ids}
      label={label}
      openId={openId}
      isMultiselectable={row.onSelect !== null}
      hasMore
      onEnd={onEnd}
      elementId={(id) => `row-${id}`}
    >
      {(id, _, place) => {
        const item = items.get(id);
        return (
          item !== undefined && (
            <ItemRow
              key={id}
              item={item}
              place={place}
              now={now}
              isOpen={id === openId}
              isSelected={selected.has(id)}
              isBegun={writings.some((kind) => begun.has(`${http.environment}.${id}.${kind}`))}
              {...row}
            />
          )
        );
      }}
    </VirtualRows>
  );
};
