/** A list of what the app declares, searched and walked by keys, beside the one that is open. Used by the pages of flags and of the app's pages. */
import { useRef, useState, type ReactNode } from 'react';
import { useKeys } from '../shell/keyboard.ts';
import { Button, KeyHint } from '../ui/Button.tsx';
import { hasWords, neighbour } from '../ui/choose.ts';
import { ListAndDetail } from '../ui/ListAndDetail.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { Row, Rows } from '../ui/Rows.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { listTexts } from './texts.ts';

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
  readonly error: Error | null;
  readonly onRetry: () => void;
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
  const { title, noun, rows, error, onRetry, needs, emptyText, name, onOpen, children } = props;
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
  if (error !== null && rows === undefined) list = <Problem error={error} needs={needs} onRetry={onRetry} />;
  else if (rows === undefined) list = <Skeleton rows={6} />;
  else if (shown.length === 0)
    list = (
      <Empty title={rows.length === 0 ? texts.none : texts.noneFound}>
        {rows.length === 0 ? emptyText : texts.noneFoundAbout}{' '}
        {words !== '' && <Button onClick={() => setWords('')}>{listTexts.clearSearch}</Button>}
      </Empty>
    );
  else
    list = (
      <Rows className="requests">
        {shown.map((row) => (
          <Row key={row.name}>
            <button type="button" className="request" aria-current={row.name === name} onClick={() => onOpen(row.name)}>
              {row.title}
              {row.about !== null && (
                <span className="soft" dir="auto">
                  {row.about}
                </span>
              )}
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
      {name === null ? (
        <Empty title={listTexts.nothingOpen}>
          <KeyHint>{texts.openFirst}</KeyHint>
        </Empty>
      ) : (
        children
      )}
    </ListAndDetail>
  );
};
