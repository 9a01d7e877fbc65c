/** A list beside the one of it that is open, and its keys; and such a list of what the app declares, searched by words. Used by approvals, and by the pages of records, runs, flags and of the app's pages. */
import { useRef, useState, type ComponentProps, type ReactNode } from 'react';
import { useHeldKeys, useKeys, idAfter, neighbour, type HeldKeysOptions } from '../shell/keyboard.ts';
import { Button } from '../ui/Button.tsx';
import { Aside } from '../ui/marks.tsx';
import { count } from '../ui/plural.ts';
import { Empty, Unread, NothingOpen } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { SearchInput, hasWords } from '../ui/SearchInput.tsx';
import { uiTexts } from '../ui/texts.tsx';
import { listTexts } from './texts.ts';

interface ListAndDetailProps {
  readonly title: string;
  /** How many the list shows; null: not known yet. */
  readonly total: number | null;
  /** Stands above the list, such as its search. */
  readonly filters?: ReactNode;
  readonly list: ReactNode;
  readonly isOpen: boolean;
  /** The detail. */
  readonly children: ReactNode;
  /** Stands below both. */
  readonly foot?: ReactNode;
}

/** A list beside the one of it that is open. */
export const ListAndDetail = ({ title, total, filters, list, isOpen, children, foot }: ListAndDetailProps) => (
  <div className={`inbox ${isOpen ? 'has-item' : 'no-item'}`}>
    <section className="list" aria-label={title}>
      <header className="list-head">
        <div className="list-title">
          <h1>{title}</h1>
          <span className="soft total">{total === null ? '' : count(total)}</span>
        </div>
        {filters !== undefined && <div className="list-filters">{filters}</div>}
      </header>
      <div className="scroll">{list}</div>
    </section>
    <div className="detail scroll">{children}</div>
    {foot}
  </div>
);

interface RowKeysOptions extends Omit<HeldKeysOptions<never>, 'apply'> {
  readonly rows: readonly { readonly id: string }[];
  /** The open row; undefined: none is. */
  readonly openId: string | undefined;
  /** Opens a row; undefined: closes it. */
  readonly open: (id: string | undefined) => void;
  readonly readAnew: () => void;
  /** Moves into the search, where the list has one. */
  readonly search?: () => void;
}

/** The keys of a list with one open row: they open the next and the previous one, and close it. */
export const useRowKeys = ({ list, isReading, rows, openId, open, readAnew, search }: RowKeysOptions): void => {
  const { press } = useHeldKeys<1 | -1>({
    list,
    isReading,
    apply: (moves) => {
      const ids = rows.map(({ id }) => id);
      const next = idAfter(ids, openId, moves);
      if (next !== undefined) open(next);
    },
  });
  useKeys(
    {
      j: () => press(1),
      k: () => press(-1),
      ArrowDown: () => press(1),
      ArrowUp: () => press(-1),
      l: readAnew,
      '/': search,
      Escape: () => open(undefined),
    },
    'list',
  );
};

interface NamedRow {
  readonly name: string;
  readonly title: ReactNode;
  /** Stands below the title; null: nothing. */
  readonly about: string | null;
  /** What the search finds it by. */
  readonly text: string;
}

interface NamedListProps {
  readonly title: string;
  /** What one of them is. */
  readonly noun: 'flag' | 'page';
  /** undefined: not read yet. */
  readonly rows: readonly NamedRow[] | undefined;
  /** The query that reads them. */
  readonly read: ComponentProps<typeof Unread>['of'];
  /** The right that reading them needs. */
  readonly needs: string;
  /** How the first one comes. */
  readonly emptyText: string;
  /** The one that is open; null: none. */
  readonly name: string | null;
  readonly onOpen: (name: string | null) => void;
  /** The one that is open. */
  readonly children: ReactNode;
}

export const NamedList = (props: NamedListProps) => {
  const { title, noun, rows, read, needs, emptyText, name, onOpen, children } = props;
  const texts = listTexts[noun];
  const [words, setWords] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const shown = (rows ?? []).filter(({ text }) => hasWords(text, words));
  const step = (by: 1 | -1): void => {
    const at = shown.findIndex((row) => row.name === name);
    const next = neighbour(shown, at, by);
    if (next !== undefined && next.name !== name) onOpen(next.name);
  };
  useKeys(
    { j: () => step(1), k: () => step(-1), '/': () => input.current?.focus(), Escape: () => onOpen(null) },
    'list',
  );
  let list: ReactNode;
  if (rows === undefined) list = <Unread of={read} rows={6} needs={needs} />;
  else if (shown.length === 0)
    list = (
      <Empty title={rows.length === 0 ? texts.none : texts.noneFound}>
        {rows.length === 0 ? emptyText : texts.noneFoundAbout}{' '}
        {words !== '' && <Button onClick={() => setWords('')}>{uiTexts.clearSearch}</Button>}
      </Empty>
    );
  else
    list = (
      <Rows className="requests">
        {shown.map((row) => (
          <Row key={row.name}>
            <button type="button" className="request" aria-current={row.name === name} onClick={() => onOpen(row.name)}>
              {row.title}
              {row.about !== null && <Aside>{row.about}</Aside>}
            </button>
          </Row>
        ))}
      </Rows>
    );
  return (
    <ListAndDetail
      title={title}
      total={rows === undefined ? null : shown.length}
      filters={<SearchInput ref={input} words={words} onWords={setWords} label={texts.search} />}
      list={list}
      isOpen={name !== null}
    >
      {name === null ? <NothingOpen hint={texts.openFirst} /> : children}
    </ListAndDetail>
  );
};
