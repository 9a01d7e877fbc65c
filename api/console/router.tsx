/** The addresses of the console: the address is the state, so that every screen can be sent to a colleague; and the page of the start. Used by main.tsx. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  Outlet,
  useNavigate,
  Navigate,
} from '@tanstack/react-router';
import { useCallback, type ComponentProps } from 'react';
import { readListSearch, type ListSearch } from './inbox/filter.ts';
import { InboxPage } from './inbox/InboxPage.tsx';
import { readListEarly } from './inbox/useItemList.ts';
import {
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
import type { ChoosePassword as ChoosePasswordType } from './shell/PasswordLink.tsx';
import type { Session } from './shell/session.ts';
import { Shell } from './shell/Shell.tsx';
import { SignIn } from './shell/SignIn.tsx';
import { shellTexts } from './shell/texts.tsx';
import { loadedLater } from './ui/lazy.tsx';
import { publicBase } from './wire/base.ts';
import { keep, readKept } from './wire/kept.ts';

type ChoosePasswordProps = ComponentProps<typeof ChoosePasswordType>;

const ChoosePassword = loadedLater(async () => (await import('./shell/PasswordLink.tsx')).ChoosePassword);

const readLink = (hash: string): ChoosePasswordProps['link'] | null => {
  const [, kind, token = ''] = /^#(invitation|reset)=([\w-]+)$/.exec(hash) ?? [];
  return kind === 'invitation' || kind === 'reset' ? { kind, token } : null;
};

/** Read before the router may change the address; null: the page was not opened by a link. */
const linkOfAddress = readLink(location.hash);

/** The environment that is shown is kept for the next start; without storage the first one is shown then. */
const lastKey = 'console.environment';

/** The console's start: choosing a password by a link, the environment that was shown last, or signing in. */
const Start = () => {
  const navigate = useNavigate();
  const last = readKept(lastKey);
  const go = (environments: readonly string[]): void => {
    const environment = last !== null && environments.includes(last) ? last : environments[0];
    if (environment !== undefined) void navigate({ to: '/env/$environment', params: { environment } });
  };
  if (linkOfAddress !== null) return <ChoosePassword link={linkOfAddress} onDone={go} />;
  if (last !== null) return <Navigate to="/env/$environment" params={{ environment: last }} replace />;
  return <SignIn environment={null} isAgain={false} onDone={go} />;
};

/** The pages that are loaded when the browser has nothing else to do, or when they are opened. */
const ApprovalsPage = loadedLater(async () => (await import('./approvals/ApprovalsPage.tsx')).ApprovalsPage);

const RecordsPage = loadedLater(async () => (await import('./records/RecordsPage.tsx')).RecordsPage);

const ResourcePage = loadedLater(async () => (await import('./records/ResourcePage.tsx')).ResourcePage);

const RunsPage = loadedLater(async () => (await import('./runs/RunsPage.tsx')).RunsPage);

const FlagsPage = loadedLater(async () => (await import('./flags/FlagsPage.tsx')).FlagsPage);

const PagesPage = loadedLater(async () => (await import('./pages/PagesPage.tsx')).PagesPage);

const HomePage = loadedLater(async () => (await import('./home/HomePage.tsx')).HomePage);

const BulksPage = loadedLater(async () => (await import('./bulks/BulksPage.tsx')).BulksPage);

const BulkPage = loadedLater(async () => (await import('./bulks/BulksPage.tsx')).BulkPage);

const SettingsPage = loadedLater(async () => (await import('./SettingsPage.tsx')).SettingsPage);

const Palette = loadedLater(async () => (await import('./palette/Palette.tsx')).Palette);

const SignedIn = loadedLater(async () => (await import('./shell/SignedIn.tsx')).SignedIn);

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
  useCallback((search: S, replace = false) => void navigate({ search, replace }), [navigate]);

const start = createRoute({ getParentRoute: () => root, path: '/', component: Start });

const environment = createRoute({
  getParentRoute: () => root,
  path: '/env/$environment',
  component: function EnvironmentRoute() {
    const { environment: name } = environment.useParams();
    keep(lastKey, name);
    return <Shell environment={name} Palette={Palette} readFirst={readFirst} />;
  },
  // Stands in the page's place, so that the rail stays.
  notFoundComponent: () => <Nowhere />,
});

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/env/$environment/signed-in',
  component: SignedIn,
});

const home = createRoute({ getParentRoute: () => environment, path: '/', component: HomePage });

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

const approvals = createRoute({
  getParentRoute: () => environment,
  path: 'approvals',
  validateSearch: readApprovalsSearch,
  component: function ApprovalsListRoute() {
    return <ApprovalsPage id={null} search={approvals.useSearch()} />;
  },
});

const approval = createRoute({
  getParentRoute: () => environment,
  path: 'approvals/$id',
  validateSearch: readApprovalsSearch,
  component: function ApprovalRoute() {
    return <ApprovalsPage id={approval.useParams().id} search={approval.useSearch()} />;
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
    return <RecordsPage q={q} onSearch={set} />;
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
    return <ResourcePage key={name} resource={name} search={search} onSearch={set} />;
  },
});

const runs = createRoute({
  getParentRoute: () => environment,
  path: 'runs',
  validateSearch: readRunsSearch,
  component: function RunsRoute() {
    const search = runs.useSearch();
    const set = useSearchChange<RunsSearch>(runs.useNavigate());
    return <RunsPage search={search} onSearch={set} />;
  },
});

const bulks = createRoute({ getParentRoute: () => environment, path: 'bulks', component: BulksPage });

const bulk = createRoute({ getParentRoute: () => environment, path: 'bulks/$id', component: BulkPage });

const flags = createRoute({
  getParentRoute: () => environment,
  path: 'flags',
  component: () => <FlagsPage name={null} />,
});

const flag = createRoute({
  getParentRoute: () => environment,
  path: 'flags/$flag',
  component: function FlagRoute() {
    return <FlagsPage name={flag.useParams().flag} />;
  },
});

const pages = createRoute({
  getParentRoute: () => environment,
  path: 'pages',
  component: () => <PagesPage name={null} params={{}} />,
});

const page = createRoute({
  getParentRoute: () => environment,
  path: 'pages/$page',
  validateSearch: readParams,
  component: function PageRoute() {
    return <PagesPage name={page.useParams().page} params={page.useSearch()} />;
  },
});

const settings = createRoute({
  getParentRoute: () => environment,
  path: 'settings/{-$section}/{-$id}',
  validateSearch: readParams,
  component: function SettingsRoute() {
    const navigate = settings.useNavigate();
    return (
      <SettingsPage
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
