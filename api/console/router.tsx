/** The addresses of the console: the address is the state, so that every screen can be sent to a colleague. Used by main.tsx. */
import { createRootRoute, createRoute, createRouter, Link, Outlet, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { readListSearch, type ListSearch } from './inbox/filter.ts';
import { InboxPage } from './inbox/InboxPage.tsx';
import { readListEarly } from './inbox/useItemList.ts';
import * as lazy from './lazyPages.ts';
import {
  type ApprovalsSearch,
  type RecordsSearch,
  type RunsSearch,
  parseSearch,
  readApprovalsSearch,
  readParams,
  readRecordsSearch,
  readRunsSearch,
  stringifySearch,
} from './shell/address.ts';
import { Nowhere } from './shell/Nowhere.tsx';
import type { Session } from './shell/session.ts';
import { Shell } from './shell/Shell.tsx';
import { remember, Start } from './shell/Start.tsx';
import { shellTexts } from './shell/texts.tsx';
import { publicBase } from './wire/base.ts';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => (
    <main className="empty">
      <h1>{shellTexts.noAddress.noPage}</h1>
      <p>
        {shellTexts.noAddress.noPageAbout((words) => (
          <Link to="/">{words}</Link>
        ))}
      </p>
    </main>
  ),
});

/** Returns a function that changes the search of an address. */
const useSearchChange = <S,>(navigate: (to: { search: S; replace: boolean }) => Promise<void>) =>
  useCallback((search: S, replace: boolean) => void navigate({ search, replace }), [navigate]);

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

const environment = createRoute({
  getParentRoute: () => root,
  path: '/env/$environment',
  component: function EnvironmentRoute() {
    const { environment: name } = environment.useParams();
    remember(name);
    return <Shell environment={name} Palette={lazy.Palette} readFirst={readFirst} />;
  },
  // Stands in the page's place, so that the rail stays.
  notFoundComponent: () => <Nowhere />,
});

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/env/$environment/signed-in',
  component: lazy.SignedIn,
});

const home = createRoute({ getParentRoute: () => environment, path: '/', component: lazy.HomePage });

const items = createRoute({
  getParentRoute: () => environment,
  path: 'items',
  validateSearch: readListSearch,
  component: function ItemsRoute() {
    const search = items.useSearch();
    const set = useSearchChange<ListSearch>(items.useNavigate());
    return <InboxPage inbox={null} search={search} onSearch={set} />;
  },
});

const inbox = createRoute({
  getParentRoute: () => environment,
  path: 'inbox/$inbox',
  validateSearch: readListSearch,
  component: function InboxRoute() {
    const search = inbox.useSearch();
    const { inbox: name } = inbox.useParams();
    const set = useSearchChange<ListSearch>(inbox.useNavigate());
    return <InboxPage key={name} inbox={name} search={search} onSearch={set} />;
  },
});

interface ApprovalsRouteProps {
  readonly id: string | null;
  readonly search: ApprovalsSearch;
}

const ApprovalsRoute = ({ id, search }: ApprovalsRouteProps) => {
  const { environment: name } = environment.useParams();
  const navigate = useNavigate();
  const show = (next: string | null, listed: ApprovalsSearch): void =>
    void (next === null
      ? navigate({ to: '/env/$environment/approvals', params: { environment: name }, search: listed })
      : navigate({
          to: '/env/$environment/approvals/$id',
          params: { environment: name, id: next },
          search: listed,
          replace: id !== null,
        }));
  return (
    <lazy.ApprovalsPage
      id={id}
      search={search}
      onOpen={(next) => show(next, search)}
      onSearch={(listed) => show(null, listed)}
    />
  );
};

const approvals = createRoute({
  getParentRoute: () => environment,
  path: 'approvals',
  validateSearch: readApprovalsSearch,
  component: function ApprovalsListRoute() {
    return <ApprovalsRoute id={null} search={approvals.useSearch()} />;
  },
});

const approval = createRoute({
  getParentRoute: () => environment,
  path: 'approvals/$id',
  validateSearch: readApprovalsSearch,
  component: function ApprovalRoute() {
    return <ApprovalsRoute id={approval.useParams().id} search={approval.useSearch()} />;
  },
});

