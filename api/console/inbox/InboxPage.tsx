/** An inbox, or all of them: the list beside the item that is open, worked by keyboard or mouse. */
import { useCallback, useRef, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { useNames } from '../content/names.ts';
import { type SearchProps } from '../shell/address.ts';
import { focusWork } from '../shell/focus.ts';
import { isTyping, useHeldKeys, useKeys, neighbour } from '../shell/keyboard.ts';
import { Nowhere } from '../shell/Nowhere.tsx';
import { maySelect } from '../shell/rights.ts';
import { useSession, useOnScreen } from '../shell/session.ts';
import { shellTexts } from '../shell/texts.tsx';
import { Button } from '../ui/Button.tsx';
import { Hint } from '../ui/fields.tsx';
import { loadedLater } from '../ui/lazy.tsx';
import { Empty, Problem, Skeleton, NothingOpen } from '../ui/Problem.tsx';
import { ShowNew } from '../ui/Rows.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { useItem } from '../wire/itemStore.ts';
import { afterPaint } from './change.ts';
import { readListSearch } from './filter.ts';
import type { ListSearch } from './filter.ts';
import { ItemList } from './ItemList.tsx';
import { ListHeader } from './ListHeader.tsx';
import type { BulkPick } from './SelectionPicker.tsx';
import { inboxTexts } from './texts.tsx';
import { useItemCommands } from './useItemCommands.tsx';
import { useItemList } from './useItemList.ts';
import { useSelection, type Toggle } from './useSelection.ts';
import type { Writing } from './useWriting.ts';

interface InboxPageProps extends SearchProps<ListSearch> {
  /** null: all that the person sees. */
  readonly inbox: string | null;
}

/** What a key of the list does: moves by so many rows, selects the row, or all rows up to it. */
type ListKey = 1 | -1 | 'select' | 'range';

const ItemDetail = loadedLater(async () => (await import('./ItemDetail.tsx')).ItemDetail, {
  Meanwhile: () => (
    <div className="detail">
      <Skeleton rows={6} />
    </div>
  ),
});
const SelectionBar = loadedLater(async () => (await import('./SelectionBar.tsx')).SelectionBar);

const emptyText = (search: ListSearch): string =>
  Object.keys(search).some((name) => !['show', 'item'].includes(name)) ? inboxTexts.noneMatches : inboxTexts.noneYet;

/** Returns a function that opens an item that is back, unless the person writes or has left the page. */
const useShowAgain = (open: (id: string) => void): ((id: string) => void) => {
  const current = useOnScreen(open);
  return useCallback(
    (id) => {
      // A change may fail before the page has gone on to the next item.
      afterPaint(() => {
        if (!isTyping(document.activeElement)) current.current?.(id);
      });
    },
    [current],
  );
};

export const InboxPage = ({ inbox, search, onSearch }: InboxPageProps) => {
  const session = useSession();
  const names = useNames();
  const list = useItemList(inbox, search, names.me);
  const { ids } = list;
  /** What the person chose to write, and on which item: another item begins with what is usual there. */
  const [chosen, setChosen] = useState<{ readonly item: string; readonly writing: Writing } | null>(null);
  const searchInput = useRef<HTMLInputElement>(null);
  const composer = useRef<HTMLTextAreaElement>(null);
  const openId = search.item;
  /** The item that is open or was open last: the keys go on from its row, as long as there is one. */
  const [place, setPlace] = useState(openId);
  if (openId !== undefined && openId !== place) setPlace(openId);
  const item = useItem(session.items, openId ?? '');
  const itemInbox = list.inboxes.find(({ name }) => name === item?.inbox);
  const open = useCallback(
    (id: string | undefined) => onSearch(readListSearch({ ...search, item: id }), true),
    [search, onSearch],
  );
  const selection = useSelection({ all: ids, query: list.query, stays: list.stays });
  const canSelect = maySelect(list.listed);
  const [bulkPick, setBulkPick] = useState<BulkPick | null>(null);
  const from = openId ?? place;
  const at = from === undefined ? -1 : ids.indexOf(from);
  const step = (by: 1 | -1): void => {
    const next = neighbour(ids, at, by);
    if (next !== undefined) open(next);
    focusWork();
  };
  const held = useHeldKeys<ListKey>({
    list: list.query,
    isReading: list.isLoading,
    apply: (pressed) => {
      let to = from;
      const toggles: Toggle[] = [];
      for (const key of pressed)
        if (typeof key === 'number') to = neighbour(ids, to === undefined ? -1 : ids.indexOf(to), key) ?? to;
        else if (to !== undefined) toggles.push({ id: to, isRange: key === 'range' });
      if (toggles.length > 0) selection.toggleEach(toggles);
      if (!pressed.some((key) => typeof key === 'number')) return;
      if (to !== undefined && ids.includes(to)) open(to);
      focusWork();
    },
  });
  const showAgain = useShowAgain(open);
  const commands = useItemCommands({ item, inbox: itemInbox, names, onLeft: () => step(1), onBack: showAgain });
  /** The keys of changes act on the selection while there is one. */
  const onSelection = (pick: BulkPick, otherwise: () => void) => (): void => {
    if (selection.ids.size > 0) setBulkPick(pick);
    else otherwise();
  };
  const setWriting = (writing: Writing): void => {
    if (openId !== undefined) setChosen({ item: openId, writing });
  };
  const write = (what: Writing): void => {
    // Moves the focus before the handler returns, so that the next character goes into the text.
    flushSync(() => setWriting(what));
    composer.current?.focus();
  };
  // While keys are held, the item that the person means is not open yet.
  const mayOnItem = (verb: string): boolean => !held.isHolding && commands.may(verb);
  const may = (verb: string): boolean => (selection.ids.size > 0 && !held.isHolding) || mayOnItem(verb);
  useKeys(
    {
      j: () => held.press(1),
      k: () => held.press(-1),
      ArrowDown: () => held.press(1),
      ArrowUp: () => held.press(-1),
      l: list.readAnew,
      '/': () => searchInput.current?.focus(),
      Escape: () => {
        held.drop();
        if (selection.ids.size > 0) selection.clear();
        else open(undefined);
      },
    },
    'list',
  );
  useKeys(
    {
      ...(may('state') && {
        e: onSelection('close', commands.close),
        w: onSelection('state', () => commands.open('state')),
      }),
      a: may('assign') ? onSelection('assign', () => commands.open('assign')) : undefined,
      t: may('tags') ? onSelection('tags', () => commands.open('tags')) : undefined,
      s: may('snooze') ? onSelection('snooze', () => commands.open('snooze')) : undefined,
      r: mayOnItem('reply') && itemInbox?.reply != null ? () => write('reply') : undefined,
      n: mayOnItem('note') ? () => write('note') : undefined,
      ...((openId !== undefined || held.isHolding) &&
        canSelect && { x: () => held.press('select'), X: () => held.press('range') }),
      '*': canSelect && ids.length > 0 ? selection.selectWhole : undefined,
    },
    'item',
  );
  const labelOf = (of: string): string => list.inboxes.find(({ name }) => name === of)?.label ?? of;
  const label = inbox === null ? shellTexts.places.items : labelOf(inbox);
  const changeSearch = useCallback((next: ListSearch) => onSearch(next, false), [onSearch]);
  if (list.isUnknown)
    return <Nowhere title={inbox === null ? shellTexts.nowhere.noInboxes : shellTexts.nowhere.noInbox(inbox)} />;
  const clearWords = (): void => changeSearch(readListSearch({ ...search, q: undefined }));
  let rows: ReactNode;
  if (list.error !== null && list.error !== undefined && ids.length === 0)
    rows = <Problem error={list.error} onRetry={list.readAnew} />;
  else if (list.isLoading) rows = <Skeleton rows={8} />;
  else if (ids.length === 0 && !list.hasMore)
    rows = (
      <Empty title={inboxTexts.none}>
        {emptyText(search)} {search.q !== undefined && <Button onClick={clearWords}>{uiTexts.clearSearch}</Button>}
      </Empty>
    );
  else
    rows = (
      <>
        {ids.length === 0 && <Hint>{inboxTexts.searchesOn}</Hint>}
        <ItemList
          ids={ids}
          label={label}
          inboxes={list.inboxes}
          names={names}
          openId={openId}
          selected={selection.ids}
          hasLeft={list.hasLeft}
          onOpen={open}
          onSelect={canSelect ? selection.toggle : null}
          total={list.total === null || list.total.isMinimum ? null : list.total.count}
          onEnd={list.readMore}
        />
      </>
    );
  return (
    <div className={`inbox ${openId === undefined ? 'no-item' : 'has-item'}`}>
      <section className="list" aria-label={inboxTexts.items}>
        <ListHeader
          ref={searchInput}
          title={label}
          search={search}
          list={list}
          inbox={inbox}
          label={labelOf}
          names={names}
          fresh={<ShowNew newCount={list.newCount} onShow={list.readAnew} />}
          onChange={changeSearch}
        />
        {rows}
      </section>
      {openId === undefined ? (
        <div className="detail">
          <NothingOpen hint={at < 0 ? inboxTexts.openFirst : inboxTexts.openNext} />
        </div>
      ) : (
        <ItemDetail
          key={openId}
          id={openId}
          inboxes={list.inboxes}
          names={names}
          commands={commands}
          writing={chosen?.item === openId ? chosen.writing : null}
          onWriting={setWriting}
          input={composer}
          onBack={() => open(undefined)}
          onTag={(tag) =>
            onSearch({ ...search, tags: [...new Set([...(search.tags?.split(',') ?? []), tag])].join(',') }, false)
          }
        />
      )}
      <SelectionBar
        selection={selection}
        total={list.total}
        inboxes={list.listed}
        names={names}
        pick={bulkPick}
        onPick={setBulkPick}
      />
      {commands.dialog}
    </div>
  );
};
