/** One row of the list: 56 px, two lines. Used by ItemList. */
import { memo, type MouseEvent } from 'react';
import type { Names } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import { Initials, StateGlyph } from '../ui/State.tsx';
import { count } from '../ui/time.ts';
import { Ago, Due } from '../ui/Time.tsx';
import { useItem } from '../wire/itemStore.ts';
import type { Inbox, Item } from '../wire/types.ts';
import { kindOf } from './filter.ts';
import { inboxTexts } from './texts.ts';

interface ItemRowProps {
  readonly id: string;
  readonly inboxes: readonly Inbox[];
  readonly names: Names;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  /** Whether it left the list since it was read; it stays where it is until the list is read again. */
  readonly hasLeft: (item: Item) => boolean;
  readonly onOpen: (id: string) => void;
  readonly onSelect: (id: string, isRange: boolean) => void;
}

const whoOf = ({ fields, record, inbox }: Item): string => {
  const { from, email }: { readonly from?: unknown; readonly email?: unknown } = fields;
  if (typeof from === 'string' && from !== '') return from;
  if (typeof record?.title === 'string') return record.title;
  return typeof email === 'string' ? email : inbox;
};

const tagsShown = 3;

export const ItemRow = memo(({ id, inboxes, names, isOpen, isSelected, hasLeft, onOpen, onSelect }: ItemRowProps) => {
  const item = useItem(useSession().items, id);
  if (item === undefined) return null;
  const press = (event: MouseEvent): void => {
    if (event.shiftKey || event.metaKey || event.ctrlKey) onSelect(id, event.shiftKey);
    else onOpen(id);
  };
  const isSnoozed = item.snoozedUntil !== null;
  return (
    <div
      className={`row ${hasLeft(item) ? 'left' : ''}`}
      role="option"
      id={`row-${id}`}
      aria-selected={isOpen}
      aria-checked={isSelected}
      onClick={press}
    >
      <span
        className="row-mark"
        onClick={(event) => {
          event.stopPropagation();
          onSelect(id, event.shiftKey);
        }}
      >
        {isSelected ? (
          <span className="check" aria-hidden />
        ) : (
          <StateGlyph kind={kindOf(inboxes, item)} label={item.state} />
        )}
      </span>
      <span className="row-title" dir="auto">
        {item.title}
      </span>
      <span className="row-when">{item.dueAt === null ? <Ago at={item.lastSeen} /> : <Due at={item.dueAt} />}</span>
      <span className="row-about">
        <span dir="auto">{whoOf(item)}</span>
        {item.occurrences > 1 && <span className="times">×{count(item.occurrences)}</span>}
        {isSnoozed && <span>{inboxTexts.snoozed}</span>}
        {item.tags.slice(0, tagsShown).map((tag) => (
          <span className="tag" key={tag} dir="auto">
            {tag}
          </span>
        ))}
        {item.tags.length > tagsShown && <span>+{item.tags.length - tagsShown}</span>}
      </span>
      {item.assignee !== null && (
        <span className="row-who">
          <Initials name={names.of(item.assignee)} />
        </span>
      )}
    </div>
  );
});
