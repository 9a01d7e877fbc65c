/** The pages that the app declares: the list beside the one that is open. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import { useKeys } from '../shell/keyboard.ts';
import { useSession } from '../shell/session.ts';
import { hasWords, neighbour } from '../ui/choose.ts';
import { ListAndDetail } from '../ui/ListAndDetail.tsx';
import { Empty, Problem, Skeleton } from '../ui/Problem.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { pagesQuery } from '../wire/pageQueries.ts';
import { AppPage } from './AppPage.tsx';

export interface PagesPageProps {
  /** The one that is open; null: none. */
  readonly name: string | null;
  /** Its parameters, from the address. */
  readonly params: Readonly<Record<string, string>>;
}

export const PagesPage = ({ name, params }: PagesPageProps) => {
  const { http, environment } = useSession();
  const navigate = useNavigate();
  const { data: pages, error, refetch } = useQuery(pagesQuery(http));
  const [words, setWords] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const open = (page: string | null): void =>
    void (page === null
      ? navigate({ to: '/env/$environment/pages', params: { environment } })
      : navigate({ to: '/env/$environment/pages/$page', params: { environment, page }, replace: name !== null }));
  const shown = (pages ?? []).filter(({ label, description }) => hasWords(`${label} ${description ?? ''}`, words));
  const at = shown.findIndex((page) => page.name === name);
  const step = (by: 1 | -1): void => {
    const next = neighbour(shown, at, by);
    if (next !== undefined && next.name !== name) open(next.name);
  };
  useKeys(
    {
      j: () => step(1),
      k: () => step(-1),
      '/': () => input.current?.focus(),
      Escape: () => open(null),
    },
    'list',
  );
  let list: ReactNode;
  if (error !== null && pages === undefined) list = <Problem error={error} onRetry={() => void refetch()} />;
  else if (pages === undefined) list = <Skeleton rows={4} />;
  else if (shown.length === 0)
    list = (
      <Empty title={pages.length === 0 ? 'No pages yet' : 'No such page'}>
        {pages.length === 0
          ? 'The app declares its pages in its manifest: figures, tables and charts beside the work. They appear here when it connects.'
          : 'No page’s name or description has these words.'}
      </Empty>
    );
  else
    list = (
      <ul className="requests">
        {shown.map((page) => (
          <li key={page.name}>
            <button type="button" className="request" aria-current={page.name === name} onClick={() => open(page.name)}>
              <span dir="auto">{page.label}</span>
              {page.description !== null && (
                <span className="soft" dir="auto">
                  {page.description}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    );
  return (
    <ListAndDetail
      title="Pages"
      total={pages === undefined ? null : shown.length}
      filters={<SearchInput ref={input} words={words} onWords={setWords} label="Search pages" />}
      list={list}
      isOpen={name !== null}
    >
      {name === null ? (
        <Empty title="Nothing is open">Press j for the first page.</Empty>
      ) : pages === undefined ? (
        <Skeleton rows={6} />
      ) : (
        <AppPage
          key={name}
          page={pages.find((page) => page.name === name) ?? null}
          params={params}
          onBack={() => open(null)}
          onParams={(next) =>
            void navigate({ to: '/env/$environment/pages/$page', params: { environment, page: name }, search: next })
          }
        />
      )}
    </ListAndDetail>
  );
};
