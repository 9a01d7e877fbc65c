/** The rows of the list, of which only those in sight are drawn: 56 px, two lines, of as few elements as they take. Used by InboxPage. */
import { type ComponentProps, type MouseEvent, type PointerEvent, memo } from 'react';
import type { Names } from '../content/names.ts';
import { useSession } from '../shell/session.ts';
import { useBegun } from '../ui/draft.ts';
import { Initials, StateGlyph, useNow } from '../ui/marks.tsx';
import { count } from '../ui/plural.ts';
import { placeOf, VirtualRows } from '../ui/Rows.tsx';
import { ago, due, exactTime } from '../ui/time.ts';
import { useItems } from '../wire/itemStore.ts';
import type { Inbox, Item } from '../wire/types.ts';
import { editedMembers, editedNames, kindOf } from './filter.ts';
import { inboxTexts } from './texts.tsx';
import { writings } from './useWriting.ts';

interface ItemRowProps {
  readonly item: Item;
  /** The `transform` of its element. */
  readonly place: string;
  /** Counted from 0, and how many there are; -1: nobody knows yet. */
  readonly index: number;
  readonly size: number;
  /** The present, in milliseconds since 1970 UTC. */
  readonly now: number;
  readonly inboxes: readonly Inbox[];
  readonly names: Names;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  /** Whether an unsent text is kept on it. */
  readonly isBegun: boolean;
  /** Whether it left the list since it was read; it stays where it is until the list is read again. */
  readonly hasLeft: (item: Item) => boolean;
  readonly onOpen: (id: string) => void;
  /** null: nothing can be done to a selection. */
  readonly onSelect: ((id: string, isRange: boolean) => void) | null;
}

const whoOf = ({ fields, record, inbox }: Item): string => {
  const { from, email }: { readonly from?: unknown; readonly email?: unknown } = fields;
  if (typeof from === 'string' && from !== '') return from;
  if (typeof record?.title === 'string') return record.title;
  return typeof email === 'string' ? email : inbox;
};

/** Returns the time of a row: its deadline, or when something happened last. */
const whenOf = (
  { dueAt, lastSeen }: Item,
  now: number,
): { readonly at: number; readonly text: string; readonly tone: string } =>
  dueAt === null ? { at: lastSeen, text: ago(lastSeen, now), tone: '' } : { at: dueAt, ...due(dueAt, now) };

type Enter = PointerEvent<HTMLTimeElement>;

/** Say what a time is, and the exact one, under the pointer: rows that scroll by would format each in vain. */
const tellDue = ({ currentTarget }: Enter): void => {
  currentTarget.title = inboxTexts.dueAt(exactTime(Date.parse(currentTarget.dateTime)));
};
const tellActivity = ({ currentTarget }: Enter): void => {
  currentTarget.title = inboxTexts.lastSeenAt(exactTime(Date.parse(currentTarget.dateTime)));
};

const tagsShown = 3;
/** The width of the part of a row that selects it, in px: as much as a finger touches. */
const markPx = 44;

const isOnMark = ({ clientX, currentTarget }: MouseEvent): boolean =>
  clientX - currentTarget.getBoundingClientRect().left < markPx;

/** One row of the list: 56 px, two lines, of as few elements as they take: many are made in every frame that scrolls. */
const ItemRow = memo(
  ({
    item,
    place,
    index,
    size,
    now,
    inboxes,
    names,
    isOpen,
    isSelected,
    isBegun,
    hasLeft,
    onOpen,
    onSelect,
  }: ItemRowProps) => {
    const { id, tags, dueAt } = item;
    const press = (event: MouseEvent): void => {
      if (onSelect !== null && (event.shiftKey || event.metaKey || event.ctrlKey || isOnMark(event)))
        onSelect(id, event.shiftKey);
      else onOpen(id);
    };
    const { at, text, tone } = whenOf(item, now);
    return (
      <div
        className={`row ${hasLeft(item) ? 'left' : ''}`}
        role="option"
        id={`row-${id}`}
        aria-selected={isOpen}
        {...placeOf(index, size)}
        aria-checked={onSelect === null ? undefined : isSelected}
        style={{ transform: place }}
        onClick={press}
      >
        {isSelected ? (
          <span className="row-mark check" aria-hidden />
        ) : (
          <StateGlyph className="row-mark" kind={kindOf(inboxes, item)} label={item.state} />
        )}
        <span className="row-title" dir="auto">
          {item.title}
        </span>
        <time
          className={`row-when ${tone}`}
          dateTime={new Date(at).toISOString()}
          onPointerEnter={dueAt === null ? tellActivity : tellDue}
        >
          {text}
        </time>
        <span className="row-about">
          {isBegun && <span className="row-draft">{inboxTexts.draft}</span>}
          <span dir="auto">{whoOf(item)}</span>
          {editedNames.map(
            (name) =>
              item[name] !== editedMembers[name].usual && (
                <span className="tag" key={name}>
                  {item[name]}
                </span>
              ),
          )}
          {item.occurrences > 1 && <span className="times">×{count(item.occurrences)}</span>}
          {item.snoozedUntil !== null && <span>{inboxTexts.snoozed}</span>}
          {tags.slice(0, tagsShown).map((tag) => (
            <span className="tag" key={tag} dir="auto">
              {tag}
            </span>
          ))}
          {tags.length > tagsShown && <span>+{tags.length - tagsShown}</span>}
        </span>
        {item.assignee !== null && (
          <Initials className="row-who" name={names.of(item.assignee)} isUnknown={names.isUnknown(item.assignee)} />
        )}
      </div>
    );
  },
);

interface ItemListProps
  extends
    Pick<ComponentProps<typeof VirtualRows>, 'ids' | 'label' | 'openId' | 'total' | 'onEnd'>,
    Pick<ItemRowProps, 'inboxes' | 'names' | 'hasLeft' | 'onOpen' | 'onSelect'> {
  readonly selected: ReadonlySet<string>;
}

export const ItemList = ({ ids, label, openId, selected, total, onEnd, ...row }: ItemListProps) => {
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
      total={total}
      hasMore
      onEnd={onEnd}
      elementId={(id) => `row-${id}`}
    >
      {(id, index, place, size) => {
        const item = items.get(id);
        return (
          item !== undefined && (
            <ItemRow
              key={id}
              item={item}
              place={place}
              index={index}
              size={size}
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
