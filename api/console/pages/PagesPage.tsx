/** The pages that the app declares: the list beside the one that is open. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { NamedList } from '../lists/NamedList.tsx';
import { useSession } from '../shell/session.ts';
import { Skeleton } from '../ui/Problem.tsx';
import { pagesQuery } from '../wire/pageQueries.ts';
import { AppPage } from './AppPage.tsx';
import { pagesTexts } from './texts.ts';

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
  const open = (page: string | null): void =>
    void (page === null
      ? navigate({ to: '/env/$environment/pages', params: { environment } })
      : navigate({ to: '/env/$environment/pages/$page', params: { environment, page }, replace: name !== null }));
  return (
    <NamedList
      title={pagesTexts.title}
      noun="page"
      rows={pages?.map((page) => ({
        name: page.name,
        title: <span dir="auto">{page.label}</span>,
        about: page.description,
        text: `${page.label} ${page.description ?? ''}`,
      }))}
      error={error}
      onRetry={() => void refetch()}
      needs="page: see"
      emptyText={pagesTexts.empty}
      name={name}
      onOpen={open}
    >
      {name !== null &&
        (pages === undefined ? (
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
        ))}
    </NamedList>
  );
};