const records = createRoute({
  getParentRoute: () => environment,
  path: 'records',
  validateSearch: ({ q }: Readonly<Record<string, unknown>>): { q?: string } =>
    typeof q === 'string' && q !== '' ? { q } : {},
  component: function RecordsRoute() {
    const { q = '' } = records.useSearch();
    const navigate = records.useNavigate();
    const set = useCallback(
      (next: string) => void navigate({ search: next === '' ? {} : { q: next }, replace: true }),
      [navigate],
    );
    return <lazy.RecordsPage q={q} onSearch={set} />;
  },
});

const resource = createRoute({
  getParentRoute: () => environment,
  path: 'records/$resource',
  validateSearch: readRecordsSearch,
  component: function ResourceRoute() {
    const search = resource.useSearch();
    const { resource: name } = resource.useParams();
    const set = useSearchChange<RecordsSearch>(resource.useNavigate());
    return <lazy.ResourcePage key={name} resource={name} search={search} onSearch={set} />;
  },
});

const runs = createRoute({
  getParentRoute: () => environment,
  path: 'runs',
  validateSearch: readRunsSearch,
  component: function RunsRoute() {
    const search = runs.useSearch();
    const set = useSearchChange<RunsSearch>(runs.useNavigate());
    return <lazy.RunsPage search={search} onSearch={set} />;
  },
});

const bulks = createRoute({ getParentRoute: () => environment, path: 'bulks', component: lazy.BulksPage });

const bulk = createRoute({ getParentRoute: () => environment, path: 'bulks/$id', component: lazy.BulkPage });

const FlagsRoute = ({ name }: { readonly name: string | null }) => {
  const { environment: of } = environment.useParams();
  const navigate = useNavigate();
  return (
    <lazy.FlagsPage
      name={name}
      onOpen={(next) =>
        void (next === null
          ? navigate({ to: '/env/$environment/flags', params: { environment: of } })
          : navigate({
              to: '/env/$environment/flags/$flag',
              params: { environment: of, flag: next },
              replace: name !== null,
            }))
      }
    />
  );
};

const flags = createRoute({
  getParentRoute: () => environment,
  path: 'flags',
  component: () => <FlagsRoute name={null} />,
});

const flag = createRoute({
  getParentRoute: () => environment,
  path: 'flags/$flag',
  component: function FlagRoute() {
    return <FlagsRoute name={flag.useParams().flag} />;
  },
});

const pages = createRoute({
  getParentRoute: () => environment,
  path: 'pages',
  component: () => <lazy.PagesPage name={null} params={{}} />,
});

const page = createRoute({
  getParentRoute: () => environment,
  path: 'pages/$page',
  validateSearch: readParams,
  component: function PageRoute() {
    return <lazy.PagesPage name={page.useParams().page} params={page.useSearch()} />;
  },
});

const settings = createRoute({
  getParentRoute: () => environment,
  path: 'settings/{-$section}/{-$id}',
  validateSearch: readParams,
  component: function SettingsRoute() {
    const navigate = settings.useNavigate();
    return (
      <lazy.SettingsPage
        {...settings.useParams()}
        search={settings.useSearch()}
        onSearch={(search) => void navigate({ search })}
      />
    );
  },
});

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    signedIn,
    environment.addChildren([
      home,
      items,
      inbox,
      records,
      resource,
      runs,
      approvals,
      approval,
      bulks,
      bulk,
      flags,
      flag,
      pages,
      page,
      settings,
    ]),
  ]),
  basepath: publicBase === '' ? '/' : publicBase,
  parseSearch,
  stringifySearch,
  defaultPreload: false,
  scrollRestoration: false,
});

/** Reads the list of the address, where it is one. */
const readFirst = async (session: Session): Promise<void> => {
  const match = router.state.matches.at(-1);
  if (match?.routeId === items.id) await readListEarly(session, null, match.search);
  else if (match?.routeId === inbox.id) await readListEarly(session, match.params.inbox, match.search);
};

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
